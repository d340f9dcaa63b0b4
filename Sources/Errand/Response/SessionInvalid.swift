/// A service said that the session of its requests is no longer valid: time to log in again.
public struct SessionInvalid: Sendable, CustomStringConvertible {
  /// The service of the request that was told so; nil if it has none.
  public let service: String?
  /// The origin that said so, as in `https://api.example.com`.
  public let origin: String
  /// The envelope's name.
  public let envelope: String
  /// The service's code: one of ``EnvelopeProfile/sessionInvalidCodes``.
  public let code: String
  /// In the service's words, in one line of bounded length.
  public let message: String
  /// The first request that was told so.
  public let request: RequestInfo

  /// Such as `the session of shop is over: 401: log in again`.
  public var description: String { "the session of \(service ?? origin) is over: \(code): \(message)" }
}
