import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Bodies of every kind over HTTP/2.
@Suite(.timeLimit(.minutes(3))) struct Http2UploadTests {
  /// Keeps whole bodies and answers each request.
  @LoopActor private func answer(_ server: Http2Server, _ index: Int) {
    server.keptBytes = .max
    server.onRequest = { server, request in server.answer(request.stream, body: Array("ok".utf8)) }
  }

  @LoopActor private func put(_ peer: Http2Peer, _ upload: Upload, _ path: String = "/", headers: HttpHeaders = [:]) -> HttpRequest {
    peer.request(path, method: .put, headers: headers, body: upload.body)
  }

  @Test(arguments: UploadKind.allCases) func eachArrivesWholeAmongOthers(kind: UploadKind) async throws {
    try await http2Scene {
      answer($0, $1)
    } test: { client, peer in
      let uploads = try (0..<5).map { _ in try Upload(kind) }
      let delegate = RecordingDelegate()
      for (index, upload) in uploads.enumerated() { client.submit(await put(peer, upload, "/\(index)"), delegate: delegate) }
      for outcome in try await delegate.outcomes.first(5) { #expect(outcome.event.response?.text == "ok", "\(outcome.event)") }
      for (_, request) in peer.requests.all {
        let index = try #require(Int(request.path.dropFirst()))
        try uploads[index].expect(request)
      }
      for upload in uploads { try await upload.expectLetGo() }
      #expect(peer.accepted.count == 1)
    }
  }

  @Test(arguments: UploadKind.large) func aSmallWindowMakesItSlowAndNotWrong(kind: UploadKind) async throws {
    try await http2Scene(settings: [Setting.initialWindow: 1_000]) { server, index in
      answer(server, index)
    } test: { client, peer in
      let upload = try Upload(kind, size: 100_000)
      let response = try await client.send(await put(peer, upload))
      #expect(response.text == "ok")
      try upload.expect(peer.requests.all[0].request)
    }
  }

  @Test(arguments: UploadKind.large) func aStreamThatTheServerRefusesGoesOutAgainWhereItCan(kind: UploadKind) async throws {
    try await http2Scene { server, index in
      answer(server, index)
      server.onHead = { server, request in
        guard request.stream == 3 else { return }
        // When some of the body is there.
        server.onFrame = { server, frame in
          guard frame.isA(.data), frame.stream == 3, server.resets(3).isEmpty else { return }
          server.onFrame = nil
          server.send(.reset(3, Http2ErrorCode.refusedStream.rawValue))
        }
      }
    } test: { client, peer in
      _ = try await client.send(await peer.request("/first"))
      let upload = try Upload(kind, size: 2_000_000)
      if kind.isReplayable {
        let response = try await client.send(await put(peer, upload))
        #expect(response.text == "ok" && response.attempts == 2)
        try upload.expect(try #require(peer.requests.all.last).request)
      } else {
        let error = try await client.failure(await put(peer, upload))
        #expect(error.code == .cannotReplayBody, "\(error)")
      }
      try await upload.expectLetGo(streams: kind.isReplayable ? 2 : 1)
      #expect(peer.accepted.count == 1)
    }
  }

  @Test(arguments: UploadKind.large) func aConnectionThatIsLostIsReplacedWhereThatCanBe(kind: UploadKind) async throws {
    try await http2Scene(.test(perHost: 1_000)) { server, index in
      answer(server, index)
    } test: { client, peer in
      _ = try await client.send(await peer.request("/first"))
      await peer.onData(0) { peer.close(0) }
      let upload = try Upload(kind, size: 2_000_000)
      var request = await put(peer, upload)
      request.retry.max = 1
      if kind.isReplayable {
        let response = try await client.send(request)
        #expect(response.text == "ok" && response.attempts == 2)
        try upload.expect(try #require(peer.requests.all.last).request)
      } else {
        let error = try await client.failure(request)
        #expect(error.code == .cannotReplayBody || error.code == .connectionLost, "\(error)")
      }
      try await upload.expectLetGo()
    }
  }

  @Test(arguments: UploadKind.allCases) func itWaitsForThe100(kind: UploadKind) async throws {
    try await http2Scene(.test { $0.expectContinueWait = .seconds(60) }) { server, index in
      answer(server, index)
      server.onHead = { server, request in
        guard request["expect"] != nil else { return }
        after(.milliseconds(50)) {
          #expect(server.frames(.data).isEmpty)
          server.send(.headers(request.stream, [(":status", "100")]))
        }
      }
    } test: { client, peer in
      let upload = try Upload(kind)
      let response = try await client.send(await put(peer, upload, headers: ["Expect": "100-continue"]))
      #expect(response.interim.map(\.status) == (kind == .emptyFile ? [] : [100]))
      try upload.expect(peer.requests.all[0].request)
    }
  }

  @Test(arguments: UploadKind.large) func anEarlyResponseEndsIt(kind: UploadKind) async throws {
    try await http2Scene { server, index in
      answer(server, index)
      server.givesWindows = false
      server.onHead = { server, request in
        if request.path == "/upload" { server.answer(request.stream, body: Array("early".utf8)) }
      }
    } test: { client, peer in
      let upload = try Upload(kind, size: 2_000_000)
      let response = try await client.send(await put(peer, upload, "/upload"))
      #expect(response.text == "early")
      try await upload.expectLetGo(streams: 0)
      #expect(try await client.send(await peer.request("/next")).text == "ok")
      #expect(await peer.with(0) { $0.resets(1) } == [Http2ErrorCode.noError.rawValue])
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func eachPieceGoesOutAsItComesAndTheEndAlone() async throws {
    try await http2Scene {
      answer($0, $1)
    } test: { client, peer in
      let (stream, pieces) = AsyncStream.makeStream(of: [UInt8].self)
      let delegate = RecordingDelegate(.uploadProgress)
      client.submit(await peer.request(method: .post, body: .stream(HttpBodyStream(once: stream))), delegate: delegate)
      for count in 1...5 {
        pieces.yield([UInt8](repeating: UInt8(count), count: count))
        try await waitUntil("a piece") { peer.servers.first?.frames(.data).count == count }
      }
      let before = await EventLoop.shared.turn
      await pause(.milliseconds(300))
      #expect(await EventLoop.shared.turn - before < 100, "the loop sleeps meanwhile")
      pieces.finish()
      try await delegate.outcomes.first(1)
      let frames = await peer.with(0) { $0.frames(.data).map { ($0.payload.count, $0.has(Http2Frame.endStream)) } }
      #expect(frames.map(\.0) == [1, 2, 3, 4, 5, 0] && frames.map(\.1) == [false, false, false, false, false, true])
      var sent: [Int64] = []
      for case .sent(let count, let total) in delegate.events.all.map(\.event) {
        sent.append(count)
        #expect(total == -1)
      }
      #expect(sent == [1, 3, 6, 10, 15])
      #expect(peer.requests.all[0].request["content-length"] == nil)
    }
  }

  @Test func aStreamThatWaitsHoldsUpNobodyElse() async throws {
    try await http2Scene {
      answer($0, $1)
    } test: { client, peer in
      let (stream, pieces) = AsyncStream.makeStream(of: [UInt8].self)
      let delegate = RecordingDelegate()
      client.submit(await peer.request("/slow", method: .post, body: .stream(HttpBodyStream(once: stream))), delegate: delegate)
      for kind in UploadKind.allCases {
        let upload = try Upload(kind)
        _ = try await client.send(await put(peer, upload))
        try upload.expect(try #require(peer.requests.all.last).request)
      }
      #expect(delegate.outcomes.count == 0)
      pieces.yield([1])
      pieces.finish()
      #expect(try await delegate.outcomes.first(1)[0].event.response?.text == "ok")
      #expect(peer.accepted.count == 1)
    }
  }

  @Test(arguments: [false, true]) func aBodyThatFailsResetsItsStreamAlone(isFile: Bool) async throws {
    try await http2Scene(settings: [Setting.initialWindow: 300_000]) { server, index in
      answer(server, index)
      server.givesWindows = false
      server.send(.windowUpdate(0, 100_000_000))
    } test: { client, peer in
      let directory = try TemporaryDirectory()
      let (stream, pieces) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
      let body: HttpBody = isFile ? .file(try directory.sparse("shrinks", 10 << 20)) : .stream(HttpBodyStream(once: stream))
      pieces.yield([UInt8](repeating: 0, count: 200_000))
      let delegate = RecordingDelegate()
      client.submit(await peer.request("/upload", method: .put, body: body), delegate: delegate)
      try await waitUntil("some of the body") { peer.servers.first?.requests[1]?.bodyCount ?? 0 >= (isFile ? 300_000 : 200_000) }
      try directory.write("shrinks", [])
      pieces.finish(throwing: UploadFailureTests.Torn())
      await peer.with(0) { $0.send(.windowUpdate(1, 10_000_000)) }
      let error = try #require(try await delegate.outcomes.first(1)[0].event.error)
      #expect(error.code == .invalidRequest && error.field == "body" && error.sent == .maybeSent, "\(error)")
      #expect(error.message.contains(isFile ? "shrinks has become shorter" : "the wire is torn"))
      #expect(try await client.send(await peer.request("/next")).text == "ok")
      #expect(peer.requests.count == 1, "the peer saw no whole upload")
      #expect(await peer.with(0) { $0.resets(1) } == [Http2ErrorCode.cancel.rawValue])
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func aFileThatCannotBeReadCostsNoStream() async throws {
    try await http2Scene {
      answer($0, $1)
    } test: { client, peer in
      let error = try await client.failure(await peer.request(method: .put, body: .file("/none")))
      #expect(error.code == .invalidRequest && error.sent == .notSent)
      #expect(peer.accepted.count == 0)
    }
  }
}

extension Http2Peer {
  /// Has `body` run when the next frame of a body comes.
  func onData(_ index: Int, _ body: @escaping @LoopActor () -> Void) {
    servers[index].onFrame = { server, frame in
      guard frame.isA(.data) else { return }
      server.onFrame = nil
      body()
    }
  }
}
