/// Whether and when a request that was answered "try again later" is sent again. Off by default.
public struct RetryPolicy: Sendable, Hashable {
  /// How many times at the most, beyond the first try. Default 0.
  public var max: Int
  /// The answers after which a request whose method allows it is sent again. Default 429 and 503.
  public var statuses: [Int] = [429, 503]
  /// The first back-off, doubled with each try; the wait is a random part of it. Default 200 ms.
  public var baseDelay = Duration.milliseconds(200)
  /// The longest wait, also for Retry-After. Default 30 s.
  public var maxDelay = Duration.seconds(30)

  public init(max: Int = 0) {
    self.max = max
  }

  func isRetried(status: Int, attempt: Int, isRepeatable: Bool) -> Bool {
    attempt <= max && isRepeatable && statuses.contains(status)
  }

  /// The wait before try number `attempt` + 1, or nil if the answer is final. `isRepeatable`: the method is idempotent or the request
  /// has an Idempotency-Key (RFC 9110 section 9.2.2). `retryAfter` is the header's value in its seconds form (RFC 9110 section 10.2.3). `random` is in 0..<1.
  func delay(afterStatus status: Int, attempt: Int, isRepeatable: Bool, retryAfter: String?, random: Double) -> Duration? {
    guard isRetried(status: status, attempt: attempt, isRepeatable: isRepeatable) else { return nil }
    if let retryAfter, let seconds = Int64(retryAfter), seconds >= 0 {
      return min(.seconds(min(seconds, 1_000_000)), maxDelay)
    }
    let doubled = baseDelay * (1 << min(attempt - 1, 20))
    return min(doubled, maxDelay) * random
  }
}
