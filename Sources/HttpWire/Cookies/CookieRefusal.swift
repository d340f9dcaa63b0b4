/// Why a cookie was not taken.
public enum CookieRefusal: String, Error, Sendable, CaseIterable, CustomStringConvertible {
  /// A control character other than the tab.
  case control
  /// Neither a name nor a value.
  case empty
  /// Name and value are longer than ``CookieLimits/nameAndValueBytes`` in all, or the path than ``CookieLimits/attributeBytes``.
  case tooLarge = "too_large"
  /// The domain is no host name.
  case invalidDomain = "invalid_domain"
  /// The domain is neither the host nor one that the host is in.
  case foreignDomain = "foreign_domain"
  /// The domain is one below which anybody may register, such as `co.uk`.
  case publicSuffix = "public_suffix"
  /// A secure cookie that did not come by https.
  case insecureSource = "insecure_source"
  /// It did not come by https and would stand in the way of a secure cookie.
  case overSecure = "over_secure"
  /// `SameSite=None` without `Secure`.
  case crossSiteInsecure = "cross_site_insecure"
  /// Its name begins with `__Secure-` or `__Host-`, and it is not what that promises.
  case prefix
  /// A separator in a name or value, blanks at an end, or a path that does not begin with `/`: of cookies not set by servers.
  case malformed
  /// All that would have to go for it has more right to stay.
  case noRoom = "no_room"

  public var description: String {
    switch self {
    case .control: "it holds a control character"
    case .empty: "it has neither a name nor a value"
    case .tooLarge:
      "name and value are longer than \(CookieLimits.nameAndValueBytes) bytes, or the path than \(CookieLimits.attributeBytes)"
    case .invalidDomain: "its domain is no host name"
    case .foreignDomain: "its domain is not that of the host"
    case .publicSuffix: "its domain is a public suffix"
    case .insecureSource: "it is secure and did not come by https"
    case .overSecure: "it did not come by https and a secure cookie has that name"
    case .crossSiteInsecure: "it is for other sites and not secure"
    case .prefix: "it is not what the prefix of its name promises"
    case .malformed: "its name, value or path cannot stand in a header field"
    case .noRoom: "the jar is full"
    }
  }
}

/// One of several cookies that was not taken.
public struct RefusedCookie: Sendable, Equatable {
  /// Its place in what was given, from 0.
  public let index: Int
  /// Up to 40 bytes of its name, escaped where they are not printable.
  public let name: String
  public let reason: CookieRefusal

  init(index: Int, text: String, reason: CookieRefusal) {
    self.index = index
    self.reason = reason
    name = text.withBytes { bytes in
      let end = bytes.firstIndex { $0 == Ascii.semicolon || $0 == Ascii.equals } ?? bytes.count
      // What has no `=` is a value, which may be a secret.
      guard end < bytes.count, bytes[end] == Ascii.equals else { return "" }
      return String(excerpt(Ascii.trimmed(bytes[piece: 0..<end])).dropFirst().dropLast())
    }
  }
}
