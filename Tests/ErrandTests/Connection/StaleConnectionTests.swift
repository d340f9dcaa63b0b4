import EventLoop
import HttpWire
import Testing

@testable import Errand

/// A kept-alive connection that the server closes as the next request is written.
@Suite(.timeLimit(.minutes(2))) struct StaleConnectionTests {
  enum Written: CaseIterable {
    /// The server had closed already: the write itself fails or finds the end.
    case none
    /// The server closes after the request's head, of a body that is still being written.
    case part
    /// The server closes when it has read all of it.
    case whole
  }

  struct Row: CustomTestStringConvertible {
    let method: HttpMethod
    let hasKey: Bool
    let written: Written
    let isReset: Bool

    var isRepeatable: Bool { hasKey || method.isIdempotent }
    var testDescription: String { "\(method), \(written), \(hasKey ? "with" : "without") key, \(isReset ? "reset" : "closed")" }

    static let all = [HttpMethod.get, .head, .put, .delete, .post, .patch].flatMap { method in
      [false, true].flatMap { hasKey in
        [Written.part, .whole].flatMap { written in
          [false, true].map { Row(method: method, hasKey: hasKey, written: written, isReset: $0) }
        }
      }
    }
  }

  @Test(arguments: Row.all) func itIsTriedOnceMoreWhereThatIsSafeAndOtherwiseSaysWhatWasSent(row: Row) async throws {
    try await scene { connection, request in
      if request.target == "/again", connection.number == 1 {
        if row.isReset { connection.reset() } else { connection.close() }
      } else {
        connection.answer()
      }
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url("/first")))
      let heads = Record<String>("heads of the second request")
      await peer.watchHeads { connection, head in
        guard head.target == "/again" else { return false }
        heads.add(head.target)
        guard row.written == .part, connection.number == 1 else { return false }
        if row.isReset { connection.reset() } else { connection.close() }
        return true
      }
      var request = HttpRequest(await peer.url("/again"), method: row.method)
      if row.hasKey { request.headers.append("Idempotency-Key", "k1") }
      if row.method != .get, row.method != .head {
        request.body = .bytes([UInt8](repeating: 0x62, count: row.written == .part ? 4 << 20 : 100_000))
      }
      if row.isRepeatable {
        let response = try await client.send(request)
        #expect(response.attempts == 2)
        #expect(heads.count == 2)
        #expect(peer.accepted.count == 2)
      } else {
        let error = try await client.failure(request)
        #expect(error.code == .connectionLost)
        #expect(error.sent == .maybeSent)
        #expect(!error.retryable)
        #expect(error.attempts == 1)
        #expect(heads.count == 1)
        #expect(peer.accepted.count == 1)
      }
    }
  }

  @Test(arguments: [HttpMethod.post, .patch, .get]) func aConnectionFoundClosedBeforeAByteWasWrittenIsReplacedForAnyMethod(
    method: HttpMethod
  ) async throws {
    try await scene { connection, _ in
      connection.answer()
      connection.reset()
    } test: { client, peer in
      // The server's end is known to be gone, yet the client has not looked: the end comes in the turn in which the connection is taken.
      let sink = RecordingSink()
      let url = await peer.url()
      for round in 1...20 {
        await client.onLoop { client in _ = client.submitOnLoop(HttpRequest(url, method: method), sink: sink) }
        let outcomes = try await sink.outcomes.first(round)
        if case .failed(let error) = outcomes[round - 1].outcome {
          #expect(method == .post || method == .patch)
          #expect(error.code == .connectionLost && error.sent == .maybeSent)
        }
      }
    }
  }

  @Test func aConnectionClosedWhileIdleIsNotUsedAgain() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url()))
      await peer.connections[0].close()
      try await client.wait("the idle connection's end") { $0.engine.pool.openCount == 0 }
      let response = try await client.send(HttpRequest(await peer.url(), method: .post))
      #expect(response.attempts == 1)
      #expect(peer.accepted.count == 2)
    }
  }

  @Test func theNewConnectionMayBeLostTooAndIsNotReplacedAgain() async throws {
    try await scene { connection, request in
      if request.target == "/again" { connection.close() } else { connection.answer() }
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url("/first")))
      let error = try await client.failure(HttpRequest(await peer.url("/again")))
      #expect(error.code == .connectionLost && error.sent == .maybeSent && error.retryable && error.attempts == 2)
      #expect(peer.requests.all.map(\.target) == ["/first", "/again", "/again"])
    }
  }

  @Test func aConnectionThatWasNeverUsedBeforeIsNotStale() async throws {
    try await scene { connection, _ in
      connection.close()
    } test: { client, peer in
      let error = try await client.failure(HttpRequest(await peer.url()))
      #expect(error.code == .connectionLost && error.attempts == 1)
      #expect(peer.requests.count == 1)
    }
  }

  @Test func aResponseThatHasBegunIsNeverAskedForAgain() async throws {
    try await scene { connection, request in
      if request.target == "/again" {
        connection.write("HTTP/1.1 200 O")
        connection.close()
      } else {
        connection.answer()
      }
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url("/first")))
      let error = try await client.failure(HttpRequest(await peer.url("/again")))
      #expect(error.code == .truncated && error.sent == .sent && error.attempts == 1)
      #expect(peer.requests.count == 2)
    }
  }
}
