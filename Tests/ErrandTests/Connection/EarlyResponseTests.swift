import EventLoop
import HttpWire
import Testing

@testable import Errand

/// A complete response that arrives before the upload has ended.
@Suite(.timeLimit(.minutes(2))) struct EarlyResponseTests {
  enum Ending: CaseIterable {
    /// Stays open and reads no more.
    case stays
    /// Keeps reading the rest.
    case drains
    case closes
    case resets
    /// The response has no length and ends with the connection.
    case untilClose
  }

  @Test(arguments: Ending.allCases) func itIsDeliveredAndItsConnectionNotUsedAgain(ending: Ending) async throws {
    try await scene { connection, _ in
      connection.answer("next")
    } test: { client, peer in
      await peer.watchHeads { connection, head in
        guard head.target == "/upload" else { return false }
        switch ending {
        case .stays, .drains: connection.answer("early")
        case .closes, .resets: connection.answer("early", status: 201)
        case .untilClose: connection.write("HTTP/1.1 200 OK\r\n\r\nearly")
        }
        if ending == .closes || ending == .untilClose { connection.close() }
        // What was written reaches the client before the reset does.
        if ending == .resets { EventLoop.shared.atEndOfTurn { after(.milliseconds(50)) { connection.reset() } } }
        return ending != .drains
      }
      var request = HttpRequest(await peer.url("/upload"), method: .put)
      request.body = .bytes([UInt8](repeating: 0x63, count: 16 << 20))
      if ending == .closes || ending == .untilClose {
        // Closing with unread bytes resets, which may overtake the answer: then it is a loss, and says so.
        do throws(HttpClientError) {
          let response = try await client.send(request)
          #expect(response.text == "early")
        } catch {
          #expect([.connectionLost, .truncated].contains(error.code) && error.sent == .maybeSent)
        }
      } else {
        let response = try await client.send(request)
        #expect(response.text == "early")
      }
      let next = try await client.send(HttpRequest(await peer.url("/next")))
      #expect(next.text == "next")
      #expect(peer.requests.all.last?.connection == 2)
    }
  }

  @Test func aResponseUntilCloseThatIsThereWhenTheUploadBreaksIsRead() async throws {
    try await withTemporaryPath { path in
      // A Unix socket keeps what was written when its writer closes.
      try await scene(on: try .unix(path)) { _, _ in
      } test: { client, peer in
        await peer.watchHeads { connection, _ in
          connection.write("HTTP/1.1 200 OK\r\n\r\nearly and whole")
          connection.close()
          return true
        }
        var request = HttpRequest(await peer.url(), method: .put)
        request.unixSocket = path
        request.body = .bytes([UInt8](repeating: 0x63, count: 8 << 20))
        do throws(HttpClientError) {
          let response = try await client.send(request)
          #expect(response.text == "early and whole" && response.lengthUnknown)
        } catch {
          #expect([.connectionLost, .truncated].contains(error.code), "\(error)")
        }
      }
    }
  }

  @Test func theHeadMayComeEarlyAndTheBodyAfterTheUpload() async throws {
    try await scene { connection, request in
      connection.write("2\r\nok\r\n0\r\n\r\n")
    } test: { client, peer in
      await peer.watchHeads { connection, _ in
        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        return false
      }
      for _ in 0..<2 {
        var request = HttpRequest(await peer.url(), method: .put)
        request.body = .bytes([UInt8](repeating: 0x63, count: 4 << 20))
        let response = try await client.send(request)
        #expect(response.text == "ok")
      }
      #expect(peer.requests.all.map(\.connection) == [1, 1], "the exchange was whole on both sides")
      #expect(peer.requests.all.map(\.bodyCount) == [4 << 20, 4 << 20])
    }
  }
}
