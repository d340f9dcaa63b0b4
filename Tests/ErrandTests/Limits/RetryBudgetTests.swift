import EventLoop
import Testing

@testable import Errand

@Suite struct RetryBudgetTests {
  @Test func aHostThatFailsGetsOneRetryForFiveRequestsAndAFewMore() {
    var settings = RetryBudgetSettings()
    settings.cap = 1
    var budget = RetryBudget(settings)
    var retries = 0
    for _ in 0..<1_000 {
      budget.firstTry(at: .start)
      while budget.takeRetry(at: .start) { retries += 1 }
    }
    #expect((203...204).contains(retries), "of which one is there at first")
  }

  @Test func aRareRequestHasTheMinimumThatGrowsBackWithTime() {
    var settings = RetryBudgetSettings(ratio: 0)
    (settings.cap, settings.minimum) = (0, 2)
    var budget = RetryBudget(settings)
    #expect(budget.retries(of: 5, at: .start) == 2)
    #expect(budget.retries(of: 5, at: .after(.milliseconds(4_999))) == 0)
    #expect(budget.retries(of: 5, at: .after(.seconds(5))) == 1)
    #expect(budget.retries(of: 5, at: .after(.seconds(60))) == 2)
  }

  @Test func itIsFullAtFirstAndRequestsWithoutRetriesFillItAgain() {
    var settings = RetryBudgetSettings()
    (settings.cap, settings.minimum) = (10, 0)
    var budget = RetryBudget(settings)
    #expect(budget.retries(of: 100, at: .start) == 10)
    for _ in 0..<10_000 { budget.firstTry(at: .start) }
    #expect(budget.retries(of: 100, at: .start) == 10)
  }

  @Test(arguments: [-1, .nan, .infinity, 1e300] as [Double]) func aRatioThatMakesNoSenseTrapsNothing(ratio: Double) {
    var settings = RetryBudgetSettings(ratio: ratio)
    (settings.cap, settings.minimum, settings.period) = (-1, -1, .seconds(-1))
    var budget = RetryBudget(settings)
    for _ in 0..<10 { budget.firstTry(at: .start) }
    #expect(budget.retries(of: 9, at: .start) == 0)
  }

  @Test func itCanBeForgottenWhenItIsFullAgainOrNobodyUsedItForLong() {
    var settings = RetryBudgetSettings(ratio: 1)
    settings.cap = 1
    var budget = RetryBudget(settings)
    #expect(budget.isAtRest(at: .start))
    #expect(budget.retries(of: 2, at: .start) == 2)
    #expect(!budget.isAtRest(at: .after(.seconds(600))) && budget.isAtRest(at: .after(.seconds(601))))
    budget.firstTry(at: .start)
    #expect(!budget.isAtRest(at: .after(.seconds(3))) && budget.isAtRest(at: .after(.seconds(4))))
  }
}

extension RetryBudget {
  /// How many of so many retries it allows.
  fileprivate mutating func retries(of wanted: Int, at now: Instant) -> Int {
    var allowed = 0
    for _ in 0..<wanted where takeRetry(at: now) { allowed += 1 }
    return allowed
  }
}
