import EventLoop
import TestSupport
import Testing

@testable import Errand

@Suite struct CircuitBreakerTests {
  private func opened(at now: Instant = .start, probes: Int = 1) -> CircuitBreaker {
    var settings = CircuitBreakerSettings(failures: 1, coolDown: .seconds(30))
    settings.probes = probes
    var breaker = CircuitBreaker(settings)
    breaker.run(.failure, at: now)
    return breaker
  }

  @Test func failuresInARowOpenItForTheCoolDown() {
    var breaker = CircuitBreaker(CircuitBreakerSettings(failures: 3, coolDown: .seconds(30)))
    for result in [CircuitBreaker.Result.failure, .failure, .success, .failure, .neither, .failure] { breaker.run(result) }
    #expect(breaker.state == .closed)
    breaker.run(.failure)
    #expect(breaker.state == .open(until: .after(.seconds(30))) && breaker.cause == .inARow(3))
    #expect(breaker.admit(at: .after(.milliseconds(29_999))) == nil)
    #expect(breaker.admit(at: .after(.seconds(30))) != nil)
  }

  @Test func afterTheCoolDownOneTriesForAll() throws {
    var breaker = opened()
    let late = Instant.after(.seconds(31))
    let admitted = breaker.admit(at: late)
    let probe = try #require(admitted)
    #expect(breaker.state == .halfOpen)
    #expect(breaker.admit(at: late) == nil && breaker.refuses(at: late))
    breaker.ended(probe, .success, at: late)
    #expect(breaker.state == .closed && breaker.admit(at: late) != nil)
  }

  @Test func aTrialThatFailsOpensItAnew() throws {
    var breaker = opened()
    let late = Instant.after(.seconds(31))
    breaker.run(.failure, at: late)
    #expect(breaker.state == .open(until: late + .seconds(30)) && breaker.cause == .probe)
  }

  @Test func aTrialThatIsCancelledMakesRoomForAnother() {
    var breaker = opened()
    let late = Instant.after(.seconds(31))
    breaker.run(.neither, at: late)
    #expect(breaker.state == .halfOpen)
    breaker.run(.success, at: late)
    #expect(breaker.state == .closed)
  }

  @Test func severalTrialsMustAllSucceed() {
    var breaker = opened(probes: 3)
    let late = Instant.after(.seconds(31))
    let passes = (0..<5).compactMap { _ in breaker.admit(at: late) }
    #expect(passes.count == 3)
    for pass in passes.prefix(2) { breaker.ended(pass, .success, at: late) }
    #expect(breaker.state == .halfOpen)
    breaker.ended(passes[2], .success, at: late)
    #expect(breaker.state == .closed)
  }

  @Test func resultsOfRequestsFromBeforeAChangeDoNotCount() throws {
    var breaker = CircuitBreaker(CircuitBreakerSettings(failures: 1, coolDown: .seconds(30)))
    let early = (0..<3).compactMap { _ in breaker.admit(at: .start) }
    breaker.ended(early[0], .failure, at: .start)
    breaker.ended(early[1], .success, at: .start)
    #expect(breaker.state == .open(until: .after(.seconds(30))))
    let late = Instant.after(.seconds(31))
    let admitted = breaker.admit(at: late)
    let probe = try #require(admitted)
    breaker.ended(early[2], .failure, at: late)
    #expect(breaker.state == .halfOpen)
    breaker.ended(probe, .success, at: late)
    #expect(breaker.state == .closed)
  }

  @Test func aShareOfFailuresOpensItOnlyOverEnoughRequests() {
    var settings = CircuitBreakerSettings(failures: 0)
    settings.minimumRequests = 10
    var breaker = CircuitBreaker(settings)
    for index in 0..<9 { breaker.run(index < 5 ? .failure : .success) }
    #expect(breaker.state == .closed, "9 are too few")
    breaker.run(.success)
    #expect(breaker.state == .closed, "opens on a failure only")
    breaker.run(.failure)
    #expect(breaker.cause == .ratio(failures: 6, of: 11))
  }

  @Test func failuresAreForgottenWithTheirWindow() {
    var settings = CircuitBreakerSettings(failures: 0)
    settings.minimumRequests = 4
    var breaker = CircuitBreaker(settings)
    for _ in 0..<3 { breaker.run(.failure, at: .start) }
    for _ in 0..<9 { breaker.run(.success, at: .after(.seconds(11))) }
    for _ in 0..<3 { breaker.run(.failure, at: .after(.seconds(12))) }
    #expect(breaker.state == .closed)
    for _ in 0..<9 { breaker.run(.failure, at: .after(.seconds(12))) }
    #expect(breaker.state != .closed)
  }

  @Test(arguments: 0..<UInt64(50)) func theWindowAgreesWithAListOfResults(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var settings = CircuitBreakerSettings(failures: 0)
    settings.window = .milliseconds(100)
    settings.minimumRequests = Int.random(in: 1...10, using: &generator)
    settings.failureRatio = Double(generator.next() % 9 + 1) / 10
    var breaker = CircuitBreaker(settings)
    var results: [(slice: Int64, isFailure: Bool)] = []
    var now = Instant.start
    for _ in 0..<300 {
      now = now + .milliseconds(generator.next() % 3 == 0 ? Int.random(in: 0...40, using: &generator) : 0)
      let isFailure = generator.next() % 3 == 0
      breaker.run(isFailure ? .failure : .success, at: now)
      // A slice is a tenth of the window.
      let slice = now.nanoseconds / 10_000_000
      results.append((slice, isFailure))
      let recent = results.filter { $0.slice > slice - 10 }
      let failures = recent.count { $0.isFailure }
      let opens =
        isFailure && recent.count >= settings.minimumRequests && Double(failures) >= (settings.failureRatio ?? 2) * Double(recent.count)
      #expect((breaker.state != .closed) == opens, "seed \(seed)")
      if opens { return }
    }
  }

  @Test func oneThatIsAsNewOrWasLeftAloneCanBeForgotten() {
    var breaker = CircuitBreaker(CircuitBreakerSettings(failures: 2))
    #expect(breaker.isAtRest(at: .start))
    breaker.run(.success)
    #expect(breaker.isAtRest(at: .start))
    breaker.run(.failure)
    #expect(!breaker.isAtRest(at: .after(.seconds(40))) && breaker.isAtRest(at: .after(.seconds(41))))
    breaker.run(.failure)
    #expect(!breaker.isAtRest(at: .after(.seconds(70))) && breaker.isAtRest(at: .after(.seconds(71))))
  }
}

extension CircuitBreaker {
  /// A request from its start to its end.
  fileprivate mutating func run(_ result: Result, at now: Instant = .start) {
    if let pass = admit(at: now) { ended(pass, result, at: now) }
  }
}
