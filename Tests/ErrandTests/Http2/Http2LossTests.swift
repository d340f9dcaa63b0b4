import EventLoop
import HttpWire
import Testing

@testable import Errand

/// How requests end, or go out again, when streams and connections fail under them.
@Suite(.timeLimit(.minutes(2))) struct Http2LossTests {
  @Test func `requests above a GOAWAY's last stream go elsewhere whatever their method, those below end here`() async throws {
    try await http2Scene { server, index in
      server.onRequest = { server, request in
        if index > 0 { server.answer(request.stream, body: Array("second".utf8)) }
      }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      for index in 0..<10 { client.submit(await peer.request("/\(index)", method: .post, body: .text("x")), delegate: delegate) }
      try await peer.requests.first(10)
      await peer.with(0) { server in
        server.send(.goAway(last: 7))
        for stream: Int32 in [1, 3, 5, 7] { server.answer(stream, body: Array("first".utf8)) }
      }
      let outcomes = try await delegate.outcomes.first(10)
      #expect(outcomes.count { $0.event.response?.text == "first" } == 4)
      #expect(outcomes.count { $0.event.response?.text == "second" } == 6)
      #expect(outcomes.filter { $0.event.response?.text == "second" }.allSatisfy { $0.event.response?.attempts == 2 })
      // The drained connection is closed by this side.
      try await peer.closed.first(1)
      #expect(peer.accepted.count == 2)
    }
  }

  @Test func `a GOAWAY on an idle connection closes it, and the next request makes another`() async throws {
    try await http2Scene {
      echoPath($0, $1)
    } test: { client, peer in
      _ = try await client.response(peer.request())
      await peer.with(0) { $0.send(.goAway(last: 1)) }
      try await peer.closed.first(1)
      _ = try await client.response(peer.request(method: .post))
      #expect(peer.accepted.count == 2)
    }
  }

  @Test func `a refused request goes out again, but not for ever`() async throws {
    try await http2Scene { server, _ in
      server.onRequest = { server, request in
        if request.path == "/never" || request.stream == 1 { return server.send(.reset(request.stream, 7)) }
        server.answer(request.stream)
      }
    } test: { client, peer in
      let response = try await client.response(peer.request("/once", method: .post, body: .text("x")))
      #expect(response.attempts == 2)
      let error = try await client.failure(await peer.request("/never", method: .post, body: .text("x")))
      #expect(error.code == .connectionLost)
      #expect(error.sent == .notSent)
      #expect(error.retryable)
      #expect(peer.requests.all.count { $0.request.path == "/never" } == 4)
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func `a reset by the server fails its request, which is not sent again`() async throws {
    try await http2Scene { server, _ in
      server.onRequest = { server, request in
        if request.path == "/middle" { server.send(.headers(request.stream, [(":status", "200")]), .data(request.stream, [1])) }
        if request.path == "/ok" { return server.answer(request.stream) }
        server.send(.reset(request.stream, 2))
      }
    } test: { client, peer in
      _ = try await client.response(peer.request("/ok"))
      let early = try await client.failure(await peer.request("/early"))
      #expect(early.code == .connectionLost)
      #expect(early.sent == .sent)
      #expect(early.message == "the server reset the stream (INTERNAL_ERROR)")
      let middle = try await client.failure(await peer.request("/middle"))
      #expect(middle.code == .truncated)
      _ = try await client.response(peer.request("/ok"))
      #expect(peer.requests.count == 4)
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func `a connection that dies under 100 requests ends each as its state says`() async throws {
    try await http2Scene { server, index in
      server.onRequest = { server, request in
        if request.path == "/first" || index > 0 { return server.answer(request.stream, body: Array(request.path.utf8)) }
        if request.path.hasPrefix("/begun") { server.send(.headers(request.stream, [(":status", "200")]), .data(request.stream, [1])) }
      }
    } test: { client, peer in
      _ = try await client.response(peer.request("/first"))
      let delegate = RecordingDelegate()
      for index in 0..<40 { client.submit(await peer.request("/get\(index)"), delegate: delegate) }
      for index in 0..<40 { client.submit(await peer.request("/post\(index)", method: .post, body: .text("x")), delegate: delegate) }
      for index in 0..<20 { client.submit(await peer.request("/begun\(index)"), delegate: delegate) }
      try await peer.requests.first(101)
      try await client.wait("20 heads") { $0.engine.table.all.count { $0.head != nil } == 20 }
      await peer.reset(0)
      let outcomes = try await delegate.outcomes.first(100)
      for outcome in outcomes {
        let kind = outcome.info.url.split(separator: "/").last ?? ""
        if kind.hasPrefix("get") {
          #expect(outcome.event.response?.text == "/\(kind)")
        } else if kind.hasPrefix("post") {
          #expect(outcome.event.error?.code == .connectionLost)
          #expect(outcome.event.error?.sent == .sent || outcome.event.error?.sent == .maybeSent)
          #expect(outcome.event.error?.retryable == false)
        } else {
          #expect(outcome.event.error?.code == .truncated)
        }
      }
      #expect(peer.accepted.count == 2)
    }
  }

  @Test func `requests that wait for the server's settings go elsewhere when the connection dies`() async throws {
    try await http2Scene { server, index in
      server.isHeld = index == 0
      server.onRequest = { server, request in if index > 0 { server.answer(request.stream) } }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      for index in 0..<10 { client.submit(await peer.request("/\(index)", method: .post, body: .text("x")), delegate: delegate) }
      try await peer.requests.first(1)
      await peer.reset(0)
      let outcomes = try await delegate.outcomes.first(10)
      #expect(outcomes.count { $0.event.response != nil } == 9)
      #expect(outcomes.count { $0.event.error?.code == .connectionLost } == 1)
    }
  }

  @Test func `an upload whose server stops its window runs into the idle timer, and others go on`() async throws {
    try await http2Scene { server, _ in
      server.givesWindows = false
      server.onRequest = { server, request in server.answer(request.stream) }
    } test: { client, peer in
      var upload = await peer.request("/up", method: .put, body: .bytes([UInt8](repeating: 0, count: 10_000_000)))
      upload.timeouts.idle = .milliseconds(200)
      let delegate = RecordingDelegate()
      client.submit(upload, delegate: delegate)
      for _ in 0..<10 { #expect(try await client.response(peer.request("/get")).status == 200) }
      let error = try #require(try await delegate.outcomes.first(1)[0].event.error)
      #expect(error.code == .timeout)
      #expect(error.phase == .idle)
      #expect(error.sent == .maybeSent)
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func `an answer before the end of an upload is delivered, and the connection kept`() async throws {
    try await http2Scene { server, _ in
      server.givesWindows = false
      server.onHead = { server, request in server.answer(request.stream, status: 413, body: Array("too much".utf8)) }
    } test: { client, peer in
      for _ in 0..<3 {
        let error = try await client.failure(
          await peer.request("/up", method: .put, body: .bytes([UInt8](repeating: 0, count: 1_000_000))))
        #expect(error.response?.status == 413)
        #expect(error.response?.text == "too much")
      }
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func `a malformed response fails its request, a broken protocol all of them`() async throws {
    try await http2Scene { server, index in
      server.onRequest = { server, request in
        switch request.path {
        case "/malformed": server.send(.headers(request.stream, [(":status", "200"), ("Bad", "1")], endStream: true))
        case "/broken": server.send(.data(0, [1]))
        case "/wait" where index == 0: break
        default: server.answer(request.stream)
        }
      }
    } test: { client, peer in
      #expect(try await client.failure(await peer.request("/malformed")).code == .malformedResponse)
      let delegate = RecordingDelegate()
      for _ in 0..<3 { client.submit(await peer.request("/wait"), delegate: delegate) }
      try await peer.requests.first(4)
      #expect(peer.accepted.count == 1)
      #expect(try await client.failure(await peer.request("/broken")).code == .malformedResponse)
      #expect(try await delegate.outcomes.first(3).allSatisfy { $0.event.error?.code == .malformedResponse })
      try await peer.closed.first(1)
      #expect(await peer.with(0) { $0.frames(.goAway).map(\.errorCode) } == [1])
      _ = try await client.response(peer.request("/ok"))
      #expect(peer.accepted.count == 2)
    }
  }

  @Test func `a server that floods is left`() async throws {
    try await http2Scene { server, index in
      server.onRequest = { server, request in
        if index > 0 { return server.answer(request.stream) }
        for _ in 0..<2_000 { server.send(.windowUpdate(0, 1)) }
      }
    } test: { client, peer in
      let error = try await client.failure(await peer.request())
      #expect(error.code == .malformedResponse)
      #expect(error.message.contains("floods"))
      try await peer.closed.first(1)
      _ = try await client.response(peer.request())
    }
  }

  @Test func `headers above the limit are too large, and a request's own are refused`() async throws {
    var configuration = HttpClient.Configuration.test
    configuration.wireLimits.headBytes = 10_000
    try await http2Scene(configuration) { server, _ in
      server.onRequest = { server, request in
        let size = request.path == "/large" ? 2_000 : 10
        server.answer(request.stream, (0..<6).map { ("x\($0)", String(repeating: "y", count: size)) })
      }
    } test: { client, peer in
      #expect(try await client.failure(await peer.request("/large")).code == .tooLarge)
      let own = try await client.failure(await peer.request(headers: ["X": String(repeating: "x", count: 70_000)]))
      #expect(own.code == .invalidRequest)
      #expect(own.sent == .notSent)
      _ = try await client.response(peer.request("/small"))
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func `a body above its limit ends its stream alone`() async throws {
    try await http2Scene { server, _ in
      server.onRequest = { server, request in server.answer(request.stream, body: [UInt8](repeating: 1, count: 100_000)) }
    } test: { client, peer in
      var request = await peer.request()
      request.maxBodyBytes = 50_000
      let error = try await client.failure(request)
      #expect(error.code == .tooLarge)
      let response = try await client.send(peer.request())
      #expect(response.body.count == 100_000)
      #expect(peer.accepted.count == 1)
      #expect(await peer.with(0) { $0.resets(1) } == [8])
    }
  }

  @Test func `a server that speaks HTTP/1 where HTTP/2 was said is malformed`() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      await peer.answerAnyBytes()
      var request = HttpRequest(await peer.url())
      request.httpVersion = .http2
      let error = try await client.failure(request)
      #expect(error.code == .malformedResponse)
    }
  }

  @Test func `a dead peer is noticed by a ping, a slow one is not taken for dead`() async throws {
    var configuration = HttpClient.Configuration.test
    configuration.http2.pingAfter = .milliseconds(40)
    configuration.http2.pingTimeout = .milliseconds(200)
    try await http2Scene(configuration) { server, index in
      server.answersPings = index == 0
    } test: { client, peer in
      let delegate = RecordingDelegate()
      client.submit(await peer.request("/slow"), delegate: delegate)
      try await client.wait("some pings") { _ in peer.servers.first?.frames(.ping).count ?? 0 >= 3 }
      await peer.with(0) { $0.answer(1) }
      #expect(try await delegate.outcomes.first(1)[0].event.response?.status == 200)
      await peer.with(0) { $0.send(.goAway(last: 1)) }
      try await peer.closed.first(1)
      let error = try await client.failure(await peer.request("/dead", method: .post, body: .text("x")))
      #expect(error.code == .connectionLost)
      #expect(error.message.contains("ping"))
      #expect(peer.accepted.count == 2)
    }
  }
}

extension ScriptedPeer {
  /// Says something in HTTP/1 to whatever comes.
  fileprivate func answerAnyBytes() {
    onConnection = { connection in connection.onBytes = { [unowned connection] in connection.answer() } }
  }
}
