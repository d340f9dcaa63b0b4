internal import EventLoop

/// How many retries a host may get, in proportion to the requests it gets: a service that fails is not hammered by the retries of all that
/// failed. A request for whose retry nothing is left ends with the failure that it has. It is full at first.
///
/// It counts the requests of a host that may be retried (``RetryPolicy/max`` above 0).
public struct RetryBudgetSettings: Sendable, Hashable {
  /// Retries per request. Default 0.2: one in five, in the long run.
  public var ratio: Double
  /// Retries that are allowed besides, however few the requests: at most so many at once, and so many in each ``period``. Default 3.
  public var minimum = 3
  /// Default 10 s.
  public var period = Duration.seconds(10)
  /// What is there at first, and what requests that need no retry can save up. Default 100.
  public var cap = 100

  public init(ratio: Double = 0.2) {
    self.ratio = ratio
  }
}

/// One host's budget. Pure; time is handed in.
struct RetryBudget: Sendable {
  private let settings: RetryBudgetSettings
  private var saved: Double
  private var reserve: TokenBucket?
  private var lastUse = Instant(nanoseconds: .min)
  /// After so long nobody remembers.
  private static let memory = Duration.seconds(600)

  init(_ settings: RetryBudgetSettings) {
    self.settings = settings
    saved = Double(max(settings.cap, 0))
    let seconds = max(Double(settings.period.wholeNanoseconds) / 1_000_000_000, 0.000_001)
    reserve = settings.minimum > 0 ? TokenBucket(RateLimit(perSecond: Double(settings.minimum) / seconds, burst: settings.minimum)) : nil
  }

  /// A request is tried for the first time.
  mutating func firstTry(at now: Instant) {
    lastUse = now
    // Not a number or below 0 adds nothing.
    guard settings.ratio > 0 else { return }
    saved = min(saved + settings.ratio, Double(max(settings.cap, 0)))
  }

  /// Takes a retry out of it; false if there is none left.
  mutating func takeRetry(at now: Instant) -> Bool {
    lastUse = now
    // Sums of 0.2 fall short of whole numbers.
    if saved >= 0.999_999 {
      saved = max(0, saved - 1)
      return true
    }
    return reserve?.take(at: now) ?? false
  }

  /// Whether it can be forgotten without giving more retries than are allowed.
  func isAtRest(at now: Instant) -> Bool {
    saved >= Double(max(settings.cap, 0)) && reserve?.isFull(at: now) ?? true || lastUse + RetryBudget.memory < now
  }
}
