import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) struct RetryTests {
  @Test func anAnswerThatSaysLaterIsTriedAgainAsOftenAsAsked() async throws {
    try await scene { connection, request in
      connection.answer(request.number < 3 ? "busy" : "done", status: request.number < 3 ? 503 : 200)
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.retry.max = 2
      request.retry.baseDelay = .milliseconds(1)
      let response = try await client.send(request)
      #expect(response.text == "done" && response.attempts == 3)
      #expect(await client.stats().retried == 2)
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func theLastAnswerIsTheOutcomeWhenTriesRunOut() async throws {
    try await scene { connection, _ in
      connection.answer("busy", status: 429)
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.retry.max = 2
      request.retry.baseDelay = .milliseconds(1)
      let error = try await client.failure(request)
      #expect(error.code == .httpStatus && error.status == 429 && error.attempts == 3 && error.response?.text == "busy")
      #expect(peer.requests.count == 3)
    }
  }

  @Test func onlyWhatIsSafeToRepeatIsTriedAgain() async throws {
    try await scene { connection, request in
      connection.answer(status: request.target == "/done" ? 200 : 503)
    } test: { client, peer in
      for (method, key, count) in [
        (HttpMethod.post, false, 1), (.post, true, 2), (.patch, false, 1), (.put, false, 2), (.delete, false, 2),
      ] {
        let before = peer.requests.count
        var request = HttpRequest(await peer.url(), method: method, headers: key ? ["Idempotency-Key": "a"] : [:])
        request.retry.max = 1
        request.retry.baseDelay = .milliseconds(1)
        let error = try await client.failure(request)
        #expect(error.status == 503)
        #expect(peer.requests.count - before == count, "\(method)")
      }
    }
  }

  @Test func theDelegateSeesOnlyTheFinalAnswer() async throws {
    try await scene { connection, request in
      connection.answer(request.number < 3 ? "not yet" : "done", status: request.number < 3 ? 503 : 200)
    } test: { client, peer in
      let delegate = RecordingDelegate([.head, .bodyChunks])
      var request = HttpRequest(await peer.url())
      request.retry.max = 2
      request.retry.baseDelay = .milliseconds(1)
      client.submit(request, delegate: delegate)
      try await delegate.outcomes.first(1)
      #expect(delegate.events.all.map(\.event.name) == ["head", "chunk", "finished"])
      guard case .chunk(let bytes) = delegate.events.all[1].event else { return }
      #expect(bytes == Array("done".utf8))
    }
  }

  @Test func aRetryLinesUpAgainAndHoldsNoSlotMeanwhile() async throws {
    try await scene(.test(perHost: 1)) { connection, request in
      if request.target == "/busy" { connection.answer(status: 503, fields: "Retry-After: 20\r\n") } else { connection.answer() }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      var request = HttpRequest(await peer.url("/busy"))
      request.retry.max = 1
      let handle = client.submit(request, delegate: delegate)
      try await client.wait(for: handle) { $0.machine.state == .backingOff }
      #expect(await client.slots().inUse == 0)
      _ = try await client.send(HttpRequest(await peer.url("/free")))
      await client.cancel(handle)
    }
  }

  @Test func anOriginForgottenDuringTheBackOffIsMadeAnewAndTakesNobodysPlace() async throws {
    try await scene(.test(perHost: 1)) { connection, request in
      switch request.target {
      case "/busy" where connection.number == 1: connection.answer(status: 503, fields: "Connection: close\r\nRetry-After: 5\r\n")
      case "/busy": connection.answer("done")
      default: break
      }
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      let delegate = RecordingDelegate()
      var request = HttpRequest("http://first.localhost:\(port)/busy")
      request.retry.max = 1
      let handle = client.submit(request, delegate: delegate)
      try await client.wait(for: handle) { $0.machine.state == .backingOff }
      #expect(await client.slots().hosts == 0)
      // Another origin takes the place that has become free, and its one slot.
      client.request("http://second.localhost:\(port)/held", delegate: nil)
      try await peer.requests.first(2)
      let outcomes = try await delegate.outcomes.first(1)
      #expect(outcomes[0].event.response?.text == "done")
      #expect(await client.slots().hosts == 2)
    }
  }
}
