internal import EventLoop
internal import HttpWire

/// One request from its submission to its end: what is sent, what came, and where it stands. The engine alone moves it.
@LoopActor
final class RequestItem: TimerTarget {
  // Requests in flight are many: what few of them have is in `Rare`, and the small fields stand together, for each that stands alone
  // takes eight bytes.
  let ticket: DeliveryTicket
  private(set) var wire: [UInt8]
  private(set) var body: [UInt8]
  private(set) var bodyCount: Int64
  let rules: RequestRules
  private let engine: RequestEngine
  private(set) var origin: Origin
  var priority: Int8
  let interests: RequestInterests
  private(set) var closesConnection: Bool
  private(set) var expectsContinue: Bool

  /// Its slot's place under the total limit is lent to others while its name is resolved.
  var isLent = false
  var isReused = false
  /// The body waits for the server's 100.
  var holdsBody = false
  var lengthUnknown = false
  var connectionWasKept = false
  /// No connection came about, for a reason that may pass; true where that is not known.
  var mayPass = true
  /// Its caller wants to know when its first exchange begins, and it has not.
  var isToTellStart: Bool
  /// Its caller wants to be asked before its first bytes go out, and has not answered.
  var isToAskLeave: Bool
  /// It was accepted by an earlier process: no limit on waiting requests turns it away.
  var isReadmitted = false
  /// Counted as finished; a cancel that beats the delivery takes that back.
  var hasSucceeded = false

  /// By the origin's circuit breaker, until it was told how the attempt ended.
  var pass: CircuitBreaker.Pass?
  var place: AdmissionPolicy.Place?
  var slot: AdmissionPolicy.Slot?
  var machine: RequestStateMachine
  /// Its stream on a connection that has many.
  var stream = Http2Stream.none
  var phaseTimer = TimerID.none
  var totalTimer = TimerID.none
  var host: HostPool?
  /// The connection in the making that it waits for.
  var attempt: ConnectAttempt?
  var connection: (any HttpConnection)?
  /// The connection it is or was last on.
  var facts: ConnectionFacts?

  /// Bytes of the request handed to the kernel in this attempt.
  var written: Int64 = 0
  var head: ResponseHead?
  var received: [UInt8] = []
  var receivedCount: Int64 = 0
  var stamps: RequestStamps
  /// nil for a request of which one exchange was all, so far.
  var conversation: Conversation?
  private var rare: Rare?

  /// Above this reading pauses.
  static let untakenLimit = 1_048_576

  nonisolated init(
    _ prepared: PreparedRequest, ticket: DeliveryTicket, interests: RequestInterests, rules: RequestRules, conversation: Conversation?,
    engine: RequestEngine, at now: Instant
  ) {
    self.ticket = ticket
    self.interests = interests
    isToTellStart = interests.contains(.started)
    isToAskLeave = interests.contains(.sending)
    self.rules = rules
    self.engine = engine
    self.conversation = conversation
    origin = prepared.origin
    wire = prepared.wire
    body = prepared.body
    bodyCount = prepared.bodyCount
    closesConnection = prepared.closesConnection
    expectsContinue = prepared.expectsContinue
    priority = prepared.priority
    machine = RequestStateMachine(isRepeatable: prepared.isRepeatable)
    stamps = RequestStamps(submitted: now)
    if prepared.feed != nil || prepared.local != nil { rare = Rare(prepared.feed, local: prepared.local) }
  }

  var info: RequestInfo { ticket.info }
  /// Of the exchange that is under way.
  var method: HttpMethod { conversation?.method ?? ticket.info.method }

  /// Takes over what is sent in the next exchange.
  func take(_ prepared: PreparedRequest) {
    feed?.close()
    if feed != nil || prepared.feed != nil { withRare { $0.feed = prepared.feed } }
    wire = prepared.wire
    body = prepared.body
    bodyCount = prepared.bodyCount
    origin = prepared.origin
    closesConnection = prepared.closesConnection
    expectsContinue = prepared.expectsContinue
    written = 0
    forgetResponse()
  }

  /// How much of `wire` is the head.
  var headCount: Int { body.isEmpty && feed == nil ? wire.count - Int(bodyCount) : wire.count }

  /// Sends the next piece that is not sent yet; nil if there is none just now, or the rest is held back.
  func send(on stream: ByteStream) -> StreamWrite? {
    let offset = Int(written)
    if offset < wire.count { return stream.send(wire, from: offset) }
    if let feed { return holdsBody ? nil : feed.send(on: stream) }
    let bodyOffset = offset - wire.count
    guard bodyOffset < body.count, !holdsBody else { return nil }
    return stream.send(body, from: bodyOffset)
  }

  var isWhollyWritten: Bool { Int(written) >= wire.count + body.count && feed?.isWhole != false }

  /// How much of the body was sent, as far as one can tell from the bytes written.
  var bodyWritten: Int64 {
    if let feed { return feed.isChunked ? feed.written : max(0, written - Int64(wire.count)) }
    return max(0, bodyCount - (Int64(wire.count + body.count) - written))
  }

  /// Its body can be sent, though it may have been before.
  var canReplayBody: Bool { feed?.canReplay != false }

  /// Its body is open.
  func opened(head: [UInt8], length: Int64) {
    wire = head
    bodyCount = length
    if length == 0 { expectsContinue = false }
  }

