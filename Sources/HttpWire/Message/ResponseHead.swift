/// The status line and header fields of a response.
public struct ResponseHead: Sendable, Equatable {
  public var version: HttpVersion
  public var status: Int
  public var reason: String
  public var headers: HttpHeaders

  public init(version: HttpVersion = .http11, status: Int, reason: String = "", headers: HttpHeaders = [:]) {
    self.version = version
    self.status = status
    self.reason = reason
    self.headers = headers
  }
}
