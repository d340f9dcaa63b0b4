import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// What a proxy can do wrong while it is asked for a tunnel, and what is left of it: nothing.
@Suite("Tunnels that don't come about", .oneAtATime, .timeLimit(.minutes(2)))
struct TunnelFaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    var name: String
    var answer: [UInt8]
    /// What is done then.
    var end = End.close
    var words: String
    var mayPass = false
    var testDescription: String { name }

    enum End { case close, reset, stay }

    init(_ name: String, _ answer: String, _ end: End = .stay, _ words: String, mayPass: Bool = false) {
      (self.name, self.answer, self.end, self.words, self.mayPass) = (name, Array(answer.utf8), end, words, mayPass)
    }

    init(_ name: String, _ answer: [UInt8], _ end: End = .stay, _ words: String, mayPass: Bool = false) {
      (self.name, self.answer, self.end, self.words, self.mayPass) = (name, answer, end, words, mayPass)
    }
  }

  /// HTTP/2 in the clear needs a tunnel.
  private func connecting(_ port: UInt16, _ userInfo: String = "") -> HttpRequest {
    .through("http://\(userInfo)127.0.0.1:\(port)", "http://a.test/secret?path") { $0.httpVersion = .http2 }
  }

  static let connectFaults = [
    Fault("closed at once", "", .close, "closed the connection without an answer to CONNECT a.test:80", mayPass: true),
    Fault("closed in the middle", "HTTP/1.1 200 O", .close, "closed the connection within its answer to CONNECT a.test:80", mayPass: true),
    Fault("reset", "HTTP/1.1 2", .reset, "broke off while it was asked for a tunnel to a.test:80: ", mayPass: true),
    Fault("another protocol", "SSH-2.0-OpenSSH_9\r\n", .stay, "gave an answer to CONNECT that can't be used: "),
    Fault("binary garbage", [0, 1, 2, 0xFF, 0x0A, 0x0D], .stay, "gave an answer to CONNECT that can't be used: "),
    Fault(
      "403", "HTTP/1.1 403 Filtered\r\nContent-Length: 4\r\n\r\nbody", .stay,
      "refused the tunnel to a.test:80: it answered CONNECT with 403 Filtered"),
    Fault(
      "403, then closed", "HTTP/1.1 403 Filtered\r\n\r\n", .close, "refused the tunnel to a.test:80: it answered CONNECT with 403 Filtered"),
    Fault(
      "407", "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=x\r\n\r\n", .stay,
      "does not take the credentials it got (407 Who; it takes Basic)"),
    Fault(
      "503", "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\n\r\n", .stay, "can't reach a.test:80: it answered CONNECT with 503 Busy", mayPass: true
    ),
    Fault("1xx, then no", "HTTP/1.1 100 x\r\n\r\nHTTP/1.1 103 y\r\nLink: z\r\n\r\nHTTP/1.1 405 No\r\n\r\n", .stay, "with 405 No"),
    Fault("1xx without end", String(repeating: "HTTP/1.1 102 x\r\n\r\n", count: 40), .stay, "can't be used: "),
    Fault("an endless head", "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 200_000), .stay, "can't be used: "),
    Fault("too many fields", "HTTP/1.1 200 OK\r\n" + String(repeating: "x: y\r\n", count: 5_000), .stay, "can't be used: "),
  ]

  @Test("an answer to CONNECT that opens no tunnel is an error `connect` that says what it was", arguments: connectFaults)
  func connectFault(fault: Fault) async throws {
    try await proxyScene { connection in
      guard let head = connection.takeHead() else { return }
      connection.keep(head)
      answer(fault, on: connection)
    } test: { client, proxy in
      var request = connecting(await proxy.port, "user:hush@")
      request.headers = ["Authorization": "Bearer mine", "Cookie": "mine", "X-Mine": "mine"]
      // Only what may pass is tried again.
      request.retry.max = 1
      request.retry.baseDelay = .milliseconds(1)
      let error = try await client.failure(request)
      try expect(error, fault, "http://127.0.0.1:\(await proxy.port)", attempts: fault.mayPass ? 2 : 1)
      #expect(proxy.accepted.count == (fault.mayPass ? 2 : 1))
      let head = try await proxy.seen.first(1)[0]
      #expect(
        head
          == "CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\nUser-Agent: errand/1\r\nProxy-Authorization: Basic dXNlcjpodXNo\r\n\r\n")
    }
  }

  static let socksFaults = [
    Fault("closed at once", "", .close, "closed the connection before it answered the greeting", mayPass: true),
    Fault("closed in the middle", [5], .close, "closed the connection before it answered the greeting", mayPass: true),
    Fault(
      "closed after the greeting", [5, 0], .close, "closed the connection before it answered the request for a.test port 80", mayPass: true),
    Fault("reset", [5], .reset, "broke off while it was asked for a tunnel to a.test:80: ", mayPass: true),
    Fault("HTTP", "HTTP/1.1 400 Bad\r\n\r\n", .stay, "does not speak SOCKS 5"),
    Fault("SOCKS 4", [0, 90, 0, 0, 0, 0, 0, 0], .stay, "does not speak SOCKS 5"),
    Fault("another way to sign in", [5, 1], .stay, "chose a way to sign in that was not offered (1)"),
    Fault("no way to sign in", [5, 0xFF], .close, "does not let in without credentials"),
    Fault("more than it was asked", [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0], .stay, "answered before it was asked"),
  ]

  @Test("an answer of SOCKS that opens no tunnel is an error `connect` that says what it was", arguments: socksFaults)
  func socksFault(fault: Fault) async throws {
    try await proxyScene { connection in
      guard connection.stage == 0, connection.take(3) != nil else { return }
      connection.stage = 1
      answer(fault, on: connection)
    } test: { client, proxy in
      let url = "socks5h://127.0.0.1:\(await proxy.port)"
      try expect(try await client.failure(.through(url, "http://a.test/")), fault, url)
      #expect(proxy.accepted.count == 1)
    }
  }

  @LoopActor private func answer(_ fault: Fault, on connection: ProxyConnection) {
    connection.write(fault.answer)
    switch fault.end {
    case .stay: break
    case .close: connection.close()
    case .reset: connection.reset()
    }
  }

  private func expect(_ error: HttpClientError, _ fault: Fault, _ proxy: String, attempts: Int = 1) throws {
    #expect(error.code == .connect && error.phase == .connect && error.sent == .notSent && error.attempts == attempts, "\(error)")
    #expect(error.message.hasPrefix("the proxy \(proxy) ") && error.message.contains(fault.words), "\(error)")
    #expect(error.retryable == fault.mayPass, "\(error)")
    #expect(!error.message.contains("hush") && !error.message.contains("secret"))
    #expect(error.message.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
  }

  @Test("answers may come byte by byte")
  func trickled() async throws {
    try await proxyScene { connection in
      if connection.stage == 0, connection.take(3) != nil {
        connection.stage = 1
        connection.trickle([5, 0])
      } else if connection.stage == 1, connection.take(5 + 6 + 2) != nil {
        connection.stage = 2
        connection.trickle([5, 0, 0, 3, 4] + Array("name".utf8) + [0, 0])
      } else if connection.stage == 2 {
        connection.serveRequests()
      }
    } test: { client, proxy in
      try await client.expect("/x", .through("socks5h://127.0.0.1:\(await proxy.port)", "http://a.test/x"))
    }
  }

  @Test("a request for a tunnel that the kernel does not take at once goes out in pieces")
  func partialWrites() async throws {
    let agent = String(repeating: "a", count: 8 << 20)
    try await proxyScene(.test { $0.userAgent = agent }) { connection in
      guard let head = connection.takeHead() else { return }
      connection.keep("\(head.utf8.count)")
      connection.write("HTTP/1.1 403 No\r\n\r\n")
    } test: { client, proxy in
      let error = try await client.failure(connecting(await proxy.port))
      #expect(error.message.hasSuffix("403 No"), "\(error)")
      let length = try #require(Int(proxy.seen.all[0]))
      #expect(length > 8 << 20)
    }
  }

  @Test("a refusal counts that comes before the request for a tunnel is wholly written")
  func earlyRefusal() async throws {
    let agent = String(repeating: "a", count: 32 << 20)
    try await proxyScene(.test { $0.userAgent = agent }) { connection in
      guard connection.stage == 0 else { return }
      connection.stage = 1
      connection.write("HTTP/1.1 431 Too long\r\n\r\n")
      connection.reset()
    } test: { client, proxy in
      let error = try await client.failure(connecting(await proxy.port))
      #expect(error.code == .connect && error.message.hasSuffix(" it answered CONNECT with 431 Too long"), "\(error)")
    }
  }

  @Test("a silent proxy runs into the connect timeout, which names it, and explains itself until then", arguments: ["http", "socks5h"])
  func silent(kind: String) async throws {
    try await proxyScene { _ in
    } test: { client, proxy in
      let url = "\(kind)://user:hush@127.0.0.1:\(await proxy.port)"
      let shown = "\(kind)://127.0.0.1:\(await proxy.port)"
      var request = HttpRequest.through(url, "http://a.test/") { $0.httpVersion = kind == "http" ? .http2 : .auto }
      let handle = client.submit(request, delegate: nil)
      try await proxy.accepted.first(1)
      try await client.wait(for: handle) { $0.attempt?.connector.connectedAt != nil }
      let description = try #require(await client.describe(handle))
      #expect(description.state == "connecting" && description.host == "a.test")
      #expect(
        description.explanation.hasPrefix("is waiting for the proxy \(shown) to open a tunnel to a.test:80, "), "\(description.explanation)"
      )
      #expect(await client.cancel(handle).sent == .notSent)
      request.timeouts.connect = .milliseconds(50)
      let error = try await client.failure(request)
      #expect(error.code == .timeout && error.phase == .connect && error.retryable && error.sent == .notSent)
      #expect(
        error.message
          == "no connection in time while it was waiting for the proxy \(shown) to open a tunnel to a.test:80 (connect timeout of 50 ms)")
    }
  }

  @Test("cancels in the middle of tunnels leave nothing behind")
  func cancelled() async throws {
    try await proxyScene(.test(perHost: 8)) { connection in
      // Some answer half.
      if connection.number % 2 == 0 { connection.write("HTTP/1.1 20") }
    } test: { client, proxy in
      let request = connecting(await proxy.port)
      var delegates: [RecordingDelegate] = []
      for number in 0..<40 {
        let delegate = RecordingDelegate()
        delegates.append(delegate)
        // An origin of its own each, for otherwise they would wait for one connection.
        var own = request
        own.url = "http://h\(number).test/"
        client.submit(own, delegate: delegate)
      }
      try await proxy.accepted.first(40)
      let receipts = await client.cancel(.all)
      #expect(receipts.count == 40 && receipts.allSatisfy { $0.sent == .notSent && $0.bytesWritten == 0 })
      for delegate in delegates {
        try await delegate.outcomes.first(1)
        #expect(delegate.outcomes.all.map(\.event.name) == ["cancelled"])
      }
      _ = try await proxy.closed.first(40)
      let (inUse, hosts) = await client.slots()
      #expect(inUse == 0 && hosts == 0)
    }
  }

  @Test("a shutdown in the middle of a tunnel ends it")
  func shutdown() async throws {
    try await proxyScene { _ in
    } test: { client, proxy in
      let delegate = RecordingDelegate()
      client.submit(connecting(await proxy.port), delegate: delegate)
      try await proxy.accepted.first(1)
      await client.shutdown(grace: .milliseconds(10))
      #expect(try await delegate.outcomes.first(1).map(\.event.name) == ["cancelled"])
    }
  }
}
