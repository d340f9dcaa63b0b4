import Dispatch
import EventLoop
import HttpWire
import Testing

@testable import Errand

/// Many requests on one connection, in the clear with prior knowledge, against scripted servers.
@Suite(.timeLimit(.minutes(2))) struct Http2ConnectionTests {
  @Test func `a request and its response, with interim responses and trailers`() async throws {
    try await http2Scene { server, _ in
      server.onRequest = { server, request in
        server.send(.headers(request.stream, [(":status", "103"), ("link", "</a>")]))
        server.answer(request.stream, status: 201, [("x", "y")], body: Array("made".utf8), trailers: [("x-sum", "4")])
      }
    } test: { client, peer in
      let response = try await client.response(peer.request("/a?b", method: .put, headers: ["X-Mine": "1"], body: .text("some text")))
      #expect(response.version == .http2)
      #expect(response.status == 201)
      #expect(response.headers == ["x": "y"])
      #expect(response.text == "made")
      #expect(response.trailers == ["x-sum": "4"])
      #expect(response.interim.map(\.status) == [103])
      #expect(!response.lengthUnknown)
      let seen = try await peer.requests.first(1)[0].request
      #expect(seen[":method"] == "PUT")
      #expect(seen[":scheme"] == "http")
      #expect(seen[":authority"] == (await peer.address).description)
      #expect(seen.path == "/a?b")
      #expect(seen["x-mine"] == "1")
      #expect(seen["content-length"] == "9")
      #expect(seen.body == Array("some text".utf8))
    }
  }

  @Test func `first requests at the same time share one connection`() async throws {
    try await http2Scene {
      echoPath($0, $1)
    } test: { client, peer in
      let delegate = RecordingDelegate()
      for index in 0..<64 { client.submit(await peer.request("/\(index)"), delegate: delegate) }
      let outcomes = try await delegate.outcomes.first(64)
      #expect(outcomes.allSatisfy { $0.info.url.hasSuffix("/" + ($0.event.response?.text.dropFirst() ?? "none")) })
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func `requests one after the other use the connection again`() async throws {
    try await http2Scene {
      echoPath($0, $1)
    } test: { client, peer in
      for index in 0..<20 {
        let response = try await client.send(peer.request("/\(index)"))
        #expect(response.text == "/\(index)")
      }
      #expect(peer.accepted.count == 1)
      let stats = await client.stats()
      #expect(stats.openConnections == 1)
      #expect(stats.idleConnections == 1)
    }
  }

  @Test func `a connection whose server takes no more requests is given up`() async throws {
    try await http2Scene { server, index in
      server.onRequest = { server, request in
        server.answer(request.stream, body: Array("\(index)".utf8))
        if index == 0 { server.send(Http2Frame(.settings, [0, 3, 0, 0, 0, 0])) }
      }
    } test: { client, peer in
      let first = try await client.send(peer.request("/1"))
      #expect(first.text == "0")
      _ = try await peer.closed.first(1)
      let second = try await client.send(peer.request("/2"))
      #expect(second.text == "1")
    }
  }

  @Test func `a connection that has gone deaf gets no other request`() async throws {
    try await http2Scene { server, index in
      server.onRequest = { server, request in server.answer(request.stream, body: Array("\(index)".utf8)) }
    } test: { client, peer in
      let first = try await client.send(peer.request("/1"))
      #expect(first.text == "0")
      await peer.stopReading(0)
      var request = await peer.request("/2")
      request.timeouts.firstByte = .milliseconds(1_100)
      let error = try await client.failure(request)
      #expect(error.code == .timeout)
      let third = try await client.send(peer.request("/3"))
      #expect(third.text == "1")
    }
  }

  @Test(arguments: [UInt32(1), 10]) func `the server's limit of streams is kept, with more connections where needed`(limit: UInt32)
    async throws
  {
    nonisolated(unsafe) var most = 0
    nonisolated(unsafe) var refused = 0
    nonisolated(unsafe) var waiting: [() -> Void] = []
    try await http2Scene(settings: [Setting.maxStreams: limit]) { server, _ in
      var open = 0
      server.onRequest = { server, request in
        if open >= Int(limit) {
          refused += 1
          return server.send(.reset(request.stream, 7))
        }
        open += 1
        most = max(most, open)
        // None is answered before all are there.
        waiting.append { server.answer(request.stream, body: Array(request.path.utf8)) }
        if waiting.count == 100 { for answer in waiting { answer() } }
      }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      for index in 0..<100 { client.submit(await peer.request("/\(index)"), delegate: delegate) }
      let outcomes = try await delegate.outcomes.first(100)
      #expect(outcomes.allSatisfy { $0.event.response?.status == 200 })
      #expect(refused == 0)
      #expect(most == Int(limit))
      #expect(peer.accepted.count >= 100 / Int(limit))
      #expect(peer.accepted.count <= 100 / Int(limit) + 2)
    }
  }

  @Test func `a limit that rises and falls is followed`() async throws {
    try await http2Scene(settings: [Setting.maxStreams: 2]) { server, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      for index in 0..<2 { client.submit(await peer.request("/\(index)"), delegate: delegate) }
      try await peer.requests.first(2)
      await peer.with(0) { $0.send(.settings([Setting.maxStreams: 5])) }
      try await client.wait("the new limit") { $0.roomOfFirstHost == 5 }
      for index in 2..<5 { client.submit(await peer.request("/\(index)"), delegate: delegate) }
      try await peer.requests.first(5)
      #expect(peer.accepted.count == 1)
      await peer.with(0) { server in
        server.send(.settings([Setting.maxStreams: 1]))
        for stream in server.order { server.answer(stream) }
      }
      try await delegate.outcomes.first(5)
      for index in 5..<7 { client.submit(await peer.request("/\(index)"), delegate: delegate) }
      try await peer.requests.first(7)
      #expect(peer.accepted.count == 2)
      for index in 0..<2 { await peer.with(index) { server in for stream in server.order.suffix(1) { server.answer(stream) } } }
      #expect(try await delegate.outcomes.first(7).allSatisfy { $0.event.response != nil })
    }
  }

  @Test func `HEAD and statuses without a body`() async throws {
    try await http2Scene { server, _ in
      server.onRequest = { server, request in
        server.answer(request.stream, status: Int(request.path.dropFirst()) ?? 200, [("content-length", "12")])
      }
    } test: { client, peer in
      let head = try await client.send(peer.request("/200", method: .head))
      #expect(head.body == [])
      let unchanged = try await client.send(peer.request("/304"))
      #expect(unchanged.status == 304)
    }
  }

  @Test func `a body of many megabytes in either direction`() async throws {
    let large = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await http2Scene { server, _ in
      server.onRequest = { server, request in server.answer(request.stream, body: large) }
    } test: { client, peer in
      let response = try await client.response(peer.request(method: .post, body: .bytes(large)))
      #expect(response.body == large)
      #expect(try await peer.requests.first(1)[0].request.bodyCount == large.count)
    }
  }

  @Test func `an upload tells its progress and is sent in one piece with others' requests`() async throws {
    try await http2Scene {
      echoPath($0, $1)
    } test: { client, peer in
      let delegate = RecordingDelegate(.uploadProgress)
      client.submit(await peer.request("/up", method: .post, body: .bytes([UInt8](repeating: 1, count: 1_000_000))), delegate: delegate)
      try await delegate.outcomes.first(1)
      let sent = delegate.events.all.compactMap { if case .sent(let count, 1_000_000) = $0.event { count } else { nil } }
      #expect(sent.last == 1_000_000)
      #expect(sent == sent.sorted())
    }
  }

  @Test func `slow delegates hold back their own bodies alone`() async throws {
    let size = 4_000_000
    try await http2Scene { server, _ in
      server.onRequest = { server, request in
        server.answer(request.stream, body: [UInt8](repeating: 5, count: request.path == "/slow" ? size : 10))
      }
    } test: { client, peer in
      let gate = Gate()
      let slow = RecordingDelegate(.bodyChunks) { if case .chunk = $0 { gate.pass() } }
      for _ in 0..<30 { client.submit(await peer.request("/slow"), delegate: slow, queue: .init(label: "slow")) }
      try await gate.reached.first(1)
      for _ in 0..<50 { #expect(try await client.response(peer.request("/quick")).body.count == 10) }
      let heldBack = await peer.with(0) { $0.heldBack }
      #expect(heldBack > 30 * (size - 3_000_000))
      #expect(slow.outcomes.count == 0)
      gate.open()
      let outcomes = try await slow.outcomes.first(30)
      #expect(outcomes.allSatisfy { $0.event.response != nil })
      let received = slow.events.all.reduce(0) { if case .chunk(let bytes) = $1.event { $0 + bytes.count } else { $0 } }
      #expect(received == 30 * size)
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func `a body that is held back for 100-continue`() async throws {
    var configuration = HttpClient.Configuration.test
    configuration.expectContinueWait = .milliseconds(50)
    try await http2Scene(configuration) { server, _ in
      server.onHead = { server, request in
        if request.path == "/asks" { server.send(.headers(request.stream, [(":status", "100")])) }
        if request.path == "/refuses" { server.answer(request.stream, status: 417) }
      }
      server.onRequest = { server, request in server.answer(request.stream, body: request.body) }
    } test: { client, peer in
      for path in ["/asks", "/silent"] {
        let response = try await client.response(
          peer.request(path, method: .post, headers: ["Expect": "100-continue"], body: .text("body")))
        #expect(response.text == "body")
      }
      let error = try await client.failure(
        await peer.request("/refuses", method: .post, headers: ["Expect": "100-continue"], body: .text("body")))
      #expect(error.status == 417)
      #expect(await peer.with(0) { $0.requests[5]?.bodyCount } == 0)
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func `an idle connection is closed in good order after its time`() async throws {
    var configuration = HttpClient.Configuration.test
    configuration.keepAlive = .milliseconds(30)
    try await http2Scene(configuration) {
      echoPath($0, $1)
    } test: { client, peer in
      _ = try await client.response(peer.request())
      try await peer.closed.first(1)
      #expect(await peer.with(0) { $0.frames(.goAway).map(\.errorCode) } == [0])
      _ = try await client.response(peer.request())
      #expect(peer.accepted.count == 2)
    }
  }

  @Test func `a ping of the server is answered on an idle connection`() async throws {
    try await http2Scene {
      echoPath($0, $1)
    } test: { client, peer in
      _ = try await client.response(peer.request())
      await peer.with(0) { $0.send(Http2Frame(.ping, Array(1...8))) }
      try await client.wait("the answer") { _ in peer.with(0) { $0.frames(.ping).count == 1 } }
      #expect(await client.stats().openConnections == 1)
    }
  }

  @Test func `the timeline names the protocol's connection`() async throws {
    try await http2Scene {
      echoPath($0, $1)
    } test: { client, peer in
      let first = try await client.response(peer.request())
      #expect(first.timings.connect != nil)
      #expect(first.timings.firstByte != nil)
      let areHttp2 = await client.onLoop { $0.engine.pool.idleConnections.map { $0 is Http2Connection } }
      #expect(areHttp2 == [true])
    }
  }
}

extension HttpClient {
  @LoopActor var roomOfFirstHost: Int? {
    for (_, item) in engine.table.all.enumerated() { if let room = item.host?.room { return room } }
    return nil
  }
}
