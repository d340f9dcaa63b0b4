internal import EventLoop
internal import HttpWire

/// How requests end, by themselves or cancelled.
extension RequestEngine {
  func end(_ item: RequestItem, _ finish: RequestStateMachine.Finish) {
    EventLoop.shared.cancel(item.totalTimer)
    item.totalTimer = .none
    endWaiting(item)
    item.feed?.close()
    reportToBreaker(item, finish)
    if let download = item.download { close(download) }
    var timings = item.stamps.timings(at: EventLoop.shared.now)
    if !item.isReused, let facts = item.facts, facts.tlsTime > 0 { timings.tls = facts.tlsTime }
    let outcome: Outcome
    switch finish {
    case .response:
      if configuration.cache != nil { storeAnswer(item) }
      outcome = judged(item, timings)
    case .failure(let code, _, _) where configuration.cache != nil && isStoodInFor(item, code):
      outcome = judged(item, timings)
    case .failure(let code, let phase, let message):
      outcome = .failed(failure(item, code, phase, message, timings))
    case .cancelled(let sent, let written, let connection):
      outcome = .cancelled(
        CancelReceipt(handle: item.info.handle, result: .cancelled, sent: sent, bytesWritten: written, connection: connection))
    }
    if item.decoding != nil { item.decoding = nil }
    count(outcome)
    if case .finished = outcome { item.hasSucceeded = true }
    if case .cancelled = outcome { _ = item.ticket.take() }
    send(outcome, item.ticket, observedEnd(of: item))
  }

  /// Hands an outcome on. Sinks on the loop are told at once; for the others it stays cancellable until they are called.
  func send(_ outcome: consuming Outcome, _ ticket: DeliveryTicket, _ observed: ObservedEnd?) {
    switch ticket.sink {
    case .loop(let sink):
      // In the table until it was told, so that the sink can ask for the trace; taken, so that it can't cancel what it is told of.
      _ = ticket.take()
      observed?.happened(ticket.info, outcome)
      sink.requestEnded(ticket.info, outcome)
      table.remove(ticket.info.handle)
      tellIfEmpty()
    case .waiter(let done):
      observed?.happened(ticket.info, outcome)
      table.remove(ticket.info.handle)
      done(outcome.result)
      tellIfEmpty()
    case .stream(let buffer):
      table.remove(ticket.info.handle)
      buffer.end(outcome.result)
      tellIfEmpty()
    case .delegate, .completion:
      if case .cancelled = outcome { table.remove(ticket.info.handle) }
      deliveries.add(Delivery(ticket, .outcome(outcome), observed), of: self)
    }
  }

  private func observedEnd(of item: RequestItem) -> ObservedEnd? { observers.map { ObservedEnd($0, item.trace) } }

  /// Hands on what was asked for. Sinks on the loop are told at once.
  func send(_ event: Delivery.Event, to item: RequestItem) {
    guard case .loop(let sink) = item.ticket.sink else { return deliveries.add(Delivery(item.ticket, event), of: self) }
    switch event {
    case .started: sink.requestStarted(item.info)
    case .redirect(let redirection): sink.requestRedirected(item.info, redirection)
    case .outcome, .interim, .head, .chunk, .sent, .challenge, .progress: break
    }
  }

  // MARK: Cancelling

  func cancel(_ handle: RequestHandle) -> CancelReceipt {
    if let item = table[handle] { return cancel(item) }
    return CancelReceipt(handle: handle, result: handle.id <= highestHandle ? .alreadyFinished : .unknown)
  }

  /// Cancels what matches now; what is submitted later is not touched.
  func cancel(_ scope: CancelScope) -> [CancelReceipt] {
    // In the order of submission, so that receipts read like the list. Their slots are given on when all have ended: one of them would
    // otherwise get another's slot and be sent.
    let handles = table.handles(where: scope.matches)
    return holdingSlots {
      var receipts: [CancelReceipt] = []
      for handle in handles {
        guard let item = table[handle] else { continue }
        let receipt = cancel(item)
        // One whose end a delegate is being told of just now is not cancelled.
        if receipt.result == .cancelled { receipts.append(receipt) }
      }
      return receipts
    }
  }

  private func cancel(_ item: RequestItem) -> CancelReceipt {
    if case .ended = item.machine.state {
      // Its end is on the way to the delegate: whoever takes the ticket first decides.
      guard item.ticket.take() else { return CancelReceipt(handle: item.info.handle, result: .alreadyFinished, sent: item.machine.sent) }
      let receipt = CancelReceipt(
        handle: item.info.handle, result: .cancelled, sent: item.machine.sent, bytesWritten: item.written,
        connection: item.connectionWasKept ? .kept : .none)
      if item.hasSucceeded { counters.finished -= 1 } else { counters.failed -= 1 }
      counters.cancelled += 1
      table.remove(item.info.handle)
      send(.cancelled(receipt), item.ticket, observedEnd(of: item))
      return receipt
    }
    var actions = item.machine.cancelled()
    if item.decoding?.hasEnded == true, case .cancelled(let sent, _, _)? = actions.finish {
      // All was received, and nothing of it is to be sent again.
      actions.finish = .cancelled(sent, written: item.written, item.connectionWasKept ? .kept : .closed)
    }
    apply(actions, to: item)
    guard case .cancelled(let sent, let written, let connection)? = actions.finish else {
      return CancelReceipt(handle: item.info.handle, result: .alreadyFinished)
    }
    return CancelReceipt(handle: item.info.handle, result: .cancelled, sent: sent, bytesWritten: written, connection: connection)
  }

