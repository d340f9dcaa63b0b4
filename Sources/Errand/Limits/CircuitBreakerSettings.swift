/// When requests to an origin that keeps failing are refused at once instead of being sent, to spare both sides.
///
/// A failure is an attempt that ended without a response (no connection, connection lost, timeout), or with one of ``statuses``. While the breaker is open,
/// requests to the origin end at once with `denied`. After ``coolDown`` it lets ``probes`` requests through: if they succeed it closes, if
/// one of them fails it stays open for another cool-down.
public struct CircuitBreakerSettings: Sendable, Hashable {
  /// Failures in a row that open it. Default 5; 0 does not count them.
  public var failures: Int
  /// The share of failures within ``window`` that opens it, of at least ``minimumRequests``. Default 0.5; nil does not reckon it.
  public var failureRatio: Double? = 0.5
  /// What ``failureRatio`` looks back on. Default 10 s.
  public var window = Duration.seconds(10)
  /// Default 20.
  public var minimumRequests = 20
  /// How long it stays open. Default 30 s.
  public var coolDown: Duration
  /// How many requests are tried after the cool-down, at a time, and must succeed before it closes. Default 1.
  public var probes = 1
  /// Default 500 to 599.
  public var statuses: ClosedRange<Int> = 500...599

  public init(failures: Int = 5, coolDown: Duration = .seconds(30)) {
    self.failures = failures
    self.coolDown = coolDown
  }
}
