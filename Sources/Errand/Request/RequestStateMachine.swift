/// The life of one request as a pure value: one method per event, each returns what is to be done. No clock, no I/O.
///
/// A late event, one that belongs to a state already left, returns `.nothing`: a socket, a timer or a resolver may speak in the same
/// turn in which the request ended, and the first one decides.
struct RequestStateMachine: Sendable {
  enum State: Sendable, Hashable {
    case new
    /// Waits for its time, or for the end of a pause, without a place in any queue.
    case held
    /// Waits for a slot.
    case queued
    /// Has a slot; a connection for it is being made.
    case connecting
    /// On a connection.
    case exchanging(Exchange)
    /// Waits to be sent again, without a slot.
    case backingOff
    /// Between two exchanges, or before the first: what is sent next is being made ready, without a slot.
    case preparing
    case ended
  }

  struct Exchange: Sendable, Hashable {
    // Before the flags: requests in flight are many, and so the padding is at the end, for others to use.
    var written: Int64 = 0
    let isReused: Bool
    /// Its connection carries other requests too, and outlives this one.
    var isShared = false
    var isWhole = false
    var responseStarted = false
    var headReceived = false
  }

  /// What to do, in independent parts.
  struct Actions: Sendable, Equatable {
    var transport = Transport.keep
    var timer = TimerChange.keep
    var startsTotal = false
    var finish: Finish?

    static let nothing = Actions()
  }

  enum Transport: Sendable, Equatable {
    case keep
    case enqueue
    case leaveQueue
    /// Make a new connection in the slot that the request has; one it was on is closed.
    case connect
    case abandonConnect
    case send
    /// The exchange is over; the connection may serve others.
    case release
    /// The exchange is over; the connection must not serve others. Gives up the slot too.
    case close
  }

  /// What a slot comes with.
  enum Grant: Sendable, Hashable {
    /// A connection has to be made.
    case none
    /// A connection that served others before.
    case ready(isShared: Bool)
  }

  enum TimerChange: Sendable, Equatable {
    case keep
    case clear
    case start(Timer)
  }

  enum Timer: UInt8, Sendable, CaseIterable {
    case queue, connect, firstByte, idle, total, backOff, start, deadline

    var phase: Phase {
      switch self {
      case .queue: .queue
      case .connect: .connect
      case .firstByte: .firstByte
      case .idle: .idle
      case .total: .total
      case .backOff: .backOff
      case .start: .queue
      case .deadline: .deadline
      }
    }
  }

  enum Finish: Sendable, Equatable {
    case response
    // Boxed: what is to be done is passed on a few times a request, and mostly it is not this.
    indirect case failure(HttpClientError.Code, Phase, String)
    case cancelled(SentState, written: Int64, CancelReceipt.Connection)
  }

  private(set) var state = State.new
  /// The method is idempotent or the request has an Idempotency-Key (RFC 9110 section 9.2.2).
  var isRepeatable: Bool
  private(set) var staleRetriesLeft: UInt8 = 1
  private(set) var refusalsLeft: UInt8 = 3
  private var earlierSent = SentState.notSent
  /// An earlier exchange was wholly sent and answered, with an answer that was not the last.
  private var hasBeenAnswered = false
  private var attemptCount: UInt32 = 0
  private var retryCount: UInt32 = 0

  init(isRepeatable: Bool) {
    self.isRepeatable = isRepeatable
  }

  var attempts: Int { Int(attemptCount) }
  /// Attempts that were followed by a wait and another.
  var retries: Int { Int(retryCount) }

  // MARK: Events

  mutating func submitted() -> Actions {
    guard case .new = state else { return .nothing }
    state = .queued
    return Actions(transport: .enqueue, timer: .start(.queue))
  }

  /// It is not to go on for now. What is under way is not held.
  mutating func hold() -> Actions {
    switch state {
    case .new:
      state = .held
      return .nothing
    case .queued:
      state = .held
      return Actions(transport: .leaveQueue, timer: .clear)
    case .held, .connecting, .exchanging, .backingOff, .preparing, .ended: return .nothing
    }
  }

  /// It may go on: it is as if it had just been submitted.
  mutating func letGo() {
    if case .held = state { state = .new }
  }

  /// Something has to be looked up before anything is sent, or sent again.
  mutating func setAside() -> Actions {
    switch state {
    case .new:
      state = .preparing
      return .nothing
    case .backingOff:
      state = .preparing
      return Actions(timer: .clear)
    case .held, .queued, .connecting, .exchanging, .preparing, .ended: return .nothing
    }
  }

  /// What is sent next is ready.
  mutating func prepared(isRepeatable: Bool) -> Actions {
    guard case .preparing = state else { return .nothing }
    self.isRepeatable = isRepeatable
    state = .queued
    return Actions(transport: .enqueue, timer: .start(.queue))
  }