  /// Bytes came for it.
  func touched() {
    stamps.lastActivity = EventLoop.shared.now
    machine.responseStarted()
  }

  /// Bytes of its body wait for whoever takes it.
  func holds(_ count: Int) {
    untaken += count
    if untaken >= RequestItem.untakenLimit { connection?.pause(self) }
  }

  /// A new attempt starts with nothing received.
  func forgetResponse() {
    head = nil
    rare?.followUp = nil
    rare?.keepsAnswer = false
    rare?.taker = nil
    rare?.decoding = nil
    rare?.interim = []
    rare?.trailers = [:]
    received = []
    receivedCount = 0
  }

  func timerFired(_ kind: UInt8) {
    engine.timerFired(RequestStateMachine.Timer(rawValue: kind) ?? .total, of: self)
  }

  // MARK: What few requests have

  /// What its body comes from, where that is not in memory.
  var feed: BodyFeed? { rare?.feed }
  /// Where its answer is on this machine.
  var local: LocalSource? { rare?.local }

  /// The 1xx responses so far.
  var interim: [ResponseHead] { rare?.interim ?? [] }
  var trailers: HttpHeaders { rare?.trailers ?? [:] }
  /// What follows from the answer that comes, which is not the last then: neither it nor its body is for the delegate.
  var followUp: FollowUp? {
    get { rare?.followUp }
    set { withRare { $0.followUp = newValue } }
  }
  var isFollowedUp: Bool { rare?.followUp != nil }
  /// Its answer is kept though something follows from it.
  var keepsAnswer: Bool {
    get { rare?.keepsAnswer ?? false }
    set { withRare { $0.keepsAnswer = newValue } }
  }
  /// How it came to where it is asked now, for people.
  var redirectWords: String {
    let count = conversation?.redirects.count ?? 0
    return count == 1 ? "a redirect" : "\(count) redirects"
  }
  /// What led to the exchange that is made ready, for people.
  var followWords: String { conversation?.redirects.isEmpty == false ? redirectWords : "an answer that wants to know who is asking" }
  /// Its body is being decoded; nil for one that comes as it is.
  var decoding: BodyDecoding? {
    get { rare?.decoding }
    set { withRare { $0.decoding = newValue } }
  }
  /// Bytes of the body that its taker has not done with yet.
  var untaken: Int {
    get { rare?.untaken ?? 0 }
    set { withRare { $0.untaken = newValue } }
  }
  /// Takes the body that comes; nil if it is kept in memory.
  var taker: (any BodyTaker)? {
    get { rare?.taker }
    set { withRare { $0.taker = newValue } }
  }
  var download: DownloadTransfer? {
    get { rare?.download }
    set { withRare { $0.download = newValue } }
  }
  /// Its body is there.
  var file: DownloadedFile? {
    get { rare?.file }
    set { withRare { $0.file = newValue } }
  }
  /// Why earlier attempts were not the last.
  var retries: [RequestTrace.Retry] { rare?.retries ?? [] }

  var trace: RequestTrace {
    RequestTrace(
      host: origin.resolvedNames, stamps: stamps, retries: retries, moments: rare?.moments ?? [], connection: facts, isReused: isReused,
      status: head?.status, bytesWritten: written, bytesReceived: receivedCount)
  }

  /// Ends it at its deadline; none for most.
  var deadlineTimer: TimerID {
    get { rare?.deadlineTimer ?? .none }
    set { withRare { $0.deadlineTimer = newValue } }
  }
  /// Lets it begin; none for most.
  var startTimer: TimerID {
    get { rare?.startTimer ?? .none }
    set { withRare { $0.startTimer = newValue } }
  }

  func add(interim head: ResponseHead) { withRare { $0.interim.append(head) } }
  func set(trailers: HttpHeaders) { withRare { $0.trailers = trailers } }
  var refusal: Refusal? { rare?.refusal }
  func set(refusal: Refusal) { withRare { $0.refusal = refusal } }
  /// Something happened to it that is worth a line in its timeline.
  func add(_ event: String, _ note: String) {
    let moment = RequestTrace.Moment(at: EventLoop.shared.now, event: event, note: note)
    withRare { $0.moments.append(moment) }
  }
  /// An attempt was not the last, or was though it might have been.
  func add(retryOf attempt: Int, _ reason: String, _ next: RequestTrace.Retry.Next) {
    let retry = RequestTrace.Retry(at: EventLoop.shared.now, attempt: attempt, reason: reason, next: next)
    withRare { $0.retries.append(retry) }
  }

  private func withRare(_ change: (Rare) -> Void) {
    let rare = self.rare ?? Rare()
    self.rare = rare
    change(rare)
  }

  @LoopActor
  private final class Rare {
    var feed: BodyFeed?
    var interim: [ResponseHead] = []
    var trailers = HttpHeaders()
    var retries: [RequestTrace.Retry] = []
    var moments: [RequestTrace.Moment] = []
    var followUp: FollowUp?
    var keepsAnswer = false
    var decoding: BodyDecoding?
    var untaken = 0
    var taker: (any BodyTaker)?
    var download: DownloadTransfer?
    var file: DownloadedFile?
    var refusal: Refusal?
    var deadlineTimer = TimerID.none
    var startTimer = TimerID.none

    let local: LocalSource?

    nonisolated init(_ feed: BodyFeed? = nil, local: LocalSource? = nil) {
      self.feed = feed
      self.local = local
    }
  }
}
