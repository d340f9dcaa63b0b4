internal import EventLoop

/// One origin's connections, or, where a proxy takes its requests whole, its requests alone.
@LoopActor
final class HostPool {
  /// What the origin is known to speak.
  enum Speech: Sendable {
    case unknown, http1, http2
  }

  let origin: Origin
  let admissionIndex: AdmissionPolicy.HostIndex
  /// Connections without a request, the longest idle first.
  private(set) var idle: [any HttpConnection] = []
  /// Connections with requests and room for more.
  private(set) var roomy: [any HttpConnection] = []
  /// Connections without a request that get none before their peer gives a sign of life.
  private(set) var suspect: [any HttpConnection] = []
  /// Connections in the making.
  private(set) var attempts: [ConnectAttempt] = []
  /// How many requests one connection is expected to carry: what the server last said of it.
  var room = ConnectAttempt.expectedRoom
  var openCount = 0
  /// Hosts whose requests go over these connections, this one not counted.
  var carriedCount = 0
  var isInIdleOrder = false
  var speech: Speech

  /// The proxy whose connections carry the requests, those of other hosts among them; nil where they have connections of their own.
  let proxy: HostPool?

  init(origin: Origin, admissionIndex: AdmissionPolicy.HostIndex, proxy: HostPool? = nil) {
    self.proxy = proxy
    self.origin = origin
    self.admissionIndex = admissionIndex
    speech = origin.mayShare ? .unknown : .http1
  }

  /// Where the connections are: here, or with the proxy. Limits count here in any case.
  var carrier: HostPool { proxy ?? self }

  /// One that has room, else the one that was used last: the least likely to be stale.
  var best: (any HttpConnection)? { roomy.last ?? idle.last }

  func add(_ connection: any HttpConnection, to standing: ConnectionStanding) {
    switch standing {
    case .idle: idle.append(connection)
    case .roomy: roomy.append(connection)
    case .suspect: suspect.append(connection)
    case .busy, .closed: break
    }
  }

  func remove(_ connection: any HttpConnection, from standing: ConnectionStanding) {
    switch standing {
    case .idle: HostPool.remove(connection, from: &idle)
    case .roomy: HostPool.remove(connection, from: &roomy)
    case .suspect: HostPool.remove(connection, from: &suspect)
    case .busy, .closed: break
    }
  }

  private static func remove(_ connection: any HttpConnection, from list: inout [any HttpConnection]) {
    // Mostly the one that was used last.
    var index = list.count - 1
    while index >= 0, list[index] !== connection { index -= 1 }
    if index >= 0 { list.remove(at: index) }
  }

  // MARK: Connections in the making

  func add(_ attempt: ConnectAttempt) { attempts.append(attempt) }

  func remove(_ attempt: ConnectAttempt) {
    if let index = attempts.lastIndex(where: { $0 === attempt }) { attempts.remove(at: index) }
  }

  /// A connection in the making that may turn out to carry many requests, and this one among them.
  var joinable: ConnectAttempt? {
    guard speech != .http1, let attempt = attempts.last, attempt.isFresh, attempt.waiters.count < room else { return nil }
    return attempt
  }
}
