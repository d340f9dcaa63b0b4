/// What of a request the rules of caching look at.
public struct CacheRequest: Sendable {
  public let method: HttpMethod
  /// As they are sent, default fields included, without conditions of the cache's own.
  public let headers: HttpHeaders
  public let asker: CacheAsker
  let control: CacheControl
  /// The request goes past the cache: why, or nil.
  let bypass: CacheForward?

  /// - Parameters:
  ///   - hasBody: The request has content, even if it is empty: what a GET with content means is the server's own matter (RFC 9110
  ///     9.3.1).
  ///   - asker: Who asks.
  public init(method: HttpMethod = .get, headers: HttpHeaders = [:], hasBody: Bool = false, asker: CacheAsker = .nobody) {
    self.method = method
    self.headers = headers
    self.asker = asker
    control = CacheControl(request: headers)
    if method != .get, method != .head {
      bypass = .method
    } else if hasBody || Self.conditions.contains(where: headers.contains) {
      bypass = .bypass
    } else {
      bypass = nil
    }
  }

  /// Whether the cache may answer it or store its response: GET or HEAD without content, without conditions and ranges of the caller's own.
  public var isCacheable: Bool { bypass == nil }

  /// A caller who brings one of these wants to see the 304, 412 or 206 for himself.
  private static let conditions = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range"]
}
