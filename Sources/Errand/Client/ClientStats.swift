/// What a client has done and is doing.
public struct ClientStats: Sendable, Hashable {
  /// Requests accepted since the client was made.
  public var submitted: UInt64 = 0
  public var finished: UInt64 = 0
  public var failed: UInt64 = 0
  public var cancelled: UInt64 = 0
  /// Second and later attempts.
  public var retried: UInt64 = 0
  /// Redirects that were followed.
  public var redirected: UInt64 = 0
  /// Answers that came from the cache, validated ones included.
  public var cacheHits: UInt64 = 0
  /// Retries that a host's budget did not allow (``HttpClient/Configuration/retryBudget``).
  public var retriesWithheld: UInt64 = 0
  /// Requests that a circuit breaker refused (``HttpClient/Configuration/circuitBreaker``).
  public var refusedByBreaker: UInt64 = 0
  /// Connections made, and how often one was used again.
  public var connectionsOpened: UInt64 = 0
  public var connectionsReused: UInt64 = 0
  /// Bytes of response bodies.
  public var bodyBytesReceived: UInt64 = 0

  /// Requests that have not ended, queued ones included.
  public var inFlight = 0
  /// Requests that wait for a slot.
  public var queued = 0
  /// Origins whose circuit breaker is open or half-open.
  public var openBreakers = 0
  public var openConnections = 0
  public var idleConnections = 0
}
