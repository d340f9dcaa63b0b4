public import Dispatch
internal import EventLoop
public import FoundationEssentials
internal import HttpWire

/// Answers as the caller's own types. They are decoded on the caller's task or delivery queue, not on the loop.
extension HttpClient {
  /// Makes a request and waits for its answer as a `T`: an object, an array, or a single value. Where the request has an envelope, its data is
  /// the answer. `Accept: application/json` is sent where the request does not say what it accepts.
  ///
  /// Throws as ``send(_:)`` does, and `not_json` or `wrong_shape` as ``HttpResponse/decode(_:decoder:)`` does.
  public func send<T: Decodable & SendableMetatype>(
    _ request: HttpRequest, as type: T.Type, decoder: JSONDecoder? = nil
  ) async throws(HttpClientError) -> sending T {
    try await send(request.acceptingJson).decode(T.self, decoder: decoder)
  }

  /// The same, blocking the calling thread, for scripts.
  public func sendAndWait<T: Decodable & SendableMetatype>(
    _ request: HttpRequest, as type: T.Type, decoder: JSONDecoder? = nil
  ) throws(HttpClientError) -> T {
    try sendAndWait(request.acceptingJson).decode(T.self, decoder: decoder)
  }

  /// Makes a request and calls `completion` once with its answer as a `T`, or what kept it from being one. `queue`: where, decoding
  /// included; nil is the client's own serial queue.
  @discardableResult
  public func submit<T: Decodable & SendableMetatype>(
    _ request: HttpRequest, as type: T.Type, decoder: JSONDecoder? = nil, queue: DispatchQueue? = nil,
    completion: @escaping @Sendable (Result<T, HttpClientError>) -> Void
  ) -> RequestHandle {
    submit(request.acceptingJson, queue: queue) { completion($0.decoded(as: T.self, decoder)) }
  }

  /// Sends a declared request and waits for its answer.
  ///
  /// - Parameter baseUrl: Where its path begins, in place of what the call itself says.
  public func send<Call: HttpCall>(_ call: Call, to baseUrl: String? = nil) async throws(HttpClientError) -> sending Call.Response {
    try await send(try call.makeRequest(to: baseUrl), as: Call.Response.self, decoder: Call.makeDecoder())
  }

  /// Sends a declared request and calls `completion` once with its answer. One that can't be sent has a handle too, and the outcome
  /// `invalid_request`.
  @discardableResult
  public func submit<Call: HttpCall>(
    _ call: Call, to baseUrl: String? = nil, queue: DispatchQueue? = nil,
    completion: @escaping @Sendable (Result<Call.Response, HttpClientError>) -> Void
  ) -> RequestHandle {
    do throws(HttpClientError) {
      let request = try call.makeRequest(to: baseUrl)
      return submit(request, as: Call.Response.self, decoder: Call.makeDecoder(), queue: queue, completion: completion)
    } catch {
      return refuse(error, url: PeerText.line((baseUrl ?? call.baseUrl ?? "") + call.path), call.method, queue) { result in
        completion(result.decoded(as: Call.Response.self, nil))
      }
    }
  }

  private func refuse(
    _ error: HttpClientError, url: String, _ method: HttpMethod, _ queue: DispatchQueue?,
    _ completion: @escaping @Sendable (Result<HttpResponse, HttpClientError>) -> Void
  ) -> RequestHandle {
    let handle = newHandle()
    let info = RequestInfo(
      handle: handle, url: RequestInfo.withoutUserInfo(url), method: method, tag: nil, key: nil, delegateName: nil, owner: nil)
    engine.inbox.add(.refuse(DeliveryTicket(info, .completion(completion, queue), nil), error), for: engine)
    return handle
  }
}

extension Result<HttpResponse, HttpClientError> {
  fileprivate func decoded<T: Decodable & SendableMetatype>(as type: T.Type, _ decoder: JSONDecoder?) -> Result<T, HttpClientError> {
    do throws(HttpClientError) {
      return .success(try get().decode(T.self, decoder: decoder))
    } catch {
      return .failure(error)
    }
  }
}

extension HttpRequest {
  /// The same, saying that it wants JSON where it says nothing of that.
  fileprivate var acceptingJson: HttpRequest {
    var request = self
    request.acceptsJson = true
    return request
  }
}
