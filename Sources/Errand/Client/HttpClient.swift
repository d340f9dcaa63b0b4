internal import EventLoop
public import HttpWire

/// Makes requests, keeps each under a handle until it has ended, and tells its delegate the one outcome.
///
/// All methods may be called from any thread. A request is checked and sent on the event loop; its outcome comes on the client's
/// delivery queue, never on the loop.
public final class HttpClient: Sendable {
  /// The process's client, with the default configuration.
  public static let shared = HttpClient()

  let engine: RequestEngine

  /// A client of its own, with its own connections, limits and handles.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, environment: .process)
  }

  init(_ configuration: Configuration, environment: ProxyEnvironment) {
    engine = RequestEngine(configuration, environment)
  }

  deinit {
    EventLoop.shared.enqueue { [engine] in engine.clientIsGone() }
  }

  func newHandle() -> RequestHandle {
    engine.newHandle()
  }

  /// Makes a request for `delegate` and returns its handle at once.
  ///
  /// - Parameters:
  ///   - params: Into the query for GET, HEAD and DELETE and beside a `body`; otherwise a form body.
  ///   - delegate: Held weakly. nil: the outcome is dropped.
  ///   - tag: Comes back with the outcome; so does `key`.
  /// - Returns: The handle, for ``cancel(_:)-(RequestHandle)``. A request that can't be sent has one too, and the outcome `invalid_request`.
  @discardableResult
  public func request(
    _ url: String, params: KeyValuePairs<String, String> = [:], method: HttpMethod? = nil, headers: HttpHeaders = [:],
    body: HttpBody? = nil, delegate: (any HttpClientDelegate)?, tag: Int? = nil, key: String? = nil
  ) -> RequestHandle {
    let params = params.map { HttpParam($0.key, $0.value) }
    let request = HttpRequest(url, method: method, params: params, headers: headers, body: body, tag: tag, key: key)
    return submit(request, delegate: delegate)
  }

  /// Reads what the configuration's TLS settings name, and the system's store, now instead of with the first `https` request: for clients
  /// whose requests are submitted on the loop, which must not wait for the disk. Throws an error `tls` that names the file or setting.
  public func prepareTls() throws(HttpClientError) {
    try engine.preparer.tls.prepareOwn()
  }

  /// What the client has done and is doing.
  public func stats() async -> ClientStats {
    await withCheckedContinuation { continuation in
      EventLoop.shared.enqueue { [engine] in continuation.resume(returning: engine.stats()) }
    }
  }

  /// Takes no more requests (`denied`), lets those under way end within `grace`, cancels the rest, and closes all connections.
  /// Every request has had its one outcome when this returns.
  public func shutdown(grace: Duration) async {
    await withCheckedContinuation { continuation in
      EventLoop.shared.enqueue { [engine] in engine.shutdown(grace: grace) { continuation.resume() } }
    }
  }
}
