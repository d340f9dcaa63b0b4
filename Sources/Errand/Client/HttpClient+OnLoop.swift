internal import EventLoop

/// For code that lives on the loop itself, such as the daemon: no hop between threads.
extension HttpClient {
  /// Makes a request; `sink` is told of its outcome on the loop, perhaps before this returns.
  @LoopActor @discardableResult
  public func submitOnLoop(_ request: HttpRequest, handle: RequestHandle? = nil, sink: any OutcomeSink) -> RequestHandle {
    let handle = handle ?? reserveHandle()
    engine.submit(request, handle: handle, sink: .loop(sink))
    return handle
  }

  /// A handle for a request that is submitted later.
  public func reserveHandle() -> RequestHandle { newHandle() }

  @LoopActor public func cancelOnLoop(_ handle: RequestHandle) -> CancelReceipt { engine.cancel(handle) }

  /// Cancels what matches now, in order of submission.
  @LoopActor public func cancelOnLoop(_ scope: CancelScope) -> [CancelReceipt] { engine.cancel(scope) }

  /// Where a request stands; nil if it has ended.
  @LoopActor public func describe(_ handle: RequestHandle) -> RequestDescription? {
    engine.table[handle].map(engine.describe)
  }

  /// Every request that has not ended, in order of submission.
  @LoopActor public func list() -> [RequestDescription] {
    engine.table.all.sorted { $0.info.handle < $1.info.handle }.map(engine.describe)
  }

  @LoopActor public var statsOnLoop: ClientStats { engine.stats() }
}
