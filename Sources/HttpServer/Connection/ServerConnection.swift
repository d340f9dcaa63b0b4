internal import EventLoop
import Glibc
internal import HttpWire

/// One accepted connection: it reads a request, asks a handler, writes the answer, and goes on to the next.
///
/// One request at a time: while one is being answered, further bytes are read only as far as `carriedBytes`, which keeps the
/// end of the connection noticeable without letting a peer fill memory.
@LoopActor
final class ServerConnection {
  enum Mode: UInt8 {
    case http
    /// The answer is out, the connection is ending; what still comes is thrown away so that the peer can read the answer.
    case lingering
    /// Taken over through a ``RawConnection``.
    case raw
    case closed
  }

  enum RequestSide: UInt8 { case idle, head, body, complete }
  enum ResponseSide: UInt8 { case none, pending, streaming, complete }
  enum BodyFraming: UInt8 { case none, length, chunked, untilClose }
  enum TimerKind: UInt8 { case header, idle, body, write, linger }

  /// What is done when the request is complete.
  enum Plan {
    case nothing
    case handle(any ResponseHandler)
    case refuse(status: Int, message: String, allow: [HttpMethod])
  }

  static let carriedBytes = 16_384

  let server: HttpServer
  let descriptor: Int32
  let peer: SocketAddress
  var slot = -1
  var mode = Mode.http
  private(set) var armed: Interest = []
  private var watch = WatchID.none
  private var timer = TimerID.none
  private(set) var timerKind = TimerKind?.none
  /// Whether bytes moved since the running timer was set; then it runs once more.
  var hasProgressed = false
  private(set) var peerHasEnded = false
  /// Whether it is on the server's list for the end of the turn.
  var isDirty = false

  // The request being read or answered.
  var reader: RequestReader
  var requestSide = RequestSide.idle
  var request: ServerRequest?
  var body: [UInt8] = []
  var bodyCount = 0
  var isBodyStreamed = false
  var plan = Plan.nothing
  /// Bytes after the request being answered.
  var carry: [UInt8] = []
  var carryStart = 0
  var isPumping = false

  // Its answer.
  var responseSide = ResponseSide.none
  var responder: Responder?
  var output = OutputQueue()
  var isHead = false
  var isHttp10 = false
  var closesAfter = false
  var framing = BodyFraming.none
  /// What a response with a given length still owes.
  var owedBytes: Int64 = 0
  var closesOnPeerEnd = false
  var wantsDrain = false
  var lingeredBytes = 0

  var raw: RawConnection?

  init(server: HttpServer, descriptor: Int32, peer: SocketAddress) {
    self.server = server
    self.descriptor = descriptor
    self.peer = peer
    reader = RequestReader(limits: server.configuration.limits)
  }

  lazy var credentials: (pid: Int32, uid: UInt32, gid: UInt32)? = peer.path == nil ? nil : Socket.peerCredentials(descriptor)

  func start() {
    watch = EventLoop.shared.watch(descriptor, self)
    arm(.read)
    setTimer(.header)
  }

  /// Whether nothing would be lost if it were closed now.
  var isIdle: Bool {
    mode == .http && responseSide == .none && (requestSide == .idle || requestSide == .head)
  }

  // MARK: Interest

  func arm(_ interest: Interest) {
    setInterest(armed.union(peerHasEnded ? interest.subtracting(.read) : interest))
  }

  func disarm(_ interest: Interest) {
    setInterest(armed.subtracting(interest))
  }

  private func setInterest(_ interest: Interest) {
    guard interest != armed, mode != .closed else { return }
    armed = interest
    EventLoop.shared.update(watch, interest)
  }

  // MARK: Time

  func setTimer(_ kind: TimerKind) {
    cancelTimer()
    let length =
      switch kind {
      case .header: server.configuration.headerTimeout
      case .idle: server.configuration.idleTimeout
      case .body: server.configuration.bodyTimeout
      case .write: server.configuration.writeTimeout
      case .linger: server.configuration.lingerTimeout
      }
    hasProgressed = false
    timerKind = kind
    if length > .zero { timer = EventLoop.shared.schedule(after: length, self, kind: kind.rawValue) }
  }

  func cancelTimer() {
    timerKind = nil
    guard timer != .none else { return }
    EventLoop.shared.cancel(timer)
    timer = .none
  }

  // MARK: Ends

  /// The peer has ended its writing half. A request that was complete is still answered, unless the answer is a stream that ends with
  /// its reader, or the peer is known to be gone.
  func peerEnded() {
    peerHasEnded = true
    disarm(.read)
    switch mode {
    case .closed: return
    case .lingering: close()
    case .raw: raw?.peerEnded()
    case .http:
      guard requestSide == .complete || responseSide == .complete else { return close() }
      if isHungUp || (responseSide == .streaming && closesOnPeerEnd) { return close() }
      responder?.peerEnded()
    }
  }

  /// Whether both directions are down, which a Unix socket tells and TCP does not.
  private var isHungUp: Bool {
    guard peer.path != nil else { return false }
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0 && Int32(entry.revents) & (POLLHUP | POLLERR) != 0
  }

  /// Ends the connection at once. The responder's or raw connection's `onClose` is told at the end of the turn.
  func close(reset: Bool = false) {
    guard mode != .closed else { return }
    mode = .closed
    cancelTimer()
    EventLoop.shared.unwatch(watch)
    if reset { Socket.setReset(descriptor) }
    Socket.close(descriptor)
    plan = .nothing
    request?.drop()
    request = nil
    body = []
    carry = []
    output.removeAll()
    responder?.ended(isComplete: false)
    responder = nil
    raw?.ended()
    raw = nil
    server.closed(self)
  }

  /// Ends the connection in a way that lets the peer read the answer though it may still be sending.
  func linger() {
    guard server.configuration.lingerTimeout > .zero, !peerHasEnded else { return close() }
    mode = .lingering
    request?.drop()
    request = nil
    body = []
    carry = []
    carryStart = 0
    plan = .nothing
    Socket.shutdownWrite(descriptor)
    disarm(.write)
    arm(.read)
    setTimer(.linger)
  }
}

extension ServerConnection: TimerTarget {
  func timerFired(_ kind: UInt8) {
    timer = .none
    timerKind = nil
    guard mode != .closed, let kind = TimerKind(rawValue: kind) else { return }
    if hasProgressed, kind == .body || kind == .write { return setTimer(kind) }
    switch kind {
    case .header where requestSide == .head: refuse(408, "the request's head did not come in time")
    case .body where responseSide == .none || responseSide == .pending: refuse(408, "the request's body did not come in time")
    case .write: close(reset: true)
    case .header, .idle, .body, .linger: close()
    }
  }
}
