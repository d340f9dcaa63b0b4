/// An absolute `http` or `https` URL, taken apart for sending a request. Path and query stay byte for byte as given (RFC 3986).
public struct HttpUrl: Sendable, Hashable, CustomStringConvertible {
  /// The schemes that can be asked for.
  public enum Scheme: String, Sendable, Hashable, CustomStringConvertible {
    case http
    case https

    /// The port that goes without saying: 80 or 443.
    public var defaultPort: UInt16 { self == .http ? 80 : 443 }
    public var description: String { rawValue }
  }

  /// In lower case, whatever the case in the text.
  public let scheme: Scheme
  /// Lower case, without brackets; a name with characters outside ASCII in the form for name servers (`xn--…`).
  public let host: String
  /// The host is an IPv6 address.
  public let isIPv6: Bool
  /// As given, or the scheme's own.
  public let port: UInt16
  /// Path and query as in the request line, `/` if the URL has neither; without the fragment.
  public internal(set) var target: String
  /// The value of the Host field: with brackets for IPv6, with the port unless it is the scheme's own.
  public let hostHeader: String
  /// What stands before `@`, as given.
  public let userInfo: String?

  /// The port is the scheme's own.
  public var hasDefaultPort: Bool { port == scheme.defaultPort }

  /// The longest text that is read, in bytes.
  public static let maximumLength = 65_536

  /// Throws `invalid` for controls and spaces, another scheme, an empty or malformed host, a bad port, a bad IPv6 address, and
  /// texts over 64 KiB. Bytes outside ASCII are percent-encoded in path and query; in the host they are encoded by IDNA2008 after the
  /// non-transitional mapping of UTS 46, and refused, in words that name the host, where those do not allow them.
  public init(_ text: String) throws(WireError) {
    self.init(try text.withBytes { (bytes) throws(WireError) in try UrlParts(bytes) })
  }

  init(_ parts: consuming UrlParts) {
    scheme = parts.scheme
    isIPv6 = parts.isIPv6
    port = parts.port
    hostHeader = parts.hostHeader
    host = parts.host
    target = parts.target
    userInfo = parts.userInfo
  }

  /// The URL with `params` at the end of its query: percent-encoded as UTF-8, all but unreserved characters (RFC 3986 2.3).
  public func addingQuery(_ params: [(String, String)]) -> HttpUrl {
    guard !params.isEmpty else { return self }
    var bytes = Array(target.utf8)
    var separator: UInt8? = 0x3F
    if bytes.contains(0x3F) { separator = bytes.last == 0x3F || bytes.last == Ascii.ampersand ? nil : Ascii.ampersand }
    for (name, value) in params {
      if let separator { bytes.append(separator) }
      FormEncoding.appendPercentEncoded(name, to: &bytes)
      bytes.append(Ascii.equals)
      FormEncoding.appendPercentEncoded(value, to: &bytes)
      separator = Ascii.ampersand
    }
    var url = self
    url.target = String(decoding: bytes, as: UTF8.self)
    return url
  }

  /// The URL without its fragment; a password shows as `***`.
  public var description: String {
    guard let userInfo else { return "\(scheme)://\(hostHeader)\(target)" }
    let user = userInfo.prefix { $0 != ":" }
    return "\(scheme)://\(user)\(user.endIndex == userInfo.endIndex ? "" : ":***")@\(hostHeader)\(target)"
  }
}
