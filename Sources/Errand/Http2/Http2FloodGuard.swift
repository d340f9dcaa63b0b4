internal import EventLoop

/// Counts the frames that cost their receiver work and bring no response closer (RFC 9113 section 10.5). Pure.
///
/// A frame that does bring one closer, of either direction, allows two more of each kind: a peer may answer each piece of an upload with
/// window updates for stream and connection, or send a ping with each piece of a body.
struct Http2FloodGuard: Sendable {
  enum Kind: Int, CaseIterable, Sendable {
    case reset, ping, settings, emptyData, continuation, priority, windowUpdate, goAway, stale

    var name: String {
      switch self {
      case .reset: "RST_STREAM"
      case .ping: "PING"
      case .settings: "SETTINGS"
      case .emptyData: "empty DATA"
      case .continuation: "CONTINUATION"
      case .priority: "PRIORITY"
      case .windowUpdate: "WINDOW_UPDATE"
      case .goAway: "GOAWAY"
      case .stale: "belated"
      }
    }
  }

  private let limit: Int
  private let period: Int64
  private var counts = [Int](repeating: 0, count: Kind.allCases.count)
  private var useful = 0
  private var givenUp = 0
  private var staleHeaderBytes = 0
  private var periodStart: Instant?

  init(limit: Int, period: Duration) {
    self.limit = limit
    self.period = period.wholeNanoseconds
  }

  /// Bytes came, at that moment.
  mutating func received(at now: Instant) {
    if let periodStart, now.nanoseconds &- periodStart.nanoseconds < period { return }
    periodStart = now
    useful = 0
    givenUp = 0
    staleHeaderBytes = 0
    for index in counts.indices { counts[index] = 0 }
  }

  /// A frame was sent or received that is part of a request or response.
  mutating func usefulFrame() {
    useful &+= 1
  }

  /// A stream was given up: what the peer had sent by then is no fault of its.
  mutating func streamGivenUp() {
    givenUp &+= 1
  }

  /// Counts a frame; false if there are too many.
  mutating func allows(_ kind: Kind) -> Bool {
    counts[kind.rawValue] &+= 1
    return counts[kind.rawValue] <= limit &+ (kind == .stale ? 64 &* givenUp : 2 &* useful)
  }

  /// Counts a piece of a header section on a stream that is over; false if there are too many. A few bytes may unfold to very many, which are
  /// read for the compression's sake alone.
  mutating func allowsStaleHeader(_ bytes: Int) -> Bool {
    staleHeaderBytes &+= bytes
    return allows(.stale) && staleHeaderBytes <= 65_536 &+ 1_024 &* givenUp
  }

  func words(_ kind: Kind) -> String {
    "the server floods the connection: \(counts[kind.rawValue]) \(kind.name) frames"
  }
}
