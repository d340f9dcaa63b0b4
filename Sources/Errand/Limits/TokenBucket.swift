internal import EventLoop

/// How many may pass in a time: `perSecond` in the long run, `burst` at once after a pause. Pure; time is handed in.
///
/// Kept as the instant at which the bucket will be full again (the "theoretical arrival time" of ATM's GCRA), which needs no clock to refill it.
struct TokenBucket: Sendable, Hashable {
  /// Between two tokens, in nanoseconds.
  private let interval: Int64
  /// The time in which an empty bucket gets all but one of its tokens, in nanoseconds.
  private let slack: Int64
  private var fullAt: Int64 = .min

  /// Full at first. Nil if the limit is none: a rate that is not above 0 or not a number.
  init?(_ limit: RateLimit) {
    guard limit.perSecond > 0, limit.perSecond.isFinite else { return nil }
    // A century is as good as never, and leaves room to reckon.
    let century = 3_200_000_000_000_000_000.0
    interval = Int64(max(1, min(1_000_000_000 / limit.perSecond, century)))
    slack = Int64(min(Double(max(1, limit.burst) - 1) * Double(interval), century))
  }

  /// Takes a token; false if there is none.
  mutating func take(at now: Instant) -> Bool {
    guard readyAt(now) <= now else { return false }
    fullAt = max(fullAt, now.nanoseconds).addingOrMax(interval)
    return true
  }

  /// Whether it is as a new one.
  func isFull(at now: Instant) -> Bool { fullAt <= now.nanoseconds }

  /// When there is a token: `now` if there is one already.
  func readyAt(_ now: Instant) -> Instant {
    // A bucket that was never used is full at .min.
    let (ready, underflow) = fullAt.subtractingReportingOverflow(slack)
    return underflow ? now : max(now, Instant(nanoseconds: ready))
  }
}

extension Int64 {
  /// The sum, or the largest number where it is above that.
  func addingOrMax(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
