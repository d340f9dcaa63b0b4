import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import HttpServer

@LoopActor
@Suite(.oneAtATime) struct ServerLifeTests {
  @Test func aUnixSocketHasItsModeKnowsItsPeerAndIsRemoved() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("server.sock")
    let who = ClosureHandler(path: "/who") { request, responder in
      let credentials = request.credentials
      #expect(request.isUnix)
      responder.respond(text: "\(credentials?.pid ?? -1) \(credentials?.uid ?? 99_999)")
    }
    try await serving(on: .unix(path), handlers: [who]) { server, address in
      #expect(address.description == "unix:\(path)")
      var status = stat()
      #expect(lstat(path, &status) == 0)
      let client = try TestSocket(address)
      #expect(try await client.exchange(get("/who")).text == "\(getpid()) \(getuid())")
    }
    #expect(access(path, F_OK) != 0)
    let server = HttpServer()
    try server.listen(on: .unix(path), mode: 0o600)
    var status = stat()
    #expect(lstat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    // A socket that took its place stays.
    unlink(path)
    let other = HttpServer()
    try other.listen(on: .unix(path))
    await server.close(grace: .zero)
    #expect(access(path, F_OK) == 0)
    #expect(throws: SystemError.self) { try server.listen(on: .loopback(port: 0)) }
    await other.close(grace: .zero)
    #expect(access(path, F_OK) != 0)
  }

  @Test func aUnixPeerThatIsGoneIsNoticedWhileItsAnswerIsPending() async throws {
    let directory = try TemporaryDirectory()
    var closes = 0
    var ends = 0
    let slow = ClosureHandler(path: "/slow") { _, responder in
      responder.onClose = { closes += 1 }
      responder.onPeerEnd = { ends += 1 }
    }
    try await serving(on: .unix(directory.file("s")), handlers: [slow]) { server, address in
      let gone = try TestSocket(address)
      gone.send(get("/slow"))
      try await waitUntil { server.connectionCount == 1 && gone.unsentCount == 0 }
      let halfClosed = try TestSocket(address)
      halfClosed.send(get("/slow"))
      halfClosed.endWriting()
      try await waitUntil { ends == 1 }
      gone.close()
      try await waitUntil { closes == 1 }
      #expect(server.connectionCount == 1)
      #expect(ends == 1)
    }
  }

  @Test func severalListenersServeTheSameHandlers() async throws {
    try await serving { server, address in
      let second = try server.listen(on: .loopback(port: 0, v6: true))
      for address in [address, second] {
        let client = try TestSocket(address)
        #expect(try await client.exchange(get("/hello")).text == "hello")
      }
      #expect(throws: SystemError.self) { try server.listen(on: address) }
    }
  }

  @Test func aFullServerLeavesFurtherConnectionsWaiting() async throws {
    try await serving(with(\.maxConnections, 3)) { server, address in
      var clients: [TestSocket] = []
      for _ in 0..<3 {
        let client = try TestSocket(address)
        #expect(try await client.exchange(get("/hello")).status == 200)
        clients.append(client)
      }
      let fourth = try TestSocket(address)
      fourth.send(get("/hello"))
      let fifth = try TestSocket(address)
      fifth.send(get("/hello"))
      await pause(.milliseconds(10))
      #expect(server.connectionCount == 3)
      #expect(fourth.receivedCount == 0)
      clients[0].close()
      #expect(try await fourth.response().text == "hello")
      #expect(fifth.receivedCount == 0)
      fourth.close()
      #expect(try await fifth.response().text == "hello")
    }
  }

  @Test func acceptingPausesWithoutDescriptorsAndResumes() async throws {
    try await serving(with(\.acceptPause, .milliseconds(20))) { server, address in
      let kept = try TestSocket(address)
      #expect(try await kept.exchange(get("/hello")).status == 200)
      let client = try TestSocket(address)
      // Nothing else may run on the loop while the process has no descriptor to give.
      withoutDescriptors { server.listeners[0].socketReady(.read) }
      #expect(server.listeners[0].isPaused)
      #expect(server.connectionCount == 1)
      #expect(try await kept.exchange(get("/hello")).status == 200)
      #expect(try await client.exchange(get("/hello")).text == "hello")
      #expect(!server.listeners[0].isPaused)
    }
  }

  private func withoutDescriptors(_ body: () -> Void) {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(files, &limit)
    var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
    setrlimit(files, &none)
    body()
    setrlimit(files, &limit)
  }

  @Test func closingEndsIdleConnectionsAtOnceAndLetsBusyOnesFinish() async throws {
    var pending: Responder?
    let slow = ClosureHandler(path: "/slow") { _, responder in pending = responder }
    try await serving(handlers: [slow]) { server, address in
      let idle = try TestSocket(address)
      #expect(try await idle.exchange(get("/hello")).status == 200)
      let busy = try TestSocket(address)
      busy.send(get("/slow"))
      try await waitUntil { pending != nil }
      let closing = Task { await server.close(grace: .seconds(20)) }
      #expect(try await idle.readToEnd() == .closed)
      #expect(server.connectionCount == 1)
      let refused = try TestSocket(address)
      #expect(try await refused.readToEnd() == .reset)
      pending?.respond(text: "done")
      let response = try await busy.response()
      #expect(response.text == "done")
      #expect(response.head.headers["connection"] == "close")
      #expect(try await busy.readToEnd() == .closed)
      await closing.value
      #expect(server.connectionCount == 0)
    }
  }

  @Test func closingCutsWhatDoesNotFinishInItsGrace() async throws {
    var closes = 0
    let never = ClosureHandler { request, responder in
      responder.onClose = { closes += 1 }
      if request.path == "/stream" { responder.startStream(status: 200) }
    }
    try await serving(handlers: [never]) { server, address in
      let clients = [try TestSocket(address), try TestSocket(address)]
      clients[0].send(get("/plain"))
      clients[1].send(get("/stream"))
      _ = try await clients[1].read(through: "\r\n\r\n")
      try await waitUntil { server.connectionCount == 2 && clients[0].unsentCount == 0 }
      await server.close(grace: .milliseconds(50))
      #expect(server.connectionCount == 0)
      for client in clients { #expect(try await client.readToEnd() == .reset) }
      try await waitUntil { closes == 2 }
    }
  }

  @Test func twoThousandConnectionsAtOnceAreAllServedAndAllClosed() async throws {
    _ = Socket.raiseDescriptorLimit()
    try await serving { server, address in
      var clients: [TestSocket] = []
      for _ in 0..<2_000 {
        let client = try TestSocket(address)
        client.send(get("/hello"))
        clients.append(client)
      }
      for client in clients { #expect(try await client.response().text == "hello") }
      #expect(server.connectionCount == 2_000)
      for client in clients { #expect(try await client.exchange(get("/hello")).text == "hello") }
      for (index, client) in clients.enumerated() { if index % 2 == 0 { client.close() } else { client.reset() } }
      try await waitUntil { server.connectionCount == 0 }
    }
  }

  @Test func twentyThousandPiecesOfGarbageTrapNothingAndLeakNothing() async throws {
    let directory = try TemporaryDirectory()
    try await serving(on: .unix(directory.file("s"))) { server, address in
      var random = Garbage(seed: 7)
      for _ in 0..<400 {
        var clients: [TestSocket] = []
        for _ in 0..<50 {
          let client = try TestSocket(address)
          client.send(random.next())
          client.endWriting()
          clients.append(client)
        }
        for client in clients { try await client.readToEnd() }
      }
      try await waitUntil { server.connectionCount == 0 }
      let client = try TestSocket(address)
      #expect(try await client.exchange(get("/hello")).text == "hello")
    }
  }
}

/// Random bytes, and requests with random faults, from a seed.
private struct Garbage {
  private var state: UInt64
  private static let requests = [
    get("/hello"), "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\n\r\nabcd" + get("/hello"),
    "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\nA: b\r\n\r\n",
    "POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nabcd",
  ].map { Array($0.utf8) }

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> [UInt8] {
    guard number(below: 2) == 0 else { return (0..<number(below: 64)).map { _ in UInt8(truncatingIfNeeded: number(below: 256)) } }
    var bytes = Garbage.requests[number(below: Garbage.requests.count)]
    for _ in 0...number(below: 4) {
      guard !bytes.isEmpty else { break }
      let index = number(below: bytes.count)
      switch number(below: 4) {
      case 0: bytes[index] = UInt8(truncatingIfNeeded: number(below: 256))
      case 1: bytes.remove(at: index)
      case 2: bytes.insert(UInt8(ascii: "\r") &- UInt8(number(below: 4)), at: index)
      default: bytes.removeSubrange(index...)
      }
    }
    return bytes
  }

  private mutating func number(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }
}
