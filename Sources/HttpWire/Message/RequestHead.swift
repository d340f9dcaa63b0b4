/// The request line and header fields of a request.
public struct RequestHead: Sendable, Equatable {
  /// Any token but CONNECT, when read.
  public var method: HttpMethod
  /// As it stood in the request line: origin-form, absolute-form or `*`.
  public var target: String
  /// Of the peer's message.
  public var version: HttpVersion
  /// As sent, Host and framing fields included.
  public var headers: HttpHeaders

  /// A head to write or to compare with.
  public init(method: HttpMethod, target: String, version: HttpVersion = .http11, headers: HttpHeaders = [:]) {
    self.method = method
    self.target = target
    self.version = version
    self.headers = headers
  }
}
