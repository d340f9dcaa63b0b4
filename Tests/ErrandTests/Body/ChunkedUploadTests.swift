import EventLoop
import HttpServer
import TestSupport
import Testing

@testable import Errand

/// What goes out for a body of unknown length, byte for byte.
@Suite(.timeLimit(.minutes(2))) struct ChunkedUploadTests {
  /// Keeps all that it reads, and answers when told.
  @LoopActor
  final class RawPeer {
    private let server = HttpServer()
    private var connection: RawConnection?
    private(set) var received: [UInt8] = []
    private(set) var url = ""

    nonisolated init() {}

    func start() throws {
      server.onAccept = { [unowned self] connection in
        self.connection = connection
        connection.onBytes = { [unowned self] in received += $0 }
        connection.onEnd = { connection.close() }
        return true
      }
      url = "http://\(try server.listen(on: .loopback(port: 0)))/"
    }

    func write(_ text: String) { connection?.write(text) }

    /// What came after the head.
    func body() -> String? {
      let text = String(decoding: received, as: UTF8.self)
      return text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) }
    }

    func expect(_ body: String, _ sourceLocation: SourceLocation = #_sourceLocation) async throws {
      try await waitUntil("a body") { self.body()?.utf8.count ?? 0 >= body.utf8.count }
      // Nothing more comes.
      await loopTurn()
      #expect(self.body() == body, sourceLocation: sourceLocation)
    }

    func stop() async {
      await server.close(grace: .zero)
      server.onAccept = nil
      connection?.onBytes = nil
      connection?.onEnd = nil
    }
  }

  private func run(_ test: (HttpClient, RawPeer) async throws -> Void) async throws {
    let peer = RawPeer()
    try await peer.start()
    let client = HttpClient(.test)
    do {
      try await test(client, peer)
    } catch {
      await client.shutdown(grace: .zero)
      await peer.stop()
      throw error
    }
    await expectNothingLeft(client)
    await peer.stop()
  }

  @Test func eachPieceIsAChunkAsItComes() async throws {
    try await run { client, peer in
      let (stream, pieces) = AsyncStream.makeStream(of: [UInt8].self)
      let delegate = RecordingDelegate()
      client.submit(HttpRequest(await peer.url, body: .stream(HttpBodyStream(once: stream))), delegate: delegate)
      try await peer.expect("")
      let head = String(decoding: await peer.received, as: UTF8.self)
      #expect(
        head.hasPrefix("POST / HTTP/1.1\r\n") && head.contains("\r\nTransfer-Encoding: chunked\r\n") && !head.contains("Content-Length"))
      var expected = ""
      for piece in ["a", "0123456789abcdef", "\r\n0\r\n\r\n", String(repeating: "x", count: 300)] {
        pieces.yield(Array(piece.utf8))
        expected += "\(String(piece.utf8.count, radix: 16, uppercase: true))\r\n\(piece)\r\n"
        try await peer.expect(expected)
      }
      pieces.yield([])
      pieces.finish()
      try await peer.expect(expected + "0\r\n\r\n")
      await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      try await delegate.outcomes.first(1)
      let received = await peer.received
      #expect(received.count == head.utf8.count + expected.utf8.count + 5)
    }
  }

  @Test func anEmptyStreamIsTheLastChunkAlone() async throws {
    try await run { client, peer in
      let delegate = RecordingDelegate()
      let body = HttpBodyStream { AsyncStream<[UInt8]> { $0.finish() } }
      client.submit(HttpRequest(await peer.url, method: .put, body: .stream(body)), delegate: delegate)
      try await peer.expect("0\r\n\r\n")
      await peer.write("HTTP/1.1 204 No Content\r\n\r\n")
      #expect(try await delegate.outcomes.first(1)[0].event.response?.status == 204)
    }
  }

  @Test func withALengthNothingFramesIt() async throws {
    try await run { client, peer in
      let (stream, pieces) = AsyncStream.makeStream(of: [UInt8].self)
      let delegate = RecordingDelegate()
      client.submit(HttpRequest(await peer.url, body: .stream(HttpBodyStream(once: stream, length: 6))), delegate: delegate)
      pieces.yield(Array("abc".utf8))
      try await peer.expect("abc")
      #expect(String(decoding: await peer.received, as: UTF8.self).contains("\r\nContent-Length: 6\r\n"))
      pieces.yield(Array("def".utf8))
      try await peer.expect("abc")
      pieces.finish()
      try await peer.expect("abcdef")
      await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      try await delegate.outcomes.first(1)
    }
  }

  @Test func whileThereIsNothingToSendTheLoopSleeps() async throws {
    try await run { client, peer in
      let (stream, pieces) = AsyncStream.makeStream(of: [UInt8].self)
      let delegate = RecordingDelegate()
      client.submit(HttpRequest(await peer.url, body: .stream(HttpBodyStream(once: stream))), delegate: delegate)
      pieces.yield([0x61])
      try await peer.expect("1\r\na\r\n")
      let before = await EventLoop.shared.turn
      await pause(.milliseconds(300))
      #expect(await EventLoop.shared.turn - before < 100)
      let text = await client.list().first?.explanation
      #expect(text?.contains("waits for the rest of its body") == true, "\(text ?? "none")")
      pieces.finish()
      try await peer.expect("1\r\na\r\n0\r\n\r\n")
      await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      try await delegate.outcomes.first(1)
    }
  }

  @Test func framingFieldsOfTheCallerAreTakenOnlyIfTheyAgree() async throws {
    try await run { client, peer in
      let (url, directory) = (await peer.url, try TemporaryDirectory())
      let stream = HttpBody.stream(HttpBodyStream { AsyncStream<[UInt8]> { $0.finish() } })
      let file = HttpBody.file(try directory.write("f", [1, 2, 3]))
      let rows: [(HttpHeaders, HttpBody)] = [
        (["Content-Length": "0"], stream), (["Transfer-Encoding": "gzip"], stream), (["Content-Length": "4"], file),
        (["Content-Length": "-1"], file), (["Transfer-Encoding": "chunked"], file), (["X": "a\r\nb"], file), (["X": "a\r\nb"], stream),
      ]
      for (headers, body) in rows {
        let error = try await client.failure(HttpRequest(url, headers: headers, body: body))
        #expect(error.code == .invalidRequest && error.field == "headers" && error.sent == .notSent, "\(headers): \(error)")
      }
      #expect(await client.stats().connectionsOpened == 0)
    }
  }
}
