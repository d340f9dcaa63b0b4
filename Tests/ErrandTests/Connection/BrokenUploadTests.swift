import EventLoop
import HttpWire
import Testing

@testable import Errand

/// Uploads that the server cuts while they are being written, in several sends.
@Suite(.timeLimit(.minutes(2))) struct BrokenUploadTests {
  @Test(arguments: [40_000, 300_000, 900_000, 4_000_000])
  func aRequestThatIsNotRepeatableIsSeenOnceAndNeverCalledNotSent(size: Int) async throws {
    let server = try CuttingServer()
    let client = HttpClient(.test)
    let body = HttpBody.bytes([UInt8](repeating: 7, count: size))
    for round in 1...40 {
      // Half of them go out on a kept connection.
      if round % 2 == 0 { _ = try await client.send(HttpRequest("http://\(server.address)/keep")) }
      let error = try await client.failure(HttpRequest("http://\(server.address)/\(round)", method: .post, body: body))
      #expect(error.code == .connectionLost, "round \(round): \(error)")
      #expect(error.sent != .notSent, "round \(round)")
      #expect(!error.retryable, "round \(round)")
      #expect(error.attempts == 1, "round \(round)")
    }
    #expect(server.cut.all == (1...40).map { "/\($0)" }, "each was seen once")
    server.stop()
    await expectNothingLeft(client)
  }

  @Test func aBodyThatNobodyWantsIsNotReadWithoutEnd() async throws {
    var sent = 0
    try await scene { connection, request in
      guard request.number == 1, request.connection == 1 else { return connection.answer("own") }
      connection.write("HTTP/1.1 503 No\r\nRetry-After: 0\r\nContent-Length: 9000000000000000000\r\n\r\n")
      let piece = [UInt8](repeating: 0, count: 65_536)
      connection.onDrain = { [unowned connection] in while connection.isOpen, connection.write(counted: piece) { sent += piece.count } }
      while connection.isOpen, connection.write(counted: piece) { sent += piece.count }
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.retry.max = 1
      request.maxBodyBytes = 100_000
      request.timeouts.total = .zero
      let response = try await client.send(request)
      #expect(response.text == "own")
    }
  }
}
