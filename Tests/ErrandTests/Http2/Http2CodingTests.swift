import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Content codings over HTTP/2.
@Suite(.timeLimit(.minutes(3))) struct Http2CodingTests {
  private func answering(_ coded: [UInt8], _ coding: String) -> @LoopActor (Http2Server, Int) -> Void {
    { server, _ in
      server.onRequest = { server, request in
        guard request.path == "/" else { return server.answer(request.stream, body: Array("other".utf8)) }
        server.answer(request.stream, [("content-encoding", coding)], body: coded)
      }
    }
  }

  @Test(arguments: CodedFormat.allCases) func `a coded body is decoded`(format: CodedFormat) async throws {
    var generator = SeededGenerator(seed: 13)
    let plain = generator.text(1_500_000)
    let coded = try await format.encode(plain)
    try await http2Scene(.test, answering(coded, format.coding)) { client, peer in
      let response = try await client.response(await peer.request())
      #expect(response.body == plain && response.encodedByteCount == Int64(coded.count))
      #expect(peer.requests.all.first?.request["accept-encoding"] == ContentDecoder.acceptEncoding)
    }
  }

  @Test func `bad, cut and unknown codings fail their request alone`() async throws {
    let coded = try await CodedFormat.gzip.encode([UInt8](repeating: 0x61, count: 1_000))
    let cases: [([UInt8], String, HttpClientError.Code)] = [
      (Array(coded.dropLast()), "gzip", .truncated), (Array("<html>in the clear</html>".utf8), "br", .malformedResponse),
      (coded, "lzma", .malformedResponse),
    ]
    for (bytes, coding, code) in cases {
      try await http2Scene(.test, answering(bytes, coding)) { client, peer in
        let error = try await client.failure(await peer.request())
        #expect(error.code == code)
        #expect(try await client.response(await peer.request("/other")).text == "other")
        #expect(peer.accepted.count == 1)
      }
    }
  }

  @Test func `decoding outlives the stream, and a bomb stops`() async throws {
    let coded = try await CodedFormat.gzip.encode([UInt8](repeating: 0x61, count: 8 << 20))
    try await http2Scene(.test, answering(coded, "gzip")) { client, peer in
      let error = try await client.failure(await peer.request())
      #expect(error.code == .tooLarge)
      #expect(try await client.response(await peer.request("/other")).text == "other")
    }
    try await http2Scene(.test { $0.maxDecodedRatio = .max }, answering(coded, "gzip")) { client, peer in
      #expect(try await client.response(await peer.request()).body.count == 8 << 20)
      let gate = Gate()
      defer { gate.open() }
      let delegate = RecordingDelegate(.bodyChunks, before: { _ in gate.pass() })
      let handle = client.submit(await peer.request(), delegate: delegate)
      try await client.wait(for: handle) { $0.decoding?.hasEnded == true && $0.untaken >= RequestItem.untakenLimit }
      #expect(await client.onLoop { $0.engine.table[handle]?.connection == nil })
      gate.open()
      #expect(try await delegate.outcomes.first(1)[0].event.name == "finished")
      #expect(delegate.body.count == 8 << 20)
    }
  }

  @Test func `a slow delegate holds its stream back and no other`() async throws {
    var generator = SeededGenerator(seed: 14)
    let plain = (0..<500_000).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
    let coded = try await CodedFormat.gzip.encode(plain)
    try await http2Scene(.test, answering(coded, "gzip")) { client, peer in
      let gate = Gate()
      defer { gate.open() }
      let delegate = RecordingDelegate(.bodyChunks, before: { _ in gate.pass() })
      let handle = client.submit(await peer.request(), delegate: delegate)
      try await client.wait(for: handle) { $0.connection?.isPaused($0) == true && $0.untaken >= RequestItem.untakenLimit }
      #expect(try await client.response(await peer.request("/other")).text == "other")
      #expect(await peer.with(0) { $0.heldBack } > 0)
      gate.open()
      #expect(try await delegate.outcomes.first(1)[0].event.name == "finished")
      #expect(delegate.body == plain)
    }
  }
}
