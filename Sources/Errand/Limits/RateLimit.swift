/// How many requests may be begun in a time, as a token bucket: `perSecond` in the long run, up to `burst` of them at once after a pause.
/// Every attempt counts, retries included. A request for which there is no token waits in the queue.
public struct RateLimit: Sendable, Hashable {
  /// Requests per second; a fraction is allowed: `0.5` is one in two seconds. A value that is not above 0 is no limit.
  public var perSecond: Double
  /// Requests that may go at once when none went for a while. Default 1: evenly spaced. Less than 1 is taken as 1.
  public var burst: Int

  public init(perSecond: Double, burst: Int = 1) {
    self.perSecond = perSecond
    self.burst = burst
  }
}

/// The limits of a named service, whatever hosts its requests go to (``HttpRequest/service``). One that is nil does not limit.
public struct ServiceLimits: Sendable, Hashable {
  /// Requests of the service in flight at a time. Default none. Less than 1 is taken as 1.
  public var maxInFlight: Int?
  /// How often requests of the service may begin. Default none.
  public var rate: RateLimit?

  public init(maxInFlight: Int? = nil, rate: RateLimit? = nil) {
    self.maxInFlight = maxInFlight
    self.rate = rate
  }
}
