public import Dispatch
internal import EventLoop
internal import Synchronization

/// The ways in: delegate, completion, async, and blocking.
extension HttpClient {
  /// Makes a request for `delegate` and returns its handle at once. `queue`: where the delegate is called; nil is the client's own
  /// serial queue. A concurrent queue loses the order of one request's events.
  @discardableResult
  public func submit(_ request: HttpRequest, delegate: (any HttpClientDelegate)?, queue: DispatchQueue? = nil) -> RequestHandle {
    start(request, .delegate(queue), delegate)
  }

  /// Makes a request and calls `completion` once with its outcome; a cancelled request gives the error `cancelled`.
  /// `queue`: where; nil is the client's own serial queue.
  @discardableResult
  public func submit(
    _ request: HttpRequest, queue: DispatchQueue? = nil, completion: @escaping @Sendable (Result<HttpResponse, HttpClientError>) -> Void
  ) -> RequestHandle {
    start(request, .completion(completion, queue))
  }

  /// Makes a request and waits for its response without blocking a thread. Cancelling the task cancels the request, and this then throws
  /// `cancelled`.
  public func send(_ request: HttpRequest) async throws(HttpClientError) -> HttpResponse {
    let handle = newHandle()
    let isCancelled = Flag()
    // A continuation that is resumed before its task has suspended orders memory in a way that ThreadSanitizer does not see: this it does.
    let isAnswered = Flag()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<HttpResponse, HttpClientError>, Never>) in
        let submission = engine.prepare(
          request, handle: handle,
          sink: .waiter { result in
            isAnswered.set()
            continuation.resume(returning: result)
          }, at: .now())
        guard !isCancelled.isSet else {
          return continuation.resume(returning: .failure(HttpClientError(.cancelled, message: "the task was cancelled before")))
        }
        engine.inbox.add(submission, for: engine)
        // The handler may have run, and its cancel been obeyed, before the request was there to be cancelled.
        if isCancelled.isSet { cancel(handle, completion: nil) }
      }
    } onCancel: {
      isCancelled.set()
      cancel(handle, completion: nil)
    }
    _ = isAnswered.isSet
    return try result.get()
  }

  /// Makes a request and blocks the calling thread until it has ended, for scripts. On the loop, which it would stop for ever, it refuses
  /// with `invalid_request`.
  public func sendAndWait(_ request: HttpRequest) throws(HttpClientError) -> HttpResponse {
    guard !EventLoop.shared.isOnLoop else {
      throw HttpClientError(.invalidRequest, message: "sendAndWait can't be called on the event loop")
    }
    let done = DispatchSemaphore(value: 0)
    let outcome = Locked<Result<HttpResponse, HttpClientError>?>(nil)
    start(
      request,
      .waiter { result in
        outcome.withLock { $0 = result }
        done.signal()
      })
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { throw HttpClientError(.cancelled, message: "the request was dropped") }
    return try result.get()
  }

  @discardableResult
  private func start(_ request: HttpRequest, _ sink: Sink, _ delegate: (any HttpClientDelegate)? = nil) -> RequestHandle {
    let handle = newHandle()
    let submission = engine.prepare(request, handle: handle, sink: sink, delegate: delegate, at: .now())
    engine.inbox.add(submission, for: engine)
    return handle
  }
}

private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  func set() { value.store(true, ordering: .releasing) }
  var isSet: Bool { value.load(ordering: .acquiring) }
}
