import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) struct ExpectContinueTests {
  private func request(_ url: String, _ count: Int = 100_000) -> HttpRequest {
    HttpRequest(url, method: .post, headers: ["Expect": "100-continue"], body: .bytes([UInt8](repeating: 0x64, count: count)))
  }

  @Test(arguments: [10, 100_000]) func aServerThatSaysNothingGetsTheBodyAfterAShortWait(count: Int) async throws {
    let start = Instant.now()
    try await scene(.test { $0.expectContinueWait = .milliseconds(100) }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let response = try await client.send(request(await peer.url(), count))
      #expect(response.status == 200)
      #expect(start.duration(to: .now()) >= .milliseconds(100))
      #expect(peer.requests.all[0].bodyCount == count)
      _ = try await client.send(HttpRequest(await peer.url()))
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func theBodyFollowsA100AtOnce() async throws {
    try await scene(.test { $0.expectContinueWait = .seconds(20) }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      await peer.watchHeads { connection, _ in
        connection.write("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
        return false
      }
      let response = try await client.send(request(await peer.url()))
      #expect(response.interim.map(\.status) == [103, 100])
      #expect(peer.requests.all[0].bodyCount == 100_000)
    }
  }

  @Test func aRefusalIsDeliveredAndTheBodyNeverSent() async throws {
    try await scene(.test { $0.expectContinueWait = .seconds(4) }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let received = Record<Int>("bytes")
      await peer.watchHeads { connection, head in
        guard head.headers.contains("Expect") else { return false }
        connection.write("HTTP/1.1 417 No\r\nContent-Length: 4\r\n\r\nno")
        after(.milliseconds(4_500)) {
          received.add(connection.receivedCount)
          connection.write("!\n")
        }
        return false
      }
      let error = try await client.failure(request(await peer.url()))
      #expect(error.code == .httpStatus && error.status == 417 && error.response?.text == "no!\n")
      let bytes = try await received.first(1)
      #expect(bytes[0] < 1_000, "only the head came")
      let next = try await client.send(HttpRequest(await peer.url()))
      #expect(next.status == 200)
      #expect(peer.accepted.count == 2, "the connection of a request that was not whole is not used again")
    }
  }

  @Test func cancelledWhileTheBodyWaitsItIsNeverSent() async throws {
    try await scene(.test { $0.expectContinueWait = .seconds(60) }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let delegate = RecordingDelegate(.uploadProgress)
      let handle = client.submit(request(await peer.url()), delegate: delegate)
      try await client.wait(for: handle) { $0.written > 0 && $0.holdsBody }
      let receipt = await client.cancel(handle)
      #expect(receipt.result == .cancelled && receipt.sent == .maybeSent && receipt.bytesWritten < 1_000)
      try await delegate.outcomes.first(1)
      #expect(delegate.events.all.map(\.event.name) == ["cancelled"], "none of the body was sent, and none told of")
      #expect(peer.requests.count == 0)
    }
  }

  @Test func withoutABodyThereIsNothingToExpect() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url(), method: .post, headers: ["Expect": "100-continue"]))
      #expect(peer.requests.all[0].head.headers["Expect"] == nil)
    }
  }
}
