internal import Dispatch
internal import EventLoop
internal import HttpWire
internal import Synchronization

/// Drives the requests of one client on the loop: asks each request's state machine what an event means, and does it.
@LoopActor
final class RequestEngine {
  let configuration: HttpClient.Configuration
  let pool: ConnectionPool
  let inbox = CommandInbox()
  var table = RequestTable()
  var readers: ReaderShelf
  let preparer: RequestPreparer
  private(set) lazy var connectPolicy = ConnectPolicy(configuration, resolver, preparer.tls, preparer.authenticator)
  var counters = ClientStats()
  /// Ends of requests that are not in the table any more: above this number a handle was never given out.
  var highestHandle: UInt64 = 0
  var isShutDown = false
  var whenEmpty: [@LoopActor () -> Void] = []
  let deliveries = DeliveryQueue()
  let graceTimer = GraceTimer()
  let decodings = DecodingLine()
  var isPumping = false
  /// Requests whose name is resolved and that wait to take their place under the total limit back, in order.
  var resolved = ResolvedLine()
  var networkObserver: NetworkMonitor.ObserverID?
  var breakers = HostMemory<Origin, CircuitBreaker>()
  /// By host name.
  var budgets = HostMemory<String, RetryBudget>()
  let rateTimer = RateTimer()
  /// nil if nobody observes.
  let observers: ObserverQueue?
  var sessions = SessionWatch()
  /// Where what is sent next is made ready.
  let preparations = DispatchQueue(label: "errand.preparation")
  /// Downloads whose files are not closed yet.
  var openDownloads = 0
  var closingParts = ClosingParts()
  var pauses: [CancelScope] = []
  private nonisolated let lastHandle: Atomic<UInt64>
  private var random = SystemRandomNumberGenerator()

  nonisolated init(_ configuration: HttpClient.Configuration, _ environment: ProxyEnvironment) {
    let configuration = configuration.withCatalogLimits
    self.configuration = configuration
    lastHandle = Atomic(configuration.firstHandle &- 1)
    observers = ObserverQueue(configuration.observers)
    preparer = RequestPreparer(configuration, environment)
    readers = ReaderShelf(configuration.wireLimits)
    pool = ConnectionPool(configuration)
  }

  nonisolated func newHandle() -> RequestHandle {
    RequestHandle(id: lastHandle.add(1, ordering: .relaxed).newValue)
  }

  // MARK: Submitting

  /// Checks a request and makes its item. Any thread.
  nonisolated func prepare(
    _ request: HttpRequest, handle: RequestHandle, sink: Sink, delegate: (any HttpClientDelegate)? = nil, interests: RequestInterests = [],
    at now: Instant
  ) -> CommandInbox.Command {
    var completed: HttpRequest?
    do throws(HttpClientError) {
      guard preparer.mayComplete(request) else { return try command(request, handle, sink, delegate, interests, now) }
      let whole = try preparer.completed(request)
      completed = whole
      return try command(whole, handle, sink, delegate, interests, now)
    } catch {
      let request = completed ?? request
      let info = RequestInfo(
        handle: handle, url: RequestInfo.shown(request), method: request.method ?? .get, tag: request.tag, key: request.key,
        delegateName: request.delegateName, owner: request.owner)
      return .refuse(DeliveryTicket(info, sink, delegate), error)
    }
  }

  private nonisolated func command(
    _ request: HttpRequest, _ handle: RequestHandle, _ sink: Sink, _ delegate: (any HttpClientDelegate)?,
    _ interests: RequestInterests, _ now: Instant
  ) throws(HttpClientError) -> CommandInbox.Command {
    if let fault = Download.fault(in: request) ?? sink.fault(in: request) { throw .invalid("download", fault) }
    let prepared: PreparedRequest
    if let local = try LocalSource(request, allowsFiles: preparer.configuration.allowsFileUrls) {
      prepared = PreparedRequest(local, request)
    } else {
      prepared = try PreparedRequest(request, by: preparer, at: now)
    }
    let isPlain = request.isPlain && prepared.auth.isPlain && prepared.cacheRequest == nil
    let conversation = isPlain ? nil : Conversation(request, prepared)
    let info = RequestInfo(
      handle: handle, url: prepared.url, method: prepared.method, tag: request.tag, key: request.key, delegateName: request.delegateName,
      owner: request.owner)
    let interests = delegate?.interests ?? interests
    let rules = preparer.rules.rules(for: request, streams: sink.isStream || interests.contains(.bodyChunks))
    return .submit(
      RequestItem(
        prepared, ticket: DeliveryTicket(info, sink, delegate), interests: interests, rules: rules, conversation: conversation,
        engine: self, at: now)
    )
  }

