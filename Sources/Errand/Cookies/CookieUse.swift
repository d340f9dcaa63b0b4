/// Whose cookies a request sends, and who keeps those of its answers.
public enum CookieUse: Sendable {
  /// The client's jar (``HttpClient/Configuration/cookies``), if it has one.
  case client
  /// Nobody's.
  case none
  case jar(CookieJar)
}

extension HttpRequest {
  /// The jar it uses. `own`: the client's.
  func jar(_ own: CookieJar?) -> CookieJar? {
    switch optionBox?.value.cookies ?? .client {
    case .client: own
    case .none: nil
    case .jar(let jar): jar
    }
  }
}
