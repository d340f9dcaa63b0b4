import EventLoop
import HttpWire
import Testing

@testable import Errand

/// How a service that fails is spared: by the retry budget and the circuit breaker.
@Suite(.timeLimit(.minutes(2))) struct SparingTests {
  private func request(_ url: String, max: Int = 0) -> HttpRequest {
    var request = HttpRequest(url)
    request.retry.max = max
    request.retry.baseDelay = .milliseconds(1)
    return request
  }

  // MARK: Budget

  @Test func aFailingServiceSeesNoMoreRetriesThanItsBudget() async throws {
    var budget = RetryBudgetSettings(ratio: 0.2)
    (budget.cap, budget.minimum) = (20, 5)
    // One for five requests, 20 to begin with, 5 in ten seconds.
    for (settings, requests) in [(budget, 360...400), (nil, 1_200...1_200)] as [(RetryBudgetSettings?, ClosedRange<Int>)] {
      try await scene(.test { $0.retryBudget = settings }) { connection, _ in
        connection.answer(status: 503)
      } test: { client, peer in
        let delegate = RecordingDelegate()
        let url = await peer.url()
        for _ in 0..<300 { client.submit(request(url, max: 3), delegate: delegate) }
        let outcomes = try await delegate.outcomes.first(300)
        #expect(outcomes.allSatisfy { $0.event.error?.status == 503 })
        #expect(requests.contains(peer.requests.count), "\(peer.requests.count)")
        let stats = await client.stats()
        #expect(Int(stats.retried) == peer.requests.count - 300)
        #expect((stats.retriesWithheld > 0) == (settings != nil))
      }
    }
  }

  @Test func anotherHostHasABudgetOfItsOwn() async throws {
    var budget = RetryBudgetSettings(ratio: 0)
    (budget.cap, budget.minimum) = (0, 1)
    try await scene(.test { $0.retryBudget = budget }) { connection, _ in
      connection.reset()
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      for host in ["a", "b"] {
        let error = try await client.failure(request("http://\(host).localhost:\(port)/", max: 9))
        #expect(error.attempts == 2 && error.message.hasSuffix("; no other try: the retry budget of \(host).localhost is used up"))
      }
    }
  }

  // MARK: Breaker

  private func breaking(failures: Int = 3, coolDown: Duration = .seconds(200)) -> HttpClient.Configuration {
    .test { $0.circuitBreaker = CircuitBreakerSettings(failures: failures, coolDown: coolDown) }
  }

  @Test func anOriginThatKeepsFailingIsNotAskedAnyMore() async throws {
    try await scene(breaking()) { connection, request in
      if request.head.headers["Host"]?.hasPrefix("bad") == true { connection.answer(status: 500) } else { connection.answer() }
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      for _ in 0..<3 { #expect(try await client.failure(HttpRequest("http://bad.localhost:\(port)/")).status == 500) }
      let error = try await client.failure(HttpRequest("http://bad.localhost:\(port)/"))
      #expect(error.code == .denied && error.sent == .notSent && error.attempts == 0)
      let words = /the circuit breaker of bad\.localhost:\d+ is open after 3 failures in a row, and tries again in (199|200)\.\d s/
      #expect(error.message.wholeMatch(of: words) != nil, "\(error.message)")
      #expect(peer.requests.count == 3)
      // Others are as before.
      _ = try await client.send(HttpRequest("http://good.localhost:\(port)/"))
      let stats = await client.stats()
      #expect(stats.refusedByBreaker == 1 && stats.openBreakers == 1)
    }
  }

  @Test func afterTheCoolDownOneRequestTriesForAll() async throws {
    try await scene(breaking(failures: 1, coolDown: .milliseconds(100))) { connection, request in
      switch request.target {
      case "/bad": connection.answer(status: 500)
      case "/held": break
      default: connection.answer()
      }
    } test: { client, peer in
      let url = await peer.url("/")
      _ = try await client.failure(HttpRequest(url + "bad"))
      #expect(try await client.failure(HttpRequest(url)).code == .denied)
      await pause(.milliseconds(110))
      let delegate = RecordingDelegate()
      client.request(url + "held", delegate: delegate)
      try await peer.requests.first(2)
      let meanwhile = try await client.failure(HttpRequest(url))
      #expect(meanwhile.code == .denied && meanwhile.message.hasSuffix("and a trial request is under way"))
      await peer.answerAll()
      try await delegate.outcomes.first(1)
      for _ in 0..<3 { _ = try await client.send(HttpRequest(url)) }
      #expect(await client.stats().openBreakers == 0)
    }
  }

  @Test func aTrialThatIsCancelledOrFailsLeavesTheBreakerToTheNextTrial() async throws {
    try await scene(breaking(failures: 1, coolDown: .milliseconds(50))) { connection, request in
      switch request.target {
      case "/bad": connection.reset()
      case "/held": break
      default: connection.answer()
      }
    } test: { client, peer in
      let url = await peer.url("/")
      let delegate = RecordingDelegate()
      _ = try await client.failure(HttpRequest(url + "bad"))
      await pause(.milliseconds(60))
      let held = client.request(url + "held", delegate: delegate)
      try await peer.requests.first(2)
      await client.cancel(held)
      // Half-open still: the next is the trial.
      #expect(try await client.failure(HttpRequest(url + "bad")).code == .connectionLost)
      #expect(try await client.failure(HttpRequest(url)).code == .denied)
      await pause(.milliseconds(60))
      _ = try await client.send(HttpRequest(url))
    }
  }

  @Test func requestsThatWaitAsTheBreakerOpensAreRefusedInTheirTurn() async throws {
    let configuration = HttpClient.Configuration.test {
      $0.maxConnectionsPerHost = 1
      $0.circuitBreaker = CircuitBreakerSettings(failures: 1, coolDown: .seconds(200))
    }
    try await scene(configuration) { connection, _ in
      connection.answer(status: 500)
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let url = await peer.url()
      await client.onLoop { client in for _ in 0..<50 { client.request(url, delegate: delegate) } }
      let outcomes = try await delegate.outcomes.first(50)
      #expect(outcomes.count { $0.event.error?.code == .denied } == 49)
      #expect(peer.requests.count == 1)
    }
  }

  @Test func aConnectionThatCanNotBeMadeIsAFailureAndARetryDoesNotMeetTheBreakerThatItOpened() async throws {
    try await scene(breaking(failures: 2)) { _, _ in
    } test: { client, peer in
      let url = await peer.url()
      await peer.stop()
      let error = try await client.failure(request(url, max: 5))
      #expect(error.code == .connect && error.attempts == 2)
      #expect(error.message.contains("; no other try: the circuit breaker of 127.0.0.1:"), "\(error)")
    }
  }
}