  /// Checks what a request asks next. Any thread but the loop's.
  nonisolated func prepared(_ request: HttpRequest, with answers: AuthAnswers?) -> Result<PreparedRequest, HttpClientError> {
    do throws(HttpClientError) {
      return .success(try PreparedRequest(request, by: preparer, answers, at: .now()))
    } catch {
      return .failure(error)
    }
  }

  func obey(_ commands: [CommandInbox.Command]) {
    for command in commands { obey(command) }
  }

  func obey(_ command: CommandInbox.Command) {
    switch command {
    case .submit(let item):
      accepted(item.ticket)
      table.insert(item)
      startDeadline(item)
      if isShutDown {
        apply(item.machine.refused(.denied, .queue, "the client is shutting down"), to: item)
      } else if !isHeld(item) {
        begin(item)
      }
    case .refuse(let ticket, let error):
      accepted(ticket)
      counters.failed += 1
      send(.failed(error), ticket, observers.map { ObservedEnd($0, nil) })
    case .cancel(let handle, let completion):
      let receipt = cancel(handle)
      completion?(receipt)
    case .cancelScope(let scope, let completion):
      let receipts = cancel(scope)
      completion?(receipts)
    }
  }

  func begin(_ item: RequestItem) {
    if item.conversation?.auth.origin.said == .awaitsToken {
      apply(item.machine.setAside(), to: item)
      return askForToken(item)
    }
    let isLookedUp = configuration.cache != nil && item.conversation?.cacheRequest != nil || item.rules.download != nil
    guard isLookedUp else { return apply(item.machine.submitted(), to: item) }
    apply(item.machine.setAside(), to: item)
    lookUp(item)
  }

  private func accepted(_ ticket: DeliveryTicket) {
    observers?.began(ticket.info)
    counters.submitted += 1
    highestHandle = max(highestHandle, ticket.info.handle.id)
  }

  // MARK: Doing what a machine says

  func apply(_ actions: RequestStateMachine.Actions, to item: RequestItem) {
    switch actions.timer {
    case .keep: break
    case .clear: clearPhaseTimer(item)
    case .start(.backOff): break
    case .start(let timer): startPhaseTimer(timer, of: item)
    }
    if actions.startsTotal { item.totalTimer = startTimer(.total, of: item) }
    switch actions.transport {
    case .keep: break
    case .enqueue: enqueue(item)
    case .leaveQueue: leaveQueue(item)
    case .connect: connect(item)
    case .abandonConnect: abandonConnect(item)
    case .send:
      if let connection = item.connection { connection.begin(item) }
      if item.isToTellStart { tellStart(item) }
    case .release: release(item, isWhole: true)
    case .close: release(item, isWhole: false)
    }
    if let finish = actions.finish { end(item, finish) }
  }

  private func startPhaseTimer(_ timer: RequestStateMachine.Timer, of item: RequestItem) {
    clearPhaseTimer(item)
    item.phaseTimer = startTimer(timer, of: item)
  }

  private func startTimer(_ timer: RequestStateMachine.Timer, of item: RequestItem) -> TimerID {
    let length = item.rules.nanoseconds(of: timer)
    return length > 0 ? EventLoop.shared.schedule(afterNanoseconds: length, item, kind: timer.rawValue) : .none
  }

  private func clearPhaseTimer(_ item: RequestItem) {
    EventLoop.shared.cancel(item.phaseTimer)
    item.phaseTimer = .none
  }

  /// Puts a request off until `delay` is over.
  func backOff(_ item: RequestItem, for delay: Duration) {
    clearPhaseTimer(item)
    item.phaseTimer = EventLoop.shared.schedule(after: delay, item, kind: RequestStateMachine.Timer.backOff.rawValue)
  }

  /// One that failed as it was begun, and may be begun again, has not started.
  private func tellStart(_ item: RequestItem) {
    guard case .exchanging = item.machine.state else { return }
    item.isToTellStart = false
    send(.started, to: item)
  }

  func randomPart() -> Double { Double.random(in: 0..<1, using: &random) }
}
