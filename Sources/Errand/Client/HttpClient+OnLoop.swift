public import EventLoop

/// For code that lives on the loop itself, such as the daemon: no hop between threads.
extension HttpClient {
  /// Makes a request; `sink` is told of its outcome on the loop, perhaps before this returns.
  @LoopActor @discardableResult
  public func submitOnLoop(_ request: HttpRequest, handle: RequestHandle? = nil, sink: any OutcomeSink) -> RequestHandle {
    let handle = handle ?? reserveHandle()
    engine.obey(engine.prepare(request, handle: handle, sink: .loop(sink), at: EventLoop.shared.now))
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
}
