/// Changes requests on their way into the client: adds a header, signs, traces. See ``HttpClient/Configuration/adapters``.
///
/// Called once for each request, on the thread that submits it and before it is checked, so that what is added is checked too. A request that
/// is submitted on the loop is adapted there: an adapter may not block then. Retries are sent as they were adapted.
public protocol RequestAdapter: Sendable {
  /// Changes the request, or throws: it is then not sent, and its outcome is that error, or `invalid_request` with the error's words.
  func adapt(_ request: inout HttpRequest) throws
}

extension HttpRequest {
  /// Has each adapter change the request, in order.
  mutating func adapt(by adapters: [any RequestAdapter]) throws(HttpClientError) {
    for adapter in adapters {
      do {
        try adapter.adapt(&self)
      } catch let error as HttpClientError {
        throw error
      } catch {
        throw .invalid("adapters", "\(type(of: adapter)) does not let the request go: \(PeerText.line("\(error)"))")
      }
    }
  }
}
