import Glibc

/// A point on the machine's monotonic clock (`CLOCK_MONOTONIC`), in nanoseconds. Not a wall-clock time.
public struct Instant: Sendable, Hashable, Comparable {
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The current instant.
  public static func now() -> Instant {
    var spec = timespec()
    clock_gettime(CLOCK_MONOTONIC, &spec)
    return Instant(nanoseconds: Int64(spec.tv_sec) &* 1_000_000_000 &+ Int64(spec.tv_nsec))
  }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The instant `duration` later; saturates instead of overflowing.
  public static func + (instant: Instant, duration: Duration) -> Instant {
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    return Instant(nanoseconds: overflow ? .max : sum)
  }

  /// The time from this instant to `later`; negative if `later` is before it.
  public func duration(to later: Instant) -> Duration {
    .nanoseconds(later.nanoseconds &- nanoseconds)
  }

  /// Microseconds since `earlier`.
  public func microseconds(since earlier: Instant) -> Int64 {
    (nanoseconds &- earlier.nanoseconds) / 1_000
  }
}

extension Duration {
  /// This duration in nanoseconds; saturates at about 292 years.
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, sumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return sumOverflow ? (seconds < 0 ? .min : .max) : sum
  }
}
