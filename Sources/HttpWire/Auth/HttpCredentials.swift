/// Who a request comes from, to an origin or a proxy. Shows nothing of itself in descriptions and dumps.
public struct HttpCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  enum Kind: Hashable {
    case basic
    case digest
    case any
    case bearer
  }

  let kind: Kind
  let user: [UInt8]
  /// The password, or the bearer token.
  let secret: [UInt8]

  /// Sent at once, without waiting for a challenge (RFC 7617). Readable by whoever can read the connection.
  public static func basic(user: String, password: String) -> HttpCredentials {
    HttpCredentials(kind: .basic, user: Array(user.utf8), secret: Array(password.utf8))
  }

  /// Sent as the answer to a Digest challenge only (RFC 7616): the password itself is never sent.
  public static func digest(user: String, password: String) -> HttpCredentials {
    HttpCredentials(kind: .digest, user: Array(user.utf8), secret: Array(password.utf8))
  }

  /// Sent as the answer to a challenge, by the strongest scheme that the server offers: Digest before Basic.
  public static func any(user: String, password: String) -> HttpCredentials { any(user: Array(user.utf8), password: Array(password.utf8)) }

  /// The same for bytes in any charset, as in a URL.
  public static func any(user: [UInt8], password: [UInt8]) -> HttpCredentials {
    HttpCredentials(kind: .any, user: user, secret: password)
  }

  /// Sent at once (RFC 6750).
  public static func bearer(_ token: String) -> HttpCredentials {
    HttpCredentials(kind: .bearer, user: [], secret: Array(token.utf8))
  }

  /// The value of Authorization that goes with the first request already; nil for those that wait for a challenge.
  /// Throws `invalid` for what can't be sent.
  public func firstAuthorization() throws(WireError) -> String? {
    try check()
    return switch kind {
    case .basic: try BasicAuth.value(user: user, password: secret)
    case .bearer: try BearerAuth.value(token: secret)
    case .digest, .any: nil
    }
  }

  /// Throws `invalid` for control characters, a colon in the user of Basic, and a token that can't be sent. The words hold nothing of them.
  public func check() throws(WireError) {
    switch kind {
    case .basic: _ = try BasicAuth.value(user: user, password: secret)
    case .bearer: _ = try BearerAuth.value(token: secret)
    case .digest, .any:
      guard !(user + secret).contains(where: Ascii.isControl) else {
        throw .invalid("the user or the password holds a control character")
      }
    }
  }

  public var description: String { "***" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
