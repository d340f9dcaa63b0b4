import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct StreamingTests {
  @Test func theHeadIsThereBeforeTheBodyEnds() async throws {
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\nX-Field: 1\r\n\r\n")
    } test: { client, peer in
      let streamed = try await client.stream(HttpRequest(await peer.url()))
      #expect(streamed.status == 200 && streamed.headers["X-Field"] == "1" && streamed.url == nil)
      var pieces = streamed.body.makeAsyncIterator()
      await peer.writeInOneTurn([(1, "one ")])
      #expect(try await pieces.next() == Array("one ".utf8))
      await peer.writeInOneTurn([(1, "two.")])
      #expect(try await pieces.next() == Array("two.".utf8))
      #expect(try await pieces.next() == nil)
      #expect(try await pieces.next() == nil)
    }
  }

  @Test func aLargeBodyComesWholeAndIsNotLimited() async throws {
    let total = 24 << 20
    try await pouring(total, .test { $0.maxBodyBytes = 10 }) { client, peer in
      var count = 0
      for try await piece in try await client.stream(HttpRequest(await peer.url())).body { count += piece.count }
      #expect(count == total)
      let stats = await client.stats()
      #expect(stats.finished == 1)
    }
  }

  @Test func aSlowConsumerHoldsTheServerBackInBoundedMemory() async throws {
    let total = 16 << 20
    try await pouring(total) { client, peer in
      let request = HttpRequest(await peer.url()).with { $0.timeouts.idle = .milliseconds(900) }
      let streamed = try await client.stream(request)
      let handle = try #require(await client.onLoop { $0.engine.table.all.first?.info.handle })
      try await client.wait(for: handle) { $0.connection?.isPaused($0) == true }
      let received = await client.onLoop { $0.engine.table[handle]?.receivedCount ?? 0 }
      #expect(received <= 1_048_576 + 262_144, "the limit and one read")
      await pause(.milliseconds(1_500))
      let later = await client.onLoop { $0.engine.table[handle]?.receivedCount ?? 0 }
      #expect(later == received, "and it is not the server's idle time")
      var count = 0
      for try await piece in streamed.body { count += piece.count }
      #expect(count == total)
    }
  }

  @Test func lettingTheBodyGoCancelsTheRequest() async throws {
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome of it")
    } test: { client, peer in
      var streamed: StreamedResponse? = try await client.stream(HttpRequest(await peer.url()))
      #expect(streamed?.status == 200)
      let before = await client.stats()
      #expect(before.inFlight == 1)
      streamed = nil
      try await peer.closed.first(1)
      let stats = await client.stats()
      #expect(stats.cancelled == 1 && stats.inFlight == 0)
    }
  }

  @Test func leavingTheLoopOverPiecesCancelsTheRequest() async throws {
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome of it")
    } test: { client, peer in
      for try await piece in try await client.stream(HttpRequest(await peer.url())).body {
        #expect(!piece.isEmpty)
        break
      }
      try await peer.closed.first(1)
      let stats = await client.stats()
      #expect(stats.cancelled == 1)
    }
  }

  @Test(arguments: [true, false]) func cancellingTheTaskCancelsTheRequest(hasHead: Bool) async throws {
    try await scene { connection, _ in
      if hasHead { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome of it") }
    } test: { client, peer in
      let url = await peer.url()
      let taken = Record<Int>("pieces taken")
      let task = Task { await client.takeStream(HttpRequest(url)) { taken.add($0) } }
      if hasHead { try await taken.first(1) } else { try await peer.requests.first(1) }
      task.cancel()
      let error = await task.value
      #expect(error?.code == .cancelled)
      try await peer.closed.first(1)
      let stats = await client.stats()
      #expect(stats.cancelled == 1)
    }
  }

  @Test func aTaskThatWasCancelledBeforeGetsNothing() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let url = await peer.url()
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await client.takeStream(HttpRequest(url))
      }
      let error = await task.value
      #expect(error?.code == .cancelled)
    }
  }

  @Test func aFailingStatusIsThrownWithItsBody() async throws {
    try await scene(.test { $0.maxBodyBytes = 100 }) { connection, request in
      connection.answer(String(repeating: "x", count: request.target == "/long" ? 101 : 99), status: 500)
    } test: { client, peer in
      let error = await client.streamFailure(HttpRequest(await peer.url()))
      #expect(error?.code == .httpStatus && error?.response?.body.count == 99)
      let failure = await client.streamFailure(HttpRequest(await peer.url("/long")))
      #expect(failure?.code == .tooLarge)
      let accepted = HttpRequest(await peer.url()).with { $0.acceptStatus = [500] }
      let streamed = try await client.stream(accepted)
      #expect(streamed.status == 500)
    }
  }

  @Test func aCutIsThrownAfterThePiecesBeforeItAndNotRetried() async throws {
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome of it")
      connection.endWriting()
    } test: { client, peer in
      let streamed = try await client.stream(HttpRequest(await peer.url()).with { $0.retry.max = 3 })
      var pieces = streamed.body.makeAsyncIterator()
      #expect(try await pieces.next() == Array("some of it".utf8))
      do throws(HttpClientError) {
        _ = try await pieces.next()
        Issue.record("no error")
      } catch {
        #expect(error.code == .truncated)
      }
      #expect(peer.requests.count == 1)
    }
  }

  @Test func redirectsAndRetriesAreFollowedBeforeTheHead() async throws {
    try await scene { connection, request in
      switch (request.target, request.number) {
      case ("/", 1): connection.answer("busy", status: 503)
      case ("/", _): connection.answer("elsewhere", status: 302, fields: "Location: /there\r\n")
      default: connection.answer("here")
      }
    } test: { client, peer in
      let request = HttpRequest(await peer.url()).with { ($0.retry.max, $0.retry.baseDelay) = (2, .zero) }
      let streamed = try await client.stream(request)
      var body: [UInt8] = []
      for try await piece in streamed.body { body += piece }
      #expect(body == Array("here".utf8) && streamed.redirects.count == 1)
      #expect(await streamed.url == peer.url("/there"))
    }
  }

  @Test func bodiesOfOtherKindsEndToo() async throws {
    try await scene { connection, request in
      switch request.target {
      case "/204": connection.write("HTTP/1.1 204 No Content\r\n\r\n")
      case "/304": connection.write("HTTP/1.1 304 Not Modified\r\n\r\n")
      case "/chunked": connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
      default:
        connection.write("HTTP/1.1 200 OK\r\n\r\nabc")
        connection.endWriting()
      }
    } test: { client, peer in
      for (target, expected) in [("/204", ""), ("/304", ""), ("/chunked", "abc"), ("/end", "abc")] {
        var body: [UInt8] = []
        for try await piece in try await client.stream(HttpRequest(await peer.url(target))).body { body += piece }
        #expect(body == Array(expected.utf8), "\(target)")
      }
    }
  }

  @Test func whatCanNotBeSentIsThrown() async throws {
    let client = HttpClient(.test)
    let failure = await client.streamFailure(HttpRequest("nonsense"))
    #expect(failure?.code == .invalidRequest)
    let request = HttpRequest.downloading("http://127.0.0.1:1/", Download(to: "/nowhere"))
    let secondFailure = await client.streamFailure(request)
    #expect(secondFailure?.field == "download")
    await expectNothingLeft(client)
  }

  @Test(arguments: Http2RealPeer.Program.nginxes) func oneStreamOfAConnectionIsHeldBackAlone(program: Http2RealPeer.Program) async throws {
    try await Http2RealPeer.with(program) { peer in
      var configuration = HttpClient.Configuration.test(perHost: 1)
      configuration.tls = try await .test()
      let client = HttpClient(configuration)
      let streamed = try await client.stream(peer.request("/large1"))
      let handle = try #require(await client.onLoop { $0.engine.table.all.first?.info.handle })
      try await client.wait(for: handle) { $0.connection?.isPaused($0) == true }
      let response = try await client.send(peer.request("/small1"))
      #expect(response.body.count == 100)
      var body: [UInt8] = []
      for try await piece in streamed.body { body += piece }
      #expect(body == Http2RealPeer.contents("large1", 3_000_000))
      let stats = await client.stats()
      #expect(stats.connectionsOpened == 1)
      await expectNothingLeft(client)
    }
  }
}

extension HttpRequest {
  func with(_ change: (inout HttpRequest) -> Void) -> HttpRequest {
    var request = self
    change(&request)
    return request
  }
}

extension HttpClient {
  /// What taking a stream fails with; nil if it does not.
  fileprivate func takeStream(_ request: HttpRequest, _ taken: (Int) -> Void = { _ in }) async -> HttpClientError? {
    do {
      for try await piece in try await stream(request).body { taken(piece.count) }
      return nil
    } catch {
      return error
    }
  }

  /// What asking for a stream fails with; nil if it does not.
  fileprivate func streamFailure(_ request: HttpRequest) async -> HttpClientError? {
    do throws(HttpClientError) {
      _ = try await stream(request)
      return nil
    } catch {
      return error
    }
  }
}
