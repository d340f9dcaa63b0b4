public import EventLoop

/// For code that lives on the loop itself, such as the daemon: no hop between threads.
extension HttpClient {
  /// Makes a request; `sink` is told of its outcome on the loop, perhaps before this returns. `interests`: what else it is told of; only
  /// ``RequestInterests/started``, ``RequestInterests/redirects`` and ``RequestInterests/sending`` count. `isReadmitted`: it was accepted before, by
  /// an earlier process, and no limit on waiting requests turns it away.
  @LoopActor @discardableResult
  public func submitOnLoop(
    _ request: HttpRequest, handle: RequestHandle? = nil, sink: any OutcomeSink, interests: RequestInterests = [],
    isReadmitted: Bool = false
  ) -> RequestHandle {
    let handle = handle ?? reserveHandle()
    let interests = interests.intersection([.started, .redirects, .sending])
    let command = engine.prepare(request, handle: handle, sink: .loop(sink), interests: interests, at: EventLoop.shared.now)
    if isReadmitted, case .submit(let item) = command { item.isReadmitted = true }
    engine.obey(command)
    return handle
  }

  /// A handle for a request that is submitted later.
  public func reserveHandle() -> RequestHandle { newHandle() }

  /// Cancels a request in whatever state it is.
  @LoopActor public func cancelOnLoop(_ handle: RequestHandle) -> CancelReceipt { engine.cancel(handle) }

  /// Cancels what matches now, in order of submission.
  @LoopActor public func cancelOnLoop(_ scope: CancelScope) -> [CancelReceipt] { engine.cancel(scope) }

  /// Holds what matches and is not sent yet, and what is submitted later and matches; ``resumeOnLoop(_:)`` with the same scope lets it go on.
  /// - Returns: How many requests that waited are held; nil if there are 1,000 pauses already.
  @LoopActor public func pauseOnLoop(_ scope: CancelScope) -> Int? { engine.pause(scope) }

  /// Ends a pause.
  /// - Returns: How many requests go on; nil if nothing paused just this scope.
  @LoopActor public func resumeOnLoop(_ scope: CancelScope) -> Int? { engine.resume(scope) }

  /// Changes the priority (-128 to 127) of a request that waits.
  /// - Returns: Whether it still waits; false if it is being sent or has ended.
  @LoopActor public func setPriorityOnLoop(_ handle: RequestHandle, _ priority: Int8) -> Bool {
    engine.table[handle].map { engine.setPriority(priority, $0) } ?? false
  }

  /// Where a request stands; nil if it has ended.
  @LoopActor public func describe(_ handle: RequestHandle, at now: Instant = .now()) -> RequestDescription? {
    engine.table[handle].map { engine.describe($0, at: now) }
  }

  /// Where a request stands, in the word that its description has; nil if it has ended.
  @LoopActor public func state(_ handle: RequestHandle) -> String? {
    engine.table[handle].map(engine.state)
  }

  /// How much of a request's body has gone out, and of its response's has come; nil if it has ended.
  @LoopActor public func progress(_ handle: RequestHandle) -> RequestProgress? {
    engine.table[handle].map(engine.progress)
  }

  /// Where a request goes, as delegates are told; nil if it has ended.
  @LoopActor public func url(_ handle: RequestHandle) -> String? { engine.table[handle]?.info.url }

  /// What happened to a request so far. Also to be had in ``OutcomeSink/requestEnded(_:_:)``; nil after it, and for a request that was
  /// refused before it began.
  @LoopActor public func trace(_ handle: RequestHandle) -> RequestTrace? { engine.table[handle]?.trace }

  /// Every request that has not ended, in order of submission.
  @LoopActor public func list(at now: Instant = .now()) -> [RequestDescription] {
    engine.table.all.map { engine.describe($0, at: now) }
  }

  @LoopActor public var statsOnLoop: ClientStats { engine.stats() }
}

/// Takes outcomes on the loop itself, without a hop: for code that promises not to block. Held until its request ends.
public protocol OutcomeSink: AnyObject, Sendable {
  @LoopActor func requestEnded(_ request: RequestInfo, _ outcome: Outcome)
  /// Its first exchange began; asked for with `.started`. Default: nothing.
  @LoopActor func requestStarted(_ request: RequestInfo)
  /// A response sends the request elsewhere, which waits until this was answered; asked for with `.redirects`. Default: it goes on.
  @LoopActor func requestRedirected(_ request: RequestInfo, _ redirection: Redirection)
  /// Bytes of a request that may not be repeated (RFC 9110 section 9.2.2) are about to go out for the first time; it has its slot and waits for
  /// `go`, which is called on the loop, now or later; asked for with `.sending`. Default: it goes on.
  @LoopActor func requestWillBeSent(_ request: RequestInfo, _ go: @escaping @LoopActor @Sendable () -> Void)
}

extension OutcomeSink {
  @LoopActor public func requestStarted(_ request: RequestInfo) {}
  @LoopActor public func requestRedirected(_ request: RequestInfo, _ redirection: Redirection) { redirection.follow() }
  @LoopActor public func requestWillBeSent(_ request: RequestInfo, _ go: @escaping @LoopActor @Sendable () -> Void) { go() }
}
