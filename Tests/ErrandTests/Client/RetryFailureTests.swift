import EventLoop
import Glibc
import HttpWire
import Testing

@testable import Errand

/// Failures that are tried again, and those that are not.
@Suite(.timeLimit(.minutes(2))) struct RetryFailureTests {
  private func request(_ url: String, _ method: HttpMethod = .get, max: Int = 2) -> HttpRequest {
    var request = HttpRequest(url, method: method)
    request.retry.max = max
    request.retry.baseDelay = .milliseconds(1)
    return request
  }

  // MARK: By what was sent

  @Test func aConnectionThatIsLostIsTriedAgainOnlyWhereThatIsSafe() async throws {
    for (method, key, count) in [
      (HttpMethod.get, false, 3), (.put, false, 3), (.delete, false, 3), (.post, false, 1), (.post, true, 3), (.patch, false, 1),
    ] {
      try await scene { connection, _ in
        connection.reset()
      } test: { client, peer in
        var request = request(await peer.url(), method)
        if key { request.headers = ["Idempotency-Key": "a"] }
        let error = try await client.failure(request)
        #expect(error.code == .connectionLost && error.sent == .maybeSent && error.attempts == count, "\(method)")
        #expect(peer.requests.count == count, "\(method)")
        if count == 1 {
          #expect(error.message.hasSuffix("no other try: \(method) is not idempotent, and the server may have acted on it"))
        }
      }
    }
  }

  @Test(arguments: [HttpMethod.get, .post]) func aConnectionThatIsRefusedIsTriedAgainWhateverTheMethod(method: HttpMethod) async throws {
    try await scene { _, _ in
    } test: { client, peer in
      let url = await peer.url()
      await peer.stop()
      let error = try await client.failure(request(url, method))
      #expect(error.code == .connect && error.sent == .notSent && error.attempts == 3)
      #expect(await client.stats().retried == 2)
    }
  }

  @Test func aServerThatComesUpMeanwhileIsReached() async throws {
    try await withTemporaryPath { path in
      let client = HttpClient(.test)
      let delegate = RecordingDelegate()
      var early = request("http://h/", .post, max: 1_000)
      early.unixSocket = path
      early.retry.maxDelay = .milliseconds(1)
      let handle = client.submit(early, delegate: delegate)
      try await client.wait(for: handle) { $0.machine.retries > 2 }
      let peer = await ScriptedPeer { connection, _ in connection.answer("up") }
      try await peer.start(on: .unix(path))
      let outcome = try await delegate.outcomes.first(1)[0]
      #expect(outcome.event.response?.text == "up" && outcome.event.response?.attempts ?? 0 > 3)
      await expectNothingLeft(client)
      await peer.stop()
    }
  }

  @Test func aResponseThatIsCutIsTriedAgainAndItsFirstPartForgotten() async throws {
    try await scene { connection, _ in
      if connection.number == 1 {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        connection.close()
      } else {
        connection.answer("whole")
      }
    } test: { client, peer in
      let response = try await client.send(request(await peer.url()))
      #expect(response.text == "whole" && response.attempts == 2)
    }
  }

  @Test func aResponseThatADelegateWasToldOfIsNotTakenBack() async throws {
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      connection.close()
    } test: { client, peer in
      let delegate = RecordingDelegate([.bodyChunks])
      client.submit(request(await peer.url()), delegate: delegate)
      let error = try await delegate.outcomes.first(1)[0].event.error
      #expect(error?.code == .truncated && error?.attempts == 1)
    }
  }

  @Test func anAnswerThatSaysLaterMayBeCutAndIsTriedAgainAllTheSame() async throws {
    try await scene { connection, _ in
      if connection.number == 1 {
        connection.write("HTTP/1.1 503 Busy\r\nContent-Length: 10\r\n\r\nhalf")
        connection.close()
      } else {
        connection.answer("done")
      }
    } test: { client, peer in
      var request = request(await peer.url())
      request.retry.errors = []
      let response = try await client.send(request)
      #expect(response.text == "done" && response.attempts == 2)
    }
  }

  // MARK: By the kind of failure

  @Test func timeoutsAreTriedAgainWhereAskedFor() async throws {
    for (causes, count) in [([RetryCause.firstByteTimeout], 2), (RetryPolicy().errors, 1)] {
      try await scene { connection, _ in
        if connection.number == 2 { connection.answer("done") }
      } test: { client, peer in
        var request = request(await peer.url())
        request.retry.errors = causes
        request.timeouts.firstByte = .milliseconds(50)
        if count == 2 {
          let response = try await client.send(request)
          #expect(response.text == "done" && response.attempts == 2)
        } else {
          let error = try await client.failure(request)
          #expect(error.code == .timeout && error.phase == .firstByte && error.attempts == 1)
        }
        #expect(peer.requests.count == count)
      }
    }
  }

  @Test func aConnectionThatTakesTooLongIsTriedAgain() async throws {
    let full = try FullListener()
    defer { full.close() }
    let client = HttpClient(.test)
    var request = request(full.url, .post)
    request.timeouts.connect = .milliseconds(30)
    let error = try await client.failure(request)
    #expect(error.code == .timeout && error.phase == .connect && error.attempts == 3 && error.sent == .notSent)
    await expectNothingLeft(client)
  }

  @Test(arguments: [true, false]) func aNameIsAskedForAgainUnlessItDoesNotExist(isTemporary: Bool) async throws {
    let resolver = await StubResolver()
    let client = HttpClient(.test { $0.resolver = resolver })
    let delegate = RecordingDelegate()
    client.submit(request("http://name.test/", max: 1), delegate: delegate)
    try await resolver.asked.first(1)
    await resolver.answerAll(.failure(ResolveError("no answer for name.test", isTemporary: isTemporary)))
    if isTemporary {
      try await resolver.asked.first(2)
      await resolver.answerAll(.failure(ResolveError("no answer for name.test", isTemporary: isTemporary)))
    }
    let error = try await delegate.outcomes.first(1)[0].event.error
    #expect(error?.code == .dns && error?.attempts == (isTemporary ? 2 : 1))
    await expectNothingLeft(client)
  }

  @Test func aStaleConnectionIsReplacedWithoutAskingThePolicy() async throws {
    try await scene { connection, request in
      if request.number == 1, request.target == "/first" { connection.answer() } else { connection.reset() }
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url("/first")))
      let error = try await client.failure(request(await peer.url("/second"), max: 1))
      // On the kept connection, on its replacement, and once more by the policy.
      #expect(error.code == .connectionLost && error.attempts == 3)
      #expect(peer.requests.count == 4)
      #expect(await client.stats().retried == 2)
    }
  }

  // MARK: Time

  @Test func aDateInRetryAfterIsWaitedFor() async throws {
    let date = HttpDateText.of(time(nil) + 20)
    try await scene { connection, _ in
      connection.answer(status: 429, fields: "Retry-After: \(date)\r\n")
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let handle = client.submit(request(await peer.url()), delegate: delegate)
      try await client.wait(for: handle) { $0.machine.state == .backingOff }
      let words = try await client.explanation(of: handle)
      let seconds = try #require(words.wholeMatch(of: /waits to be sent again in (\d+)\.\d s after try 1: answered 429/)?.1)
      #expect((15...20).contains(Int(seconds) ?? 0), "\(words)")
      await client.cancel(handle)
      try await delegate.outcomes.first(1)
      #expect(peer.requests.count == 1)
    }
  }

  @Test func aWaitThatWouldGoPastTheTotalTimeoutIsNotBegun() async throws {
    try await scene { connection, _ in
      connection.answer("busy", status: 503, fields: "Retry-After: 25\r\n")
    } test: { client, peer in
      let sink = RecordingSink()
      var request = request(await peer.url())
      request.timeouts.total = .seconds(20)
      let error = try await client.failure(request)
      #expect(error.code == .httpStatus && error.status == 503 && error.response?.text == "busy" && error.attempts == 1)
      #expect(error.timings.total < 15_000_000)
      // The reason is in the timeline.
      let tracer = await OutcomeTracer(client)
      await client.onLoop { client in tracer.handle = client.submitOnLoop(request, sink: tracer) }
      let timeline = try await tracer.traces.first(1)[0].timeline
      #expect(timeline.last { $0.event == "retry" }?.note == "no other try: the wait of 25.0 s would go past the total timeout")
      withExtendedLifetime(sink) {}
    }
  }

  @Test func eachAttemptIsInTheTimelineWithItsReason() async throws {
    try await scene { connection, request in
      switch (connection.number, request.number) {
      case (1, 1): connection.answer(status: 503)
      case (1, 2): connection.reset()
      default: connection.answer("done")
      }
    } test: { client, peer in
      var request = request(await peer.url())
      request.retry.baseDelay = .seconds(1)
      request.retry.maxDelay = .milliseconds(3)
      let tracer = await OutcomeTracer(client)
      await client.onLoop { client in tracer.handle = client.submitOnLoop(request, sink: tracer) }
      let notes = try await tracer.traces.first(1)[0].timeline.filter { $0.event == "retry" }.map { $0.note ?? "" }
      #expect(notes.count == 2)
      #expect(notes.first?.hasPrefix("try 1: answered 503") == true, "\(notes)")
      // The second try was on the kept connection, whose loss is put right at once.
      #expect(notes.last == "try 2: the kept connection had been closed by the server", "\(notes)")
    }
  }
}

/// Keeps the trace of the one request that it is told of.
@LoopActor
private final class OutcomeTracer: OutcomeSink {
  let traces = Record<RequestTrace>("traces")
  var handle: RequestHandle?
  private let client: HttpClient

  init(_ client: HttpClient) {
    self.client = client
  }

  func requestEnded(_ request: RequestInfo, _ outcome: Outcome) {
    if let trace = client.trace(request.handle) { traces.add(trace) }
  }
}

private enum HttpDateText {
  static func of(_ seconds: Int) -> String {
    var clock = time_t(seconds)
    var parts = tm()
    gmtime_r(&clock, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let length = strftime(&buffer, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
