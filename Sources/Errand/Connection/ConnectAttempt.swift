internal import EventLoop

/// A connection in the making and the requests that wait for it: one for an origin that speaks HTTP/1.1, perhaps many where it may be shared.
@LoopActor
final class ConnectAttempt {
  /// How many requests a connection is expected to carry until the peer says so itself (RFC 9113 section 6.5.2 advises 100 at the least).
  static let expectedRoom = 100

  /// For how long an attempt is joined: one that takes longer may hang, and would hold up all that come after.
  static let joinedFor = Duration.seconds(1)

  private let begun = EventLoop.shared.now
  let host: HostPool
  let connector: Connector
  private(set) var waiters: [RequestItem] = []
  private(set) var isConnecting = false

  init(_ host: HostPool, _ connector: Connector) {
    self.host = host
    self.connector = connector
  }

  func add(_ item: RequestItem) {
    waiters.append(item)
    item.attempt = self
  }

  func remove(_ item: RequestItem) {
    if let index = waiters.lastIndex(where: { $0 === item }) { waiters.remove(at: index) }
    item.attempt = nil
  }

  /// Gives up all who wait.
  func takeWaiters() -> [RequestItem] {
    let taken = waiters
    waiters = []
    for item in taken { item.attempt = nil }
    return taken
  }

  var isFresh: Bool {
    begun.duration(to: EventLoop.shared.now) < ConnectAttempt.joinedFor
  }

  func connect() {
    guard !isConnecting else { return }
    isConnecting = true
    connector.connect()
  }
}
