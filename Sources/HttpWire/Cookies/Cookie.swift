/// A cookie as it is kept (RFC 6265bis 5.7). Times are in seconds since 1970-01-01 00:00:00 UTC.
public struct Cookie: Sendable, Equatable, CustomStringConvertible {
  /// Whether the cookie goes with requests that another site caused (RFC 6265bis 5.6.7).
  public enum SameSite: String, Sendable {
    /// The server did not say, or said something unknown: the same as `lax`.
    case unspecified
    case none
    case lax
    case strict
  }

  /// May be empty: then the header field carries the value alone.
  public var name: String
  public var value: String
  /// In lower case, without a leading dot, names outside ASCII as `xn--…`; an IPv6 address without brackets.
  public var domain: String
  /// Only `domain` itself is sent the cookie; otherwise the hosts below it, too.
  public var isHostOnly: Bool
  /// Begins with `/`.
  public var path: String
  /// When it ends; nil: with the session.
  public var expires: Int64?
  /// Sent by https only.
  public var isSecure: Bool
  /// Not for scripts of a page. Kept for the files that cookies are exchanged in; a client like this one has no scripts.
  public var isHttpOnly: Bool
  public var sameSite: SameSite
  /// When it was first stored; a cookie that takes another's place takes over its time.
  public var creation: Int64
  /// When it was last stored or sent.
  public var lastAccess: Int64

  /// A cookie of one's own, for `domain` alone and until the session ends unless told otherwise. It is checked when it is put into a jar.
  public init(
    name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/", expires: Int64? = nil, isSecure: Bool = false,
    isHttpOnly: Bool = false, sameSite: SameSite = .unspecified, creation: Int64
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.isHostOnly = isHostOnly
    self.path = path
    self.expires = expires
    self.isSecure = isSecure
    self.isHttpOnly = isHttpOnly
    self.sameSite = sameSite
    self.creation = creation
    lastAccess = creation
  }

  /// Whether its time is over.
  public func isExpired(at now: Int64) -> Bool { expires.map { $0 <= now } ?? false }

  /// Without the value, which may be a secret.
  public var description: String { "cookie \(name.isEmpty ? "without a name" : name) of \(domain)\(path)" }
}

extension Cookie {
  /// The two take the same place in a jar. Names and paths are compared by their bytes, not as Unicode text.
  func hasIdentity(of other: Cookie) -> Bool {
    domain == other.domain && isHostOnly == other.isHostOnly && name.hasBytes(of: other.name) && path.hasBytes(of: other.path)
  }

  /// They differ in their times of creation and use at most.
  func hasContent(of other: Cookie) -> Bool {
    hasIdentity(of: other) && value.hasBytes(of: other.value) && expires == other.expires && isSecure == other.isSecure
      && isHttpOnly == other.isHttpOnly && sameSite == other.sameSite
  }
}

extension String {
  /// Equal byte for byte; `==` takes different spellings of one character for equal.
  func hasBytes(of other: String) -> Bool {
    utf8.count == other.utf8.count && withBytes { one in other.withBytes { one.elementsEqual($0) } }
  }
}
