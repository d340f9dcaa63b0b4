internal import HttpWire

/// A proxy, taken apart.
struct Proxy: Sendable, Hashable, CustomStringConvertible {
  enum Kind: String, Sendable {
    case http
    /// HTTP inside TLS.
    case https
    /// Names are resolved here.
    case socks5
    /// Names are resolved at the proxy.
    case socks5h

    /// It speaks SOCKS, not HTTP.
    var isSocks: Bool { self == .socks5 || self == .socks5h }
    /// curl's: 1080, but for `https`.
    var defaultPort: UInt16 { self == .https ? 443 : 1_080 }
  }

  var kind: Kind
  /// Lower case, without brackets.
  var host: String
  var port: UInt16
  var credentials: ProxyCredentials?

  /// Such as `http://127.0.0.1:3128`, without credentials.
  var description: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return "\(kind.rawValue)://\(name):\(port)"
  }
}

/// Who one is to a proxy. Bytes, for what was percent-encoded may be in any charset. Shows nothing of itself.
struct ProxyCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  var user: [UInt8]
  var password: [UInt8]

  /// The value of Proxy-Authorization (RFC 7617).
  var basic: String { "Basic " + Base64.encode(user + [UInt8(ascii: ":")] + password) }

  var description: String { "***" }
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// What is wrong with the choice of a proxy, without secrets.
struct ProxyError: Error, Sendable, Hashable, CustomStringConvertible {
  let message: String
  var description: String { message }

  init(_ message: String) { self.message = message }
}
