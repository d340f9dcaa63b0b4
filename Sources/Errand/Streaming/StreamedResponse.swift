internal import EventLoop
public import HttpWire

/// A response whose body comes as it is taken.
public struct StreamedResponse: Sendable {
  public let head: ResponseHead
  /// The URL that answered, where that is not the one that was asked.
  public let url: String?
  /// The redirects that were followed, in their order.
  public let redirects: [RedirectHop]
  public let body: StreamedBody

  init(_ beginning: ResponseBuffer.Beginning, _ lease: StreamLease) {
    head = beginning.head
    url = beginning.url
    redirects = beginning.redirects
    body = StreamedBody(lease)
  }

  public var status: Int { head.status }
  public var headers: HttpHeaders { head.headers }
}

/// The pieces of a response's body, each given once. About 1 MiB waits to be taken at the most; then reading pauses, and the server with it.
///
/// When it and its iterators are let go before the end, or the task that waits for a piece is cancelled, the request is cancelled.
public struct StreamedBody: AsyncSequence, Sendable {
  public typealias Element = [UInt8]
  public typealias Failure = HttpClientError

  private let lease: StreamLease

  init(_ lease: StreamLease) {
    self.lease = lease
  }

  /// Only one is to be made: it takes the pieces.
  public func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }

  /// Gives pieces until nil, the end; throws what the request ended with otherwise.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let lease: StreamLease

    public mutating func next() async throws(HttpClientError) -> [UInt8]? {
      try await lease.next()
    }

    /// The next piece; nil at the end of the body.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(HttpClientError) -> [UInt8]? {
      try await lease.next()
    }
  }
}

/// Cancels a streamed request that nobody waits for any more.
final class StreamLease: Sendable {
  private let engine: RequestEngine
  private let handle: RequestHandle
  private let buffer: ResponseBuffer

  init(_ engine: RequestEngine, _ handle: RequestHandle, _ buffer: ResponseBuffer) {
    self.engine = engine
    self.handle = handle
    self.buffer = buffer
  }

  deinit {
    cancel()
    buffer.drop()
  }

  func beginning() async throws(HttpClientError) -> ResponseBuffer.Beginning {
    let result = await withTaskCancellationHandler {
      await buffer.beginning()
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  func next() async throws(HttpClientError) -> [UInt8]? {
    let result = await withTaskCancellationHandler {
      // What is there already is not for one that was cancelled.
      Task.isCancelled ? await buffer.ending() : await buffer.next()
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  private func cancel() {
    if !buffer.hasEnded { engine.inbox.add(.cancel(handle, nil), for: engine) }
  }
}
