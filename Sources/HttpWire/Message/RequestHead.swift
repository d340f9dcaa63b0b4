/// The request line and header fields of a request.
public struct RequestHead: Sendable, Equatable {
  public var method: HttpMethod
  /// As it stood in the request line: origin-form, absolute-form or `*`.
  public var target: String
  public var version: HttpVersion
  public var headers: HttpHeaders

  public init(method: HttpMethod, target: String, version: HttpVersion = .http11, headers: HttpHeaders = [:]) {
    self.method = method
    self.target = target
    self.version = version
    self.headers = headers
  }
}