  /// Nothing more has to be sent: the response is known.
  mutating func answered() -> Actions {
    guard case .preparing = state else { return .nothing }
    state = .ended
    return Actions(timer: .clear, finish: .response)
  }

  mutating func slotGranted(_ grant: Grant) -> Actions {
    guard case .queued = state else { return .nothing }
    let startsTotal = attempts == 0
    attemptCount += 1
    switch grant {
    case .ready(let isShared):
      state = .exchanging(Exchange(isReused: true, isShared: isShared))
      return Actions(transport: .send, timer: .clear, startsTotal: startsTotal)
    case .none:
      state = .connecting
      return Actions(transport: .connect, timer: .start(.connect), startsTotal: startsTotal)
    }
  }

  /// `isShared`: the connection carries others' requests too. `isReused`: it served others before.
  mutating func connected(isShared: Bool = false, isReused: Bool = false) -> Actions {
    guard case .connecting = state else { return .nothing }
    state = .exchanging(Exchange(isReused: isReused, isShared: isShared))
    return Actions(transport: .send, timer: .clear)
  }

  mutating func connectFailed(_ code: HttpClientError.Code, _ phase: Phase, _ message: String) -> Actions {
    guard case .connecting = state else { return .nothing }
    state = .ended
    return Actions(transport: .abandonConnect, timer: .clear, finish: .failure(code, phase, message))
  }

  /// `written` bytes of the request are with the kernel, in all; `isWhole` if there are no more.
  mutating func wrote(_ written: Int64, isWhole: Bool) -> Actions {
    guard case .exchanging(var exchange) = state else { return .nothing }
    exchange.written = written
    exchange.isWhole = isWhole
    state = .exchanging(exchange)
    if exchange.headReceived { return .nothing }
    return Actions(timer: .start(isWhole ? .firstByte : .idle))
  }

  /// Any byte of a response came: from now on the request is not stale.
  mutating func responseStarted() {
    guard case .exchanging(var exchange) = state else { return }
    exchange.responseStarted = true
    state = .exchanging(exchange)
  }

  /// The final response's head came and its body goes on.
  mutating func headReceived() -> Actions {
    guard case .exchanging(var exchange) = state, !exchange.headReceived else { return .nothing }
    exchange.responseStarted = true
    exchange.headReceived = true
    state = .exchanging(exchange)
    return Actions(timer: .start(.idle))
  }

  /// The response is whole. `isReusable`: its framing, both sides' `Connection` and an empty buffer allow another exchange.
  mutating func responseCompleted(isReusable: Bool) -> Actions {
    guard case .exchanging(let exchange) = state else { return .nothing }
    earlierSent = sentInExchange
    state = .ended
    return Actions(transport: isReusable && exchange.isWhole ? .release : .close, timer: .clear, finish: .response)
  }

  /// The response is whole, and the policy says to try again after a wait.
  mutating func retryLater(isReusable: Bool) -> Actions {
    guard case .exchanging(let exchange) = state else { return .nothing }
    earlierSent = sentInExchange
    retryCount += 1
    state = .backingOff
    return Actions(transport: isReusable && exchange.isWhole ? .release : .close, timer: .start(.backOff))
  }

  /// The response is whole, and another exchange follows from it.
  mutating func followed(isReusable: Bool) -> Actions {
    guard case .exchanging(let exchange) = state else { return .nothing }
    if sentInExchange != .notSent { hasBeenAnswered = true }
    earlierSent = .notSent
    staleRetriesLeft = 1
    refusalsLeft = 3
    state = .preparing
    return Actions(transport: isReusable && exchange.isWhole ? .release : .close, timer: .clear)
  }

  /// The attempt failed, and the policy says to try again after a wait. `isProcessed`: the peer may have done something
  /// with it.
  mutating func failedForNow(_ cause: RetryCause, isProcessed: Bool = true) -> Actions {
    let transport: Transport
    switch state {
    case .new, .held, .queued, .backingOff, .preparing, .ended: return .nothing
    case .connecting: transport = .abandonConnect
    case .exchanging(let exchange):
      transport = .close
      if isProcessed, exchange.written > 0, earlierSent != .maybeSent {
        let isTimeout = cause == .firstByteTimeout || cause == .idleTimeout
        earlierSent = isTimeout && exchange.isWhole ? .sent : .maybeSent
      }
    }
    retryCount += 1
    state = .backingOff
    return Actions(transport: transport, timer: .start(.backOff))
  }

