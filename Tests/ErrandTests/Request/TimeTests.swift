import EventLoop
import HttpWire
import Testing

@testable import Errand

/// Each timer starts with its own phase, and the error names it.
@Suite(.timeLimit(.minutes(2))) struct TimeTests {
  private func timeouts(_ change: (inout Timeouts) -> Void) -> Timeouts {
    var timeouts = Timeouts()
    change(&timeouts)
    return timeouts
  }

  @Test func aServerThatSendsOneByteAtATimeRunsIntoTheTotalTimerAndNotTheIdleOne() async throws {
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
      drip([UInt8](repeating: 0x61, count: 1_000)[...], to: connection, every: .milliseconds(20))
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.timeouts = timeouts {
        $0.idle = .milliseconds(2_000)
        $0.total = .milliseconds(4_000)
      }
      let error = try await client.failure(request)
      #expect(error.code == .timeout && error.phase == .total && error.sent == .sent)
      #expect(error.timings.total >= 4_000_000)
      try await peer.closed.first(1)
    }
  }

  @Test func aBodyThatStopsRunsIntoTheIdleTimer() async throws {
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nsome")
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.timeouts.idle = .milliseconds(30)
      let error = try await client.failure(request)
      #expect(error.code == .timeout && error.phase == .idle && error.sent == .sent && error.retryable)
      #expect(error.message.contains("body"))
    }
  }

  @Test func aServerThatNeverAnswersRunsIntoTheFirstByteTimer() async throws {
    try await scene { _, _ in
    } test: { client, peer in
      for (method, isRetryable) in [(HttpMethod.get, true), (.post, false)] {
        var request = HttpRequest(await peer.url(), method: method)
        request.timeouts.firstByte = .milliseconds(30)
        let error = try await client.failure(request)
        #expect(error.code == .timeout && error.phase == .firstByte && error.sent == .sent && error.retryable == isRetryable)
      }
    }
  }

  @Test func interimResponsesDoNotPutTheFirstByteTimerOff() async throws {
    try await scene { connection, _ in
      for index in 0..<15 { after(.milliseconds(100 * (index + 1))) { connection.write("HTTP/1.1 102 Processing\r\n\r\n") } }
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.timeouts.firstByte = .milliseconds(400)
      let error = try await client.failure(request)
      #expect(error.code == .timeout && error.phase == .firstByte)
    }
  }

  @Test func aConnectionThatIsNeverMadeRunsIntoTheConnectTimer() async throws {
    let full = try FullListener()
    defer { full.close() }
    let client = HttpClient(.test)
    var request = HttpRequest(full.url)
    request.timeouts.connect = .milliseconds(30)
    let error = try await client.failure(request)
    #expect(error.code == .timeout && error.phase == .connect && error.sent == .notSent && error.retryable)
    await expectNothingLeft(client)
  }

  @Test func anUploadThatIsNotTakenRunsIntoTheIdleTimer() async throws {
    try await scene { _, _ in
    } test: { client, peer in
      await peer.stopReadingNewConnections()
      var request = HttpRequest(await peer.url(), body: .bytes([UInt8](repeating: 0x61, count: 32 << 20)))
      request.timeouts.idle = .milliseconds(100)
      request.timeouts.firstByte = .milliseconds(10)
      let error = try await client.failure(request)
      #expect(error.code == .timeout && error.phase == .idle && error.sent == .maybeSent && !error.retryable)
    }
  }

  @Test func anUploadThatGoesOnKeepsTheIdleTimerOffThoughTheHeadCameEarly() async throws {
    try await scene { connection, _ in
      connection.write("2\r\nok\r\n0\r\n\r\n")
    } test: { client, peer in
      await peer.watchHeads { connection, _ in
        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        // Takes a piece of the upload at a time, for longer in all than the idle timer.
        breathe(connection, 70)
        return false
      }
      var request = HttpRequest(await peer.url(), method: .put)
      request.body = .bytes([UInt8](repeating: 0x63, count: 24 << 20))
      request.timeouts.idle = .milliseconds(4_000)
      let response = try await client.send(request)
      #expect(response.text == "ok")
    }
  }

  @Test func theTotalTimerRunsOverRetriesAndBackOffs() async throws {
    try await scene { connection, request in
      // The second try is never answered.
      if request.number == 1 { connection.answer(status: 503, fields: "Retry-After: 1\r\n") }
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.retry.max = 5
      request.timeouts.total = .milliseconds(2_500)
      let error = try await client.failure(request)
      #expect(error.code == .timeout && error.phase == .total && error.sent == .sent && error.attempts == 2)
      #expect(error.timings.total < 3_400_000, "not from the second try on")
    }
  }

  @Test func zeroMeansNoTimer() async throws {
    let configuration = HttpClient.Configuration.test {
      $0.timeouts = Timeouts(queue: .zero, connect: .zero, firstByte: .zero, idle: .zero, total: .zero)
      $0.keepAlive = .zero
    }
    try await scene(configuration) { connection, _ in
      after(.milliseconds(20)) { connection.answer() }
    } test: { client, peer in
      let response = try await client.send(HttpRequest(await peer.url()))
      #expect(response.status == 200)
    }
  }

  @Test func timingsSayHowLongEachPhaseTook() async throws {
    try await scene { connection, _ in
      after(.milliseconds(30)) { connection.answer() }
    } test: { client, peer in
      let first = try await client.send(HttpRequest(await peer.url()))
      #expect(first.timings.queue != nil && first.timings.connect != nil)
      #expect((first.timings.firstByte ?? 0) >= 30_000 && first.timings.total >= first.timings.firstByte ?? .max)
      let second = try await client.send(HttpRequest(await peer.url()))
      #expect(second.timings.connect == nil, "there was none")
    }
  }
}

/// Reads for a moment and stops for a moment, some times; then reads on.
@LoopActor
private func breathe(_ connection: PeerConnection, _ times: Int) {
  guard times > 0, connection.isOpen else { return connection.resumeReading() }
  connection.stopReading()
  after(.milliseconds(60)) {
    connection.resumeReading()
    after(.milliseconds(1)) { breathe(connection, times - 1) }
  }
}
