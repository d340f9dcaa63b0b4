import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Bodies that can't be sent, or not to their end.
@Suite(.timeLimit(.minutes(2))) struct UploadFailureTests {
  struct Torn: Error, CustomStringConvertible { let description = "the wire is torn" }

  @Test(arguments: [false, true]) func aFileThatCannotBeReadIsFoundBeforeAnythingIsConnected(isForm: Bool) async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let directory = try TemporaryDirectory()
      #expect(mkfifo(directory.file("pipe"), 0o600) == 0)
      for path in [directory.file("none"), directory.path, directory.file("pipe"), "/dev/zero", ""] {
        let body: HttpBody = isForm ? .multipart([.file("f", path)]) : .file(path)
        let error = try await client.failure(HttpRequest(await peer.url(), body: body))
        #expect(error.code == .invalidRequest && error.field == "body" && error.message.contains(path), "\(error)")
        #expect(error.sent == .notSent && !error.retryable)
      }
      #expect(peer.accepted.count == 0)
    }
  }

  @Test func aPartsContentTypeIsCheckedBeforeAnythingIsConnected() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let directory = try TemporaryDirectory()
      for part in [
        MultipartPart.data("n", [], contentType: "a/b\r\nX: y"), .file("n", try directory.write("f", []), contentType: "a/b\r\nX: y"),
      ] {
        let error = try await client.failure(HttpRequest(await peer.url(), body: .multipart([part])))
        #expect(error.code == .invalidRequest && error.field == "body" && error.message.contains("\"n\""), "\(error)")
      }
      #expect(peer.accepted.count == 0)
    }
  }

  @Test func onAKeptConnectionItCostsNothing() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url()))
      let error = try await client.failure(HttpRequest(await peer.url(), body: .file("/none")))
      #expect(error.code == .invalidRequest)
      _ = try await client.send(HttpRequest(await peer.url()))
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func anAbandonedStreamOfNegativeLengthIsRefused() async throws {
    let client = HttpClient(.test)
    let body = HttpBodyStream(length: -1) { AsyncStream<[UInt8]> { $0.finish() } }
    let error = try await client.failure(HttpRequest("http://127.0.0.1:1/", body: .stream(body)))
    #expect(error.code == .invalidRequest && error.field == "body")
    await expectNothingLeft(client)
  }

  @Test func aStreamThatWasSentIsRefusedTheSecondTime() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let (stream, pieces) = AsyncStream.makeStream(of: [UInt8].self)
      pieces.yield([1])
      pieces.finish()
      let request = HttpRequest(await peer.url(), body: .stream(HttpBodyStream(once: stream)))
      _ = try await client.send(request)
      let error = try await client.failure(request)
      #expect(error.code == .cannotReplayBody && error.sent == .notSent, "\(error)")
      #expect(peer.requests.count == 1)
    }
  }

  enum Fault: CaseIterable { case shrinks, throwsError, fallsShort, givesTooMuch }

  /// A body of `size` bytes of which at least the first MiB can be sent, and that fails when the gate is opened.
  private func body(_ fault: Fault, _ size: Int, _ directory: TemporaryDirectory) throws -> (HttpBody, fail: @Sendable () throws -> Void) {
    if fault == .shrinks {
      let path = try directory.sparse("shrinks", size)
      return (.file(path), { try directory.resize("shrinks", to: 1_048_576) })
    }
    let (stream, pieces) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
    pieces.yield([UInt8](repeating: 0, count: 1_048_576))
    return (
      .stream(HttpBodyStream(once: stream, length: Int64(size))),
      {
        if fault == .givesTooMuch { pieces.yield([UInt8](repeating: 0, count: size)) }
        pieces.finish(throwing: fault == .throwsError ? Torn() : nil)
      }
    )
  }

  private func expect(_ error: HttpClientError, _ fault: Fault) {
    #expect(error.code == .invalidRequest && error.field == "body" && error.sent == .maybeSent && !error.retryable, "\(error)")
    let words =
      switch fault {
      case .shrinks: "shrinks has become shorter"
      case .throwsError: "the wire is torn"
      case .fallsShort: "ended after 1048576 of the"
      case .givesTooMuch: "gave more than the"
      }
    #expect(error.message.contains(words), "\(error)")
  }

  @Test(arguments: Fault.allCases) func aBodyThatFailsOnItsWayNeverLooksWhole(fault: Fault) async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let directory = try TemporaryDirectory()
      // More than the kernel holds for a peer that does not read.
      let (body, fail) = try body(fault, 64 << 20, directory)
      await peer.watchHeads { connection, head in head.target == "/upload" }
      var request = HttpRequest(await peer.url("/upload"), method: .put, body: body)
      request.retry.max = 3
      let delegate = RecordingDelegate()
      let handle = client.submit(request, delegate: delegate)
      try await client.wait(for: handle) { $0.written > 300_000 }
      try fail()
      // A file is looked at again when the kernel takes more of it.
      for connection in await peer.connections { await connection.resumeReading() }
      let error = try #require(try await delegate.outcomes.first(1)[0].event.error)
      expect(error, fault)
      #expect(error.attempts == 1)
      try await peer.closed.first(1)
      #expect(peer.requests.count == 0, "the peer saw no whole request")
      #expect(await client.stats().openConnections == 0)
    }
  }

  @Test func aStreamOfUnknownLengthThatFailsHasNoLastChunk() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let body = HttpBodyStream {
        AsyncThrowingStream<[UInt8], any Error> { pieces in
          pieces.yield([1, 2, 3])
          pieces.finish(throwing: Torn())
        }
      }
      let error = try await client.failure(HttpRequest(await peer.url(), body: .stream(body)))
      #expect(error.code == .invalidRequest && error.message == "the body's stream failed: the wire is torn")
      try await peer.closed.first(1)
      #expect(peer.requests.count == 0)
    }
  }

  @Test func aFileThatGrowsIsSentAsLongAsItWas() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let directory = try TemporaryDirectory()
      let path = try directory.sparse("grows", 32 << 20)
      await peer.watchHeads { connection, head in head.target == "/upload" }
      let delegate = RecordingDelegate()
      let handle = client.submit(HttpRequest(await peer.url("/upload"), method: .put, body: .file(path)), delegate: delegate)
      try await client.wait(for: handle) { $0.written > 300_000 }
      try directory.resize("grows", to: 100 << 20)
      for connection in await peer.connections { await connection.resumeReading() }
      #expect(try await delegate.outcomes.first(1)[0].event.response?.status == 200)
      #expect(peer.requests.all[0].bodyCount == 32 << 20)
    }
  }

  @Test func aStreamThatStallsRunsIntoTheIdleTimer() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let (stream, pieces) = AsyncStream.makeStream(of: [UInt8].self)
      var request = HttpRequest(await peer.url(), body: .stream(HttpBodyStream(once: stream)))
      request.timeouts.idle = .milliseconds(300)
      pieces.yield([1])
      let error = try await client.failure(request)
      #expect(error.code == .timeout && error.phase == .idle && error.sent == .maybeSent, "\(error)")
      #expect(peer.requests.count == 0)
    }
  }

  @Test func aSlowStreamDoesNot() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let body = HttpBodyStream {
        AsyncStream<[UInt8]> { pieces in
          Task {
            for _ in 0..<16 {
              await pause(.milliseconds(250))
              pieces.yield([1])
            }
            pieces.finish()
          }
        }
      }
      var request = HttpRequest(await peer.url(), body: .stream(body))
      request.timeouts.idle = .seconds(3)
      let start = Instant.now()
      let response = try await client.send(request)
      #expect(response.status == 200 && peer.requests.all[0].bodyCount == 16)
      #expect(start.duration(to: .now()) > .seconds(3))
    }
  }
}
