import EventLoop
import Testing

@testable import Errand

@Suite struct RetryPolicyTests {
  private let wallClock: Int64 = 784_111_777  // Sun, 06 Nov 1994 08:49:37 GMT

  private func decision(
    _ policy: RetryPolicy, _ end: RetryPolicy.End, number: Int = 1, isRepeatable: Bool = true, sent: SentState = .sent,
    remaining: Duration? = nil, random: Double = 0.5
  ) -> RetryPolicy.Decision {
    policy.decision(
      after: end, of: .init(number: number, isRepeatable: isRepeatable, sent: sent, remaining: remaining), wallClock: wallClock,
      random: random)
  }

  private func wait(_ number: Int, _ retryAfter: String?, _ random: Double = 0.5, max: Int = 3) -> Duration? {
    guard case .retry(let wait) = decision(RetryPolicy(max: max), .status(503, retryAfter: retryAfter), number: number, random: random)
    else {
      return nil
    }
    return wait
  }

  @Test func theWaitIsARandomPartOfAGrowingBackOff() {
    #expect(wait(1, nil) == .milliseconds(100))
    #expect(wait(2, nil) == .milliseconds(200))
    #expect(wait(3, nil) == .milliseconds(400))
    #expect(wait(3, nil, 0) == .zero)
    #expect(wait(4, nil) == nil)
    #expect(wait(1_000, nil, 0.999, max: 1_000).map { $0 <= .seconds(30) && $0 > .seconds(29) } == true)
    #expect(wait(.max, nil, 0.999, max: .max).map { $0 <= .seconds(30) } == true)
  }

  @Test(arguments: [
    ("7", 7), ("0007", 7), ("99999999999", 30), ("999999999999999999999999", 30), ("Sun, 06 Nov 1994 08:49:40 GMT", 3),
    ("Sunday, 06-Nov-94 08:49:40 GMT", 3), ("Sun Nov  6 08:49:40 1994", 3), ("Sun, 06 Nov 2094 08:49:40 GMT", 30),
  ]) func theServerMayAskForAWaitInEitherFormUpToTheLongest(value: String, seconds: Int) {
    #expect(wait(1, value) == .seconds(seconds))
  }

  @Test(arguments: ["", "0", "-1", "+7", "7.5", "7 ", "soon", "٧", "Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 1993 23:59:59 GMT"])
  func aValueThatAsksForNoWaitLeavesTheBackOff(value: String) {
    #expect(wait(1, value) == .milliseconds(100))
  }

  @Test func answersAreRetriedByStatusOnlyWhereRepeatingIsSafe() {
    let policy = RetryPolicy(max: 1)
    #expect(decision(policy, .status(429, retryAfter: nil)) == .retry(after: .milliseconds(100)))
    #expect(decision(policy, .status(500, retryAfter: nil)) == .final(.notAsked))
    #expect(decision(policy, .status(429, retryAfter: nil), isRepeatable: false) == .final(.unsafe))
    #expect(decision(policy, .status(429, retryAfter: nil), number: 2) == .final(.noTriesLeft))
    #expect(decision(RetryPolicy(), .status(429, retryAfter: nil)) == .final(.notAsked))
    var own = policy
    own.statuses = [500]
    #expect(decision(own, .status(500, retryAfter: nil)) == .retry(after: .milliseconds(100)))
    #expect(decision(own, .status(429, retryAfter: nil)) == .final(.notAsked))
  }

  @Test(arguments: RetryCause.allCases) func failuresAreRetriedByMethodAndBytesSent(cause: RetryCause) {
    var policy = RetryPolicy(max: 1)
    policy.errors = RetryCause.allCases
    let retry = RetryPolicy.Decision.retry(after: .milliseconds(100))
    for sent in [SentState.notSent, .maybeSent, .sent] {
      #expect(decision(policy, .failed(cause), sent: sent) == retry)
      #expect(decision(policy, .failed(cause), isRepeatable: false, sent: sent) == (sent == .notSent ? retry : .final(.unsafe)))
    }
    policy.errors = []
    #expect(decision(policy, .failed(cause), sent: .notSent) == .final(.notAsked))
    #expect(decision(RetryPolicy(), .failed(cause), sent: .notSent) == .final(.notAsked))
    let byDefault = cause != .firstByteTimeout && cause != .idleTimeout
    #expect(decision(RetryPolicy(max: 1), .failed(cause), sent: .notSent) == (byDefault ? retry : .final(.notAsked)))
  }

  @Test func aWaitPastTheDeadlineIsNotBegun() {
    let policy = RetryPolicy(max: 1)
    let end = RetryPolicy.End.status(503, retryAfter: "7")
    #expect(decision(policy, end, remaining: .seconds(7)) == .final(.pastDeadline(wait: .seconds(7))))
    #expect(decision(policy, end, remaining: .seconds(8)) == .retry(after: .seconds(7)))
    #expect(decision(policy, .failed(.connect), sent: .notSent, remaining: .seconds(-1), random: 0) == .final(.pastDeadline(wait: .zero)))
  }

  @Test func settingsThatMakeNoSenseWaitNotAtAll() {
    var policy = RetryPolicy(max: 3)
    policy.baseDelay = .seconds(-5)
    #expect(decision(policy, .failed(.connect), sent: .notSent) == .retry(after: .zero))
    policy.baseDelay = .seconds(Int64.max)
    policy.maxDelay = .seconds(-1)
    #expect(decision(policy, .failed(.connect), sent: .notSent) == .retry(after: .zero))
  }
}
