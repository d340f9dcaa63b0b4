import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Bodies that are received faster than they are decoded or taken.
@Suite(.timeLimit(.minutes(3))) struct PendingDecodingTests {
  private static let size = 8 << 20

  private func incompressible(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: 12)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes += $0 } }
    return bytes
  }

  /// A request whose message has ended, with output pending because its delegate does not take it.
  private func staged(
    _ change: (inout HttpRequest) -> Void = { _ in },
    _ body: (HttpClient, ScriptedPeer, RequestHandle, RecordingDelegate, _ release: @Sendable () -> Void) async throws -> Void
  ) async throws {
    let coded = try await CodedResponse([UInt8](repeating: 0x61, count: Self.size))
    try await scene(.test { $0.maxDecodedRatio = .max }) { connection, request in
      if request.target == "/" { connection.write(coded.whole) } else { connection.answer("other") }
    } test: { client, peer in
      let gate = Gate()
      defer { gate.open() }
      let delegate = RecordingDelegate(.bodyChunks, before: { _ in gate.pass() })
      var request = HttpRequest(await peer.url())
      change(&request)
      let handle = client.submit(request, delegate: delegate)
      try await client.wait(for: handle) { $0.decoding?.hasEnded == true && $0.untaken >= RequestItem.untakenLimit }
      try await body(client, peer, handle, delegate) { gate.open() }
    }
  }

  @Test func `decoding outlives the message, whose connection serves others meanwhile`() async throws {
    try await staged { client, peer, handle, delegate, release in
      let untaken = await client.onLoop { $0.engine.table[handle]?.untaken ?? 0 }
      #expect(untaken <= 1_048_576 + 262_144)
      let description = try #require(await client.describe(handle))
      #expect(description.state == "receiving" && description.explanation == "has received its response and decodes it")
      // One that waits is not behind the delegate.
      #expect(try await client.response(HttpRequest(await peer.url("/other"))).text == "other")
      #expect(peer.accepted.count == 1)
      release()
      let outcome = try await delegate.outcomes.first(1)[0].event
      #expect(delegate.body == [UInt8](repeating: 0x61, count: Self.size))
      let response = try #require(outcome.response)
      #expect(response.body.isEmpty && response.wasDecoded && (response.encodedByteCount ?? 0) < 100_000)
      #expect(delegate.events.all.last?.event.isOutcome == true)
    }
  }

  @Test func `a cancel while decoding is pending is the last thing that is told`() async throws {
    try await staged { client, _, handle, delegate, release in
      let receipt = try await client.cancelEach([handle])[0]
      #expect(receipt.result == .cancelled && receipt.sent == .sent && receipt.connection == .kept && receipt.bytesWritten > 0)
      release()
      let outcome = try await delegate.outcomes.first(1)[0].event
      guard case .cancelled(receipt) = outcome else { throw Late(description: "\(outcome)") }
      await loopTurn()
      // The chunk that the delegate was being told of as the cancel came.
      #expect(delegate.events.all.map(\.event.name).filter { $0 == "chunk" }.count <= 1)
    }
  }

  @Test func `the total time counts while decoding is pending`() async throws {
    try await staged {
      $0.timeouts.total = .milliseconds(300)
    } _: { client, _, handle, delegate, release in
      try await client.wait("the end") { $0.engine.table[handle].map { $0.machine.state == .ended } ?? true }
      release()
      let error = try #require(try await delegate.outcomes.first(1)[0].event.error)
      #expect(error.code == .timeout && error.phase == .total && error.sent == .sent)
    }
  }

  @Test func `a shutdown while decoding is pending gives one outcome`() async throws {
    try await staged { client, _, handle, delegate, release in
      let end = Record<Bool>("the end of the shutdown")
      Task {
        await client.shutdown(grace: .zero)
        end.add(true)
      }
      try await client.wait("the end") { $0.engine.table[handle].map { $0.machine.state == .ended } ?? true }
      release()
      try await end.first(1)
      #expect(delegate.outcomes.all.map(\.event.name) == ["cancelled"])
    }
  }

  @Test(arguments: CodedFormat.allCases) func `a slow delegate holds the server back`(format: CodedFormat) async throws {
    let plain = incompressible(Self.size)
    let coded = try await CodedResponse(plain, format)
    try await scene { connection, _ in
      connection.write(coded.head(length: coded.coded.count))
      pour(coded.coded, into: connection)
    } test: { client, peer in
      let gate = Gate()
      defer { gate.open() }
      let delegate = RecordingDelegate(.bodyChunks, before: { _ in gate.pass() })
      let handle = client.request(await peer.url(), delegate: delegate)
      try await client.wait(for: handle) { $0.connection?.isPaused($0) == true && $0.untaken >= RequestItem.untakenLimit }
      let received = await client.onLoop { $0.engine.table[handle]?.receivedCount ?? 0 }
      #expect(received <= 1_048_576 + 3 * 262_144, "the limit, what was read in one piece, and what its blocks hold back")
      await loopTurn()
      let later = await client.onLoop { $0.engine.table[handle]?.receivedCount ?? 0 }
      #expect(later == received)
      gate.open()
      let response = try #require(try await delegate.outcomes.first(1)[0].event.response)
      #expect(delegate.body == plain && response.encodedByteCount == Int64(coded.coded.count))
    }
  }

  @Test func `the time of pending decoding is not the server's idle time`() async throws {
    let coded = try await CodedResponse(incompressible(Self.size))
    try await scene { connection, _ in
      connection.write(coded.head(length: coded.coded.count))
      pour(coded.coded, into: connection)
    } test: { client, peer in
      let gate = Gate()
      defer { gate.open() }
      let delegate = RecordingDelegate(.bodyChunks, before: { _ in gate.pass() })
      var request = HttpRequest(await peer.url())
      request.timeouts.idle = .seconds(1)
      let handle = client.submit(request, delegate: delegate)
      try await client.wait(for: handle) { $0.connection?.isPaused($0) == true }
      await pause(.milliseconds(1_500))
      gate.open()
      #expect(try await delegate.outcomes.first(1)[0].event.name == "finished")
    }
  }

  @Test func `a connection that ends under pending decoding fails the request`() async throws {
    let coded = try await CodedResponse([UInt8](repeating: 0x61, count: Self.size))
    try await scene(.test { $0.maxDecodedRatio = .max }) { connection, _ in
      connection.write(coded.head(length: coded.coded.count + 1) + coded.coded)
      connection.close()
    } test: { client, peer in
      let gate = Gate()
      defer { gate.open() }
      let delegate = RecordingDelegate(.bodyChunks, before: { _ in gate.pass() })
      client.request(await peer.url(), delegate: delegate)
      try await gate.reached.first(1)
      gate.open()
      #expect(try await delegate.outcomes.first(1)[0].event.error?.code == .truncated)
    }
  }
}
