internal import EventLoop
internal import HttpWire

/// Drives the requests of one client on the loop: asks each request's state machine what an event means, and does it.
@LoopActor
final class RequestEngine {
  let configuration: HttpClient.Configuration
  let pool: ConnectionPool
  let inbox = CommandInbox()
  var table = RequestTable()
  /// What the readers of new connections are copied from.
  let reader: ResponseReader
  private let headers: DefaultHeaders
  var counters = ClientStats()
  /// Ends of requests that are not in the table any more: above this number a handle was never given out.
  var highestHandle: UInt64 = 0
  var isShutDown = false
  var whenEmpty: [@LoopActor () -> Void] = []
  let deliveries = DeliveryQueue()
  private let rules: RulesByExpectation
  let graceTimer = GraceTimer()
  private var isPumping = false
  /// Requests whose name is resolved and that wait to take their place under the total limit back, in order.
  private var resolved = ResolvedLine()
  private var random = SystemRandomNumberGenerator()

  nonisolated init(_ configuration: HttpClient.Configuration) {
    self.configuration = configuration
    rules = RulesByExpectation(configuration)
    headers = DefaultHeaders(configuration)
    reader = ResponseReader(requestMethod: .get, limits: configuration.wireLimits)
    pool = ConnectionPool(perHost: configuration.maxConnectionsPerHost, total: configuration.maxConnections)
  }

  // MARK: Submitting

  /// Checks a request and makes its item. Any thread.
  nonisolated func prepare(
    _ request: HttpRequest, handle: RequestHandle, sink: Sink, delegate: (any HttpClientDelegate)? = nil, at now: Instant
  ) -> CommandInbox.Command {
    do throws(HttpClientError) {
      let prepared = try PreparedRequest(request, headers)
      let info = RequestInfo(
        handle: handle, url: prepared.url, method: prepared.method, tag: request.tag, key: request.key, delegateName: request.delegateName,
        owner: request.owner)
      return .submit(
        RequestItem(
          prepared, ticket: DeliveryTicket(info, sink, delegate), interests: delegate?.interests ?? [], rules: rules[request],
          engine: self, at: now)
      )
    } catch {
      let info = RequestInfo(
        handle: handle, url: RequestInfo.withoutUserInfo(request.url), method: request.method ?? .get, tag: request.tag, key: request.key,
        delegateName: request.delegateName, owner: request.owner)
      return .refuse(DeliveryTicket(info, sink, delegate), error)
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
      if isShutDown {
        apply(item.machine.refused(.denied, .queue, "the client is shutting down"), to: item)
      } else {
        apply(item.machine.submitted(), to: item)
      }
    case .refuse(let ticket, let error):
      accepted(ticket)
      counters.failed += 1
      send(.failed(error), ticket)
    case .cancel(let handle, let completion):
      let receipt = cancel(handle)
      completion?(receipt)
    case .cancelScope(let scope, let completion):
      let receipts = cancel(scope)
      completion?(receipts)
    }
  }