  /// The connection ended or failed under the request. `isMadeAnew`: what is sent again has to be made ready first.
  mutating func connectionLost(_ message: String, isMadeAnew: Bool = false) -> Actions {
    guard case .exchanging(let exchange) = state else { return .nothing }
    // A kept connection that the server closes as we write is nobody's fault: sent again once where that is safe.
    if isStale(exchange) {
      staleRetriesLeft -= 1
      if exchange.written > 0 { earlierSent = .maybeSent }
      if isMadeAnew {
        state = .preparing
        return Actions(transport: .close, timer: .clear)
      }
      attemptCount += 1
      state = .connecting
      return Actions(transport: .connect, timer: .start(.connect))
    }
    if exchange.responseStarted { return fail(.truncated, .response, message) }
    if exchange.written > 0 { earlierSent = .maybeSent }
    return fail(.connectionLost, .request, message)
  }

  /// The peer says that it did nothing with the request (RFC 9113 section 8.7): it goes out again, whatever its method.
  mutating func notProcessed(_ message: String) -> Actions {
    guard case .exchanging = state else { return .nothing }
    guard refusalsLeft > 0 else { return end(.failure(.connectionLost, .request, message)) }
    refusalsLeft -= 1
    attemptCount += 1
    state = .connecting
    return Actions(transport: .connect, timer: .start(.connect))
  }

  /// The peer gave up this request alone: its connection was not stale, and the same would happen again.
  mutating func streamReset(_ message: String) -> Actions {
    guard case .exchanging(let exchange) = state else { return .nothing }
    return exchange.responseStarted ? fail(.truncated, .response, message) : fail(.connectionLost, .request, message)
  }

  /// The peer's bytes are not what they must be, or above a limit.
  mutating func responseFailed(_ code: HttpClientError.Code, _ message: String) -> Actions {
    guard case .exchanging = state else { return .nothing }
    return fail(code, .response, message)
  }

  /// `words`: why the request is not sent again, where that is asked for.
  mutating func timedOut(_ timer: Timer, _ words: String = "") -> Actions {
    switch (timer, state) {
    case (.backOff, .backingOff):
      state = .queued
      return Actions(transport: .enqueue, timer: .start(.queue))
    case (.backOff, _), (.start, _), (_, .ended): return .nothing
    case (.deadline, _): return fail(.timeout, .deadline, "not done by its deadline" + words)
    case (_, .new): return .nothing
    case (.queue, .queued): return fail(.timeout, .queue, "no connection slot in time")
    case (.connect, .connecting): return fail(.timeout, .connect, "no connection in time" + words)
    case (.firstByte, .exchanging): return fail(.timeout, .firstByte, "no response in time" + words)
    case (.idle, .exchanging): return fail(.timeout, .idle, "the body stopped" + words)
    case (.total, _): return fail(.timeout, .total, "not done in time" + words)
    case (.queue, _), (.connect, _), (.firstByte, _), (.idle, _): return .nothing
    }
  }

  /// Can't be sent as it is, found before or as it was to be sent.
  mutating func refused(_ code: HttpClientError.Code, _ phase: Phase, _ message: String) -> Actions {
    if case .ended = state { return .nothing }
    return fail(code, phase, message)
  }

  mutating func cancelled() -> Actions {
    if case .ended = state { return .nothing }
    let written: Int64
    let connection: CancelReceipt.Connection
    switch state {
    case .exchanging(let exchange): (written, connection) = (exchange.written, exchange.isShared ? .kept : .closed)
    case .connecting: (written, connection) = (0, .closed)
    case .new, .held, .queued, .backingOff, .preparing, .ended: (written, connection) = (0, .none)
    }
    let sent = self.sent
    earlierSent = sentInExchange
    return end(.cancelled(sent, written: written, connection))
  }

  // MARK: What is known

  /// What earlier attempts of this exchange sent, whatever this one did.
  var sentBefore: SentState { earlierSent }

  /// Of the request as a whole.
  var sent: SentState {
    let sent = sentInExchange
    return sent == .notSent && hasBeenAnswered ? .sent : sent
  }

  /// Of the exchange that is under way, over its attempts.
  var sentInExchange: SentState {
    guard case .exchanging(let exchange) = state, exchange.written > 0 else { return earlierSent }
    if exchange.isWhole || earlierSent == .sent { return .sent }
    return .maybeSent
  }

  private mutating func fail(_ code: HttpClientError.Code, _ phase: Phase, _ message: String) -> Actions {
    if case .exchanging(let exchange) = state, exchange.written > 0, earlierSent != .maybeSent {
      earlierSent = exchange.isWhole ? .sent : .maybeSent
    }
    return end(.failure(code, phase, message))
  }

  private mutating func end(_ finish: Finish) -> Actions {
    let transport: Transport
    switch state {
    case .new, .held, .backingOff, .preparing, .ended: transport = .keep
    case .queued: transport = .leaveQueue
    case .connecting: transport = .abandonConnect
    case .exchanging: transport = .close
    }
    state = .ended
    return Actions(transport: transport, timer: .clear, finish: finish)
  }
}