  // MARK: Shutting down

  /// Takes no more requests, lets those under way end within `grace`, then cancels the rest. `done` is told when all have ended.
  func shutdown(grace: Duration, _ done: @escaping @LoopActor () -> Void) {
    isShutDown = true
    whenEmpty.append { [self] in
      closeDown()
      done()
    }
    // Those that are held will not begin any more.
    for handle in table.handles(where: { $0.machine.state == .held }) { _ = cancel(handle) }
    if grace <= .zero { _ = cancel(.all) } else { graceTimer.start(grace, self) }
    tellIfEmpty()
  }

  /// Nobody can submit or cancel any more. What is under way has its outcomes yet, and holds the engine for that long.
  func clientIsGone() {
    isShutDown = true
    whenEmpty.append { [self] in closeDown() }
    tellIfEmpty()
  }

  private func closeDown() {
    dropIdleConnections()
    stopWatchingNetwork()
  }

  func tellIfEmpty() {
    guard !whenEmpty.isEmpty, table.count == 0, deliveries.undelivered == 0, openDownloads == 0 else { return }
    let told = whenEmpty
    whenEmpty = []
    graceTimer.stop()
    for body in told { body() }
  }

  // MARK: Making outcomes

  private func judged(_ item: RequestItem, _ timings: RequestTimings) -> Outcome {
    guard let head = item.head else {
      return .failed(failure(item, .malformedResponse, .response, "a body without a head", timings))
    }
    let response = HttpResponse(
      head, body: item.received, trailers: item.trailers, interim: item.interim, lengthUnknown: item.lengthUnknown,
      attempts: item.machine.attempts, timings: timings, way: item.conversation.flatMap(HttpResponse.Way.init),
      encodedByteCount: item.decoding?.encodedByteCount ?? item.conversation?.course?.encodedByteCount, file: item.file)
    item.received = []
    // What is not in memory is not judged; that it is a success was seen from its head.
    if item.taker?.takesSuccess == true { return .finished(response) }
    switch item.rules.normalizer.normalize(response) {
    case .success(let response):
      if item.rules.normalizer.envelope != nil { sessionHolds(item) }
      return .finished(response)
    case .failure(var error):
      if error.code == .httpStatus, let words = item.conversation?.auth.words { error.message += "; \(words)" }
      if let envelope = item.rules.normalizer.envelope, envelope.endsSession(error.serviceCode) { sessionEnded(item, envelope, error) }
      error.attempts = item.machine.attempts
      error.timings = timings
      // What was stored, or is on this machine, was asked of nobody.
      if item.machine.sent == .notSent { error.sent = .notSent }
      error.retryable = item.machine.isRepeatable && (head.status == 429 || head.status >= 500)
      return .failed(error)
    }
  }

  private func failure(
    _ item: RequestItem, _ code: HttpClientError.Code, _ phase: Phase, _ message: String, _ timings: RequestTimings
  ) -> HttpClientError {
    let sent = item.machine.sent
    var message = message
    if code == .timeout, let limit = item.rules.words(for: phase) { message += " (\(phase) timeout of \(limit))" }
    // One that can't be sent on says itself where it was to go.
    if let count = item.conversation?.redirects.count, count > 0, code != .tooManyRedirects { message += ", after \(item.redirectWords)" }
    let mayHelp: Bool
    switch code {
    case .dns, .connect, .timeout, .connectionLost, .truncated, .queueFull: mayHelp = true
    // Only a handshake that was cut may pass.
    case .tls: mayHelp = sent == .notSent
    default: mayHelp = false
    }
    let isSafe = sent == .notSent || item.machine.isRepeatable
    var error = HttpClientError(
      code, phase: phase, message: message, retryable: mayHelp && item.mayPass && isSafe, sent: sent,
      attempts: item.machine.attempts, timings: timings)
    // The answer that would have led on, without its body.
    if let head = item.head, [.tooManyRedirects, .cannotReplayBody, .denied].contains(code) {
      error.response = HttpResponse(
        head, body: [], trailers: [:], interim: item.interim, lengthUnknown: false, attempts: item.machine.attempts, timings: timings,
        way: item.conversation.flatMap(HttpResponse.Way.init))
    }
    error.field = item.refusal?.field
    error.limit = item.refusal?.limit
    error.retryAfter = item.refusal?.retryAfter
    return error
  }

  private func count(_ outcome: Outcome) {
    switch outcome {
    case .finished: counters.finished += 1
    case .failed: counters.failed += 1
    case .cancelled: counters.cancelled += 1
    }
  }
}

/// Ends a shutdown's patience.
@LoopActor
final class GraceTimer: TimerTarget {
  private var engine: RequestEngine?
  private var timer = TimerID.none

  nonisolated init() {}

  func start(_ grace: Duration, _ engine: RequestEngine) {
    self.engine = engine
    timer = EventLoop.shared.schedule(after: grace, self, kind: 0)
  }

  func stop() {
    EventLoop.shared.cancel(timer)
    timer = .none
    engine = nil
  }

  func timerFired(_ kind: UInt8) {
    timer = .none
    _ = engine?.cancel(.all)
  }
}
