extension HttpClient {
  /// Cancels a request in whatever state it is. If the receipt says `cancelled`, no completion of it is delivered afterwards: the delegate is
  /// told of the cancellation instead, once.
  @discardableResult
  public func cancel(_ handle: RequestHandle) async -> CancelReceipt {
    await withCheckedContinuation { continuation in
      cancel(handle) { continuation.resume(returning: $0) }
    }
  }

  /// Cancels without waiting. `completion` gets the receipt on the loop and must not block.
  public func cancel(_ handle: RequestHandle, completion: (@Sendable (CancelReceipt) -> Void)?) {
    engine.inbox.add(.cancel(handle, completion), for: engine)
  }

  /// Cancels what matches `scope` and was submitted before this call; what is submitted later runs.
  /// - Returns: A receipt for each request that was cancelled, in order of submission.
  @discardableResult
  public func cancel(_ scope: CancelScope) async -> [CancelReceipt] {
    await withCheckedContinuation { continuation in
      cancel(scope) { continuation.resume(returning: $0) }
    }
  }

  /// Cancels a scope without waiting. `completion` gets the receipts on the loop and must not block.
  public func cancel(_ scope: CancelScope, completion: (@Sendable ([CancelReceipt]) -> Void)?) {
    engine.inbox.add(.cancelScope(scope, completion), for: engine)
  }
}
