/// The status line and header fields of a response.
public struct ResponseHead: Sendable, Equatable {
  /// Of the peer's message.
  public var version: HttpVersion
  /// 100...999.
  public var status: Int
  /// The phrase as sent; often empty.
  public var reason: String
  /// Of this message only; trailers and interim responses have their own.
  public var headers: HttpHeaders

  /// A head to write or to compare with.
  public init(version: HttpVersion = .http11, status: Int, reason: String = "", headers: HttpHeaders = [:]) {
    self.version = version
    self.status = status
    self.reason = reason
    self.headers = headers
  }
}
