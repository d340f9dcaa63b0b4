/// Who is asking: for the origin of the request's URL, never for another that a redirect leads to.
public enum HttpCredentials: Sendable, Hashable, CustomStringConvertible {
  /// Sent with the first request (RFC 7617).
  case basic(user: String, password: String)
  /// Sent as an answer to the server's challenge (RFC 7616).
  case digest(user: String, password: String)
  /// As the server's challenge wants it, Digest before Basic.
  case any(user: String, password: String)
  /// A token, sent with the first request (RFC 6750).
  case bearer(String)

  /// The scheme alone: the rest is secret.
  public var description: String {
    switch self {
    case .basic: "basic"
    case .digest: "digest"
    case .any: "any"
    case .bearer: "bearer"
    }
  }
}
