public import EventLoop

/// For code that lives on the loop itself, such as the daemon: no hop between threads.
extension HttpClient {
  /// Makes a request; `sink` is told of its outcome on the loop, perhaps before this returns. `interests`: what else it is told of; only
  /// ``RequestInterests/started`` and ``RequestInterests/redirects`` count.
  @LoopActor @discardableResult
  public func submitOnLoop(
    _ request: HttpRequest, handle: RequestHandle? = nil, sink: any OutcomeSink, interests: RequestInterests = []
  ) -> RequestHandle {
    let handle = handle ?? reserveHandle()
    let interests = interests.intersection([.started, .redirects])
    engine.obey(engine.prepare(request, handle: handle, sink: .loop(sink), interests: interests, at: EventLoop.shared.now))
    return handle
  }

  /// A handle for a request that is submitted later.
  public func reserveHandle() -> RequestHandle { newHandle() }

  /// Cancels a request in whatever state it is.
  @LoopActor public func cancelOnLoop(_ handle: RequestHandle) -> CancelReceipt { engine.cancel(handle) }

  /// Cancels what matches now, in order of submission.
  @LoopActor public func cancelOnLoop(_ scope: CancelScope) -> [CancelReceipt] { engine.cancel(scope) }

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
}

extension OutcomeSink {
  @LoopActor public func requestStarted(_ request: RequestInfo) {}
  @LoopActor public func requestRedirected(_ request: RequestInfo, _ redirection: Redirection) { redirection.follow() }
}
