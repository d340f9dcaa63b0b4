/// What a client has done and is doing.
public struct ClientStats: Sendable, Hashable {
  /// Requests accepted since the client was made.
  public var submitted: UInt64 = 0
  public var finished: UInt64 = 0
  public var failed: UInt64 = 0
  public var cancelled: UInt64 = 0
  /// Second and later attempts.
  public var retried: UInt64 = 0
  /// Connections made, and how often one was used again.
  public var connectionsOpened: UInt64 = 0
  public var connectionsReused: UInt64 = 0
  /// Bytes of response bodies.
  public var bodyBytesReceived: UInt64 = 0

  /// Requests that have not ended, queued ones included.
  public var inFlight = 0
  /// Requests that wait for a slot.
  public var queued = 0
  public var openConnections = 0
  public var idleConnections = 0
}
