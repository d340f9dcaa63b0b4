internal import EventLoop

/// What the engine and the pool need of a connection, whichever version of HTTP it speaks.
@LoopActor
protocol HttpConnection: AnyObject {
  var facts: ConnectionFacts { get }
  var host: HostPool { get }
  /// Which of the pool's lists it is in; the pool alone sets it.
  var standing: ConnectionStanding { get set }
  /// How many requests it carries, ended ones not counted.
  var load: Int { get }
  /// Whether it may carry more than one request at a time.
  var isShared: Bool { get }

  /// Takes on a request and sends it as far as the peer allows.
  func begin(_ item: RequestItem)
  /// The request is over here: `isWhole` if the exchange ended in good order. What that means for the connection is the connection's to decide.
  func leave(_ item: RequestItem, isWhole: Bool)
  /// Made for requests that are gone: waits among the idle ones.
  func rest()
  /// Stops reading for a request, so that the peer is held back by the protocol itself.
  func pause(_ item: RequestItem)
  func resume(_ item: RequestItem)
  func isPaused(_ item: RequestItem) -> Bool
  /// Closes at once. Only the pool calls this.
  func close()
}

/// Where a connection stands in the pool.
enum ConnectionStanding: Sendable {
  /// Carries as much as it may, or takes no more.
  case busy
  /// Carries requests and has room for more.
  case roomy
  /// Carries none.
  case idle
  /// Carries none, and gets none: its peer may be gone.
  case suspect
  case closed
}