  private func accepted(_ ticket: DeliveryTicket) {
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
    case .send: if let connection = item.connection { connection.begin(item) }
    case .release: release(item, keepingConnection: true)
    case .close: release(item, keepingConnection: false)
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

  func randomPart() -> Double { Double.random(in: 0..<1, using: &random) }

  // MARK: Slots

  private func enqueue(_ item: RequestItem) {
    // Asked for anew after a back-off: nobody may have used the origin meanwhile, and it is forgotten then.
    let host = pool.host(item.origin)
    item.host = host
    if let slot = pool.admission.take(host.admissionIndex, owner: item.info.owner, at: EventLoop.shared.now) {
      grant(item, slot)
    } else if pool.admission.waiting >= configuration.maxQueued {
      apply(
        item.machine.refused(.queueFull, .queue, "\(configuration.maxQueued) requests are waiting already (limit max_queued)"), to: item)
    } else {
      item.place = pool.admission.wait(item.ticket.info.handle.id, host: host.admissionIndex, owner: item.info.owner)
      pump()
    }
  }

  private func grant(_ item: RequestItem, _ slot: AdmissionPolicy.Slot) {
    guard let host = item.host else { return }
    item.place = nil
    item.slot = slot
    if item.stamps.granted == nil { item.stamps.granted = EventLoop.shared.now }
    item.connection = pool.takeIdle(host)
    if item.connection != nil { counters.connectionsReused += 1 }
    apply(item.machine.slotGranted(hasConnection: item.connection != nil), to: item)
  }

  /// Grants slots while there are any. Not recursive: a grant may end its request at once and free the slot again.
  private func pump() {
    guard !isPumping else { return }
    isPumping = true
    while true {
      if connectResolved() { continue }
      guard let (id, slot) = pool.admission.next(at: EventLoop.shared.now) else { break }
      if let item = table[RequestHandle(id: id)] { grant(item, slot) }
    }
    isPumping = false
  }

  /// Runs `body`, during which freed slots stay free, and gives them out then.
  func holdingSlots<T>(_ body: () -> T) -> T {
    guard !isPumping else { return body() }
    isPumping = true
    let result = body()
    isPumping = false
    pump()
    return result
  }

  private func leaveQueue(_ item: RequestItem) {
    if let place = item.place { pool.admission.leave(place) }
    item.place = nil
    if let host = item.host { pool.forgetIfUnused(host) }
  }

  private func freeSlot(_ item: RequestItem, at host: HostPool, isLent: Bool = false) {
    if let slot = item.slot { pool.admission.release(slot, isLent: isLent) }
    item.slot = nil
    pump()
    pool.forgetIfUnused(host)
  }

  // MARK: Connections

  private func connect(_ item: RequestItem) {
    guard let host = item.host else { return }
    if let stale = item.connection {
      item.connection = nil
      item.forgetResponse()
      item.add(retry: "the kept connection had been closed by the server")
      counters.retried += 1
      pool.closeBusy(stale)
    }
    let connector = Connector(host.origin, configuration.resolver ?? CaresResolver.shared)
    item.connector = connector
    connector.start { [self] in
      guard item.isLent else { return connectNow(item) }
      resolved.append(item)
      pump()
    } done: { [self] result in
      item.connector = nil
      item.stamps.resolved = connector.resolvedAt
      switch result {
      case .success(let (descriptor, address)):
        counters.connectionsOpened += 1
        item.stamps.connected = EventLoop.shared.now
        let connection = Http1Connection(descriptor, id: pool.nextID(), host: host, address: address, engine: self)
        pool.opened(connection)
        item.connection = connection
        apply(item.machine.connected(), to: item)
      case .failure(let error):
        switch error.failure {
        case .dns(let words): apply(item.machine.connectFailed(.dns, .dns, words), to: item)
        case .connect(let words): apply(item.machine.connectFailed(.connect, .connect, words), to: item)
        }
      }
    }
    if connector.isResolving {
      // Names whose servers are silent must not use up the connections that other hosts need.
      item.isLent = true
      pool.admission.lend()
      pump()
    }
  }

  private func connectNow(_ item: RequestItem) {
    pool.makeRoom()
    item.connector?.connect()
  }

  /// Has the next request whose name is resolved connect, if there is room under the total limit.
  private func connectResolved() -> Bool {
    guard let item = resolved.first(), pool.admission.reclaim() else { return false }
    resolved.removeFirst()
    item.isLent = false
    connectNow(item)
    return true
  }

  private func abandonConnect(_ item: RequestItem) {
    item.connector?.cancel()
    item.connector = nil
    let isLent = item.isLent
    item.isLent = false
    if let host = item.host { freeSlot(item, at: host, isLent: isLent) }
  }

  private func release(_ item: RequestItem, keepingConnection: Bool) {
    guard let connection = item.connection else { return }
    item.connection = nil
    if keepingConnection {
      item.connectionWasKept = true
      connection.end()
      pool.putIdle(connection)
      connection.startIdling(for: configuration.keepAlive)
    } else {
      pool.closeBusy(connection)
    }
    freeSlot(item, at: connection.host)
  }

  /// The server closed a connection that nobody uses, spoke out of turn on it, or it was idle for too long.
  func idleConnectionEnded(_ connection: Http1Connection) {
    pool.closeIdle(connection)
  }
}
