import EventLoop
import HttpWire
import Testing

@testable import Errand

/// Responses cut off, stalled and cut into pieces at every byte.
@Suite(.timeLimit(.minutes(2))) struct CutTests {
  private static let head = "HTTP/1.1 200 OK\r\n"
  private static let shapes = [
    "Content-Length: 6\r\n\r\nhello!", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", "\r\nhello!",
  ]

  /// The response whose length is the number in the target is cut there.
  private static func cut(_ whole: [UInt8], at target: String) -> [UInt8] {
    Array(whole.prefix(Int(target.dropFirst()) ?? 0))
  }

  @Test(arguments: shapes, [false, true]) func aResponseCutAtAnyByteIsNeverTakenForAWholeOne(rest: String, isReset: Bool) async throws {
    let whole = Array((CutTests.head + rest).utf8)
    let isUntilClose = rest.hasPrefix("\r\n")
    try await scene { connection, request in
      connection.write(CutTests.cut(whole, at: request.target))
      if isReset { after(.milliseconds(2)) { connection.reset() } } else { connection.close() }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      for count in 0..<whole.count { client.request(await peer.url("/\(count)"), method: .post, delegate: delegate, tag: count) }
      for (info, event) in try await delegate.outcomes.first(whole.count) {
        let count = info.tag ?? 0
        if let response = event.response {
          // Only a close can end a body that has no length, and that shows.
          #expect(isUntilClose && !isReset && count >= CutTests.head.utf8.count + 2, "\(count)")
          #expect(response.lengthUnknown)
          #expect(response.body == Array(whole[(CutTests.head.utf8.count + 2)..<count]))
        } else {
          let error = try #require(event.error)
          // A reset may overtake what was sent before it.
          #expect(
            error.code == (count == 0 ? .connectionLost : .truncated) || isReset && error.code == .connectionLost, "\(count): \(error)")
          #expect(error.sent == (error.code == .connectionLost ? .maybeSent : .sent), "\(count)")
        }
      }
    }
  }

  @Test(arguments: shapes) func aResponseInPiecesOfOneByteIsTheSame(rest: String) async throws {
    let whole = Array((CutTests.head + rest).utf8)
    try await scene { connection, _ in
      drip(whole[...], to: connection)
    } test: { client, peer in
      let response = try await client.send(HttpRequest(await peer.url()))
      #expect(response.text == "hello!")
    }
  }

  @Test(arguments: shapes) func aResponseThatStallsAtAnyByteEndsWithTheTimerOfItsPhase(rest: String) async throws {
    let whole = Array((CutTests.head + rest).utf8)
    let headCount = (CutTests.head + rest).firstRange(of: "\r\n\r\n").map { (CutTests.head + rest)[..<$0.upperBound].utf8.count } ?? 0
    try await scene { connection, request in
      connection.write(CutTests.cut(whole, at: request.target))
    } test: { client, peer in
      let delegate = RecordingDelegate()
      for count in 0..<whole.count {
        var request = HttpRequest(await peer.url("/\(count)"), tag: count)
        request.timeouts = Timeouts(firstByte: .seconds(4), idle: .seconds(2))
        client.submit(request, delegate: delegate)
      }
      for (info, event) in try await delegate.outcomes.first(whole.count) {
        let count = info.tag ?? 0
        let error = try #require(event.error)
        #expect(error.code == .timeout)
        #expect(error.phase == (count < headCount ? .firstByte : .idle), "\(count)")
      }
      try await peer.closed.first(whole.count)
    }
  }
}

/// Writes byte by byte, each in a turn of its own.
@LoopActor
func drip(_ bytes: ArraySlice<UInt8>, to connection: PeerConnection, every interval: Duration = .zero) {
  guard let first = bytes.first, connection.isOpen else { return connection.isOpen ? connection.close() : () }
  connection.write([first])
  after(interval) { drip(bytes.dropFirst(), to: connection, every: interval) }
}
