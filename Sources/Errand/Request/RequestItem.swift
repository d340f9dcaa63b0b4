internal import EventLoop
internal import HttpWire

/// One request from its submission to its end: what is sent, what came, and where it stands. The engine alone moves it.
@LoopActor
final class RequestItem: TimerTarget {
  let info: RequestInfo
  let sink: Sink
  let ticket: DeliveryTicket
  let interests: RequestInterests
  let origin: Origin
  private let wire: [UInt8]
  private let body: [UInt8]
  let bodyCount: Int64
  let rules: RequestRules
  let closesConnection: Bool
  let expectsContinue: Bool
  private unowned let engine: RequestEngine

  var machine: RequestStateMachine
  var place: AdmissionPolicy.Place?
  var host: HostPool?
  var connector: Connector?
  var connection: Http1Connection?
  var phaseTimer = TimerID.none
  var totalTimer = TimerID.none

  /// Bytes of the request handed to the kernel in this attempt.
  var written: Int64 = 0
  /// The body waits for the server's 100.
  var holdsBody = false
  var head: ResponseHead?
  /// The answer that comes is not the last: neither it nor its body is for the delegate.
  var isToBeRetried = false
  var interim: [ResponseHead] = []
  var trailers = HttpHeaders()
  var received: [UInt8] = []
  var receivedCount: Int64 = 0
  var lengthUnknown = false
  var connectionWasKept = false
  /// Counted as finished; a cancel that beats the delivery takes that back.
  var hasSucceeded = false
  /// Bytes of the body that a slow delegate has not taken yet.
  var untaken = 0
  /// Above this reading pauses.
  static let untakenLimit = 1_048_576
  var stamps = RequestStamps()

  init(
    _ prepared: PreparedRequest, info: RequestInfo, sink: Sink, interests: RequestInterests, rules: RequestRules, engine: RequestEngine
  ) {
    self.info = info
    self.sink = sink
    self.ticket = DeliveryTicket()
    self.interests = interests
    self.rules = rules
    self.engine = engine
    origin = prepared.origin
    wire = prepared.wire
    body = prepared.body
    bodyCount = prepared.bodyCount
    closesConnection = prepared.closesConnection
    expectsContinue = prepared.expectsContinue
    machine = RequestStateMachine(isRepeatable: prepared.isRepeatable)
    stamps.submitted = .now()
  }

  /// Calls `send` with the next piece that is not sent yet; nil if there is none, or the rest is held back.
  func withUnsent(_ send: (UnsafeRawBufferPointer) -> SendResult) -> SendResult? {
    let offset = Int(written)
    if offset < wire.count {
      return wire.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    }
    let bodyOffset = offset - wire.count
    guard bodyOffset < body.count, !holdsBody else { return nil }
    return body.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[bodyOffset...])) }
  }

  var isWhollyWritten: Bool { Int(written) >= wire.count + body.count }

  /// How much of the body was sent, as far as one can tell from the bytes written.
  var bodyWritten: Int64 { max(0, bodyCount - (Int64(wire.count + body.count) - written)) }

  func received(at count: Int) {
    stamps.lastActivity = .now()
    machine.responseStarted()
  }

  /// A new attempt starts with nothing received.
  func forgetResponse() {
    head = nil
    isToBeRetried = false
    interim = []
    trailers = HttpHeaders()
    received = []
    receivedCount = 0
  }

  func timerFired(_ kind: UInt8) {
    engine.timerFired(RequestStateMachine.Timer(rawValue: kind) ?? .total, of: self)
  }
}

/// When what happened.
struct RequestStamps {
  var submitted = Instant(nanoseconds: 0)
  var granted: Instant?
  var resolved: Instant?
  var connected: Instant?
  var sent: Instant?
  var head: Instant?
  var lastActivity = Instant(nanoseconds: 0)
  /// Why an earlier attempt was not the last, with its moment.
  var retries: [(at: Instant, reason: String)] = []

  func timings(at end: Instant) -> RequestTimings {
    var timings = RequestTimings()
    timings.queue = granted?.microseconds(since: submitted)
    if let granted, let resolved { timings.dns = resolved.microseconds(since: granted) }
    if let connected, let begun = resolved ?? granted { timings.connect = connected.microseconds(since: begun) }
    timings.firstByte = head?.microseconds(since: submitted)
    timings.total = end.microseconds(since: submitted)
    return timings
  }
}

/// How a request is timed and judged. Most requests of a client share one.
final class RequestRules: Sendable {
  let timeouts: Timeouts
  let retry: RetryPolicy
  let normalizer: ResponseNormalizer
  let maxBodyBytes: Int64

  init(_ request: HttpRequest, _ configuration: HttpClient.Configuration) {
    timeouts = request.timeouts.over(configuration.timeouts)
    retry = request.retry
    normalizer = ResponseNormalizer(expect: request.expect, envelope: request.envelope, acceptStatus: request.acceptStatus)
    maxBodyBytes = request.maxBodyBytes ?? configuration.maxBodyBytes
  }

  func length(of timer: RequestStateMachine.Timer) -> Duration? {
    switch timer {
    case .queue: timeouts.queue
    case .connect: timeouts.connect
    case .firstByte: timeouts.firstByte
    case .idle: timeouts.idle
    case .total: timeouts.total
    case .backOff: nil
    }
  }
}
