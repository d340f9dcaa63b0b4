internal import HttpWire

extension Proxy {
  /// Reads `[scheme://][user:password@]host[:port][/]`. No error repeats any of the text but the scheme.
  init(_ text: String) throws(ProxyError) {
    let (kind, rest) = try Proxy.kind(of: text)
    self.kind = kind
    let url = try Proxy.url("http", rest)
    guard url.target == "/", !rest.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
      throw ProxyError("the proxy's URL has a path, query or fragment")
    }
    host = url.host
    // A port that is the default under one scheme and not under the other was given.
    let isPortGiven = try url.port == Proxy.url("https", rest).port
    port = isPortGiven ? url.port : kind.defaultPort
    credentials = try url.userInfo.map { (userInfo) throws(ProxyError) in try Proxy.credentials(userInfo, kind) }
  }

  private static func kind(of text: String) throws(ProxyError) -> (Kind, rest: String) {
    // What is before an `@` is no scheme, whatever it holds.
    guard let mark = text.utf8.firstRange(of: "://".utf8), !text[..<mark.lowerBound].utf8.contains(UInt8(ascii: "@")) else {
      return (.http, text)
    }
    let scheme = text[..<mark.lowerBound].lowercased()
    if let kind = Kind(rawValue: scheme) { return (kind, String(text[mark.upperBound...])) }
    switch scheme {
    case "socks4", "socks4a", "socks":
      throw ProxyError("SOCKS 4 is not supported: use a socks5:// or socks5h:// proxy")
    default:
      throw ProxyError("the proxy's scheme is none of http, https, socks5 and socks5h")
    }
  }

  private static func url(_ scheme: String, _ rest: String) throws(ProxyError) -> HttpUrl {
    do throws(WireError) {
      return try HttpUrl("\(scheme)://\(rest)")
    } catch {
      throw ProxyError("the proxy can't be used: \(error.message)")
    }
  }

  private static func credentials(_ text: String, _ kind: Kind) throws(ProxyError) -> ProxyCredentials {
    let bytes = Array(text.utf8)
    let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    let user = percentDecoded(bytes[..<colon])
    let password = percentDecoded(bytes[colon...].dropFirst())
    guard (user + password).allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw ProxyError("the proxy's user or password holds a control character")
    }
    if kind.isSocks {
      guard user.count <= 255, password.count <= 255 else {
        throw ProxyError("the proxy's user or password is longer than the 255 bytes that SOCKS 5 has for it (RFC 1929)")
      }
      guard !user.isEmpty else { throw ProxyError("the proxy's user is empty, which SOCKS 5 has no form for (RFC 1929)") }
    } else if user.contains(UInt8(ascii: ":")) {
      throw ProxyError("the proxy's user holds a colon, which Basic has no form for (RFC 7617)")
    }
    return ProxyCredentials(user: user, password: password)
  }

  /// A `%` without two hex digits stays as it is, as in curl.
  private static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2).compactMap(hexValue)
      if byte == UInt8(ascii: "%"), digits.count == 2 {
        decoded.append(digits[0] << 4 | digits[1])
        rest = rest.dropFirst(2)
      } else {
        decoded.append(byte)
      }
    }
    return decoded
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    let value = Character(Unicode.Scalar(byte)).hexDigitValue
    return value.map { UInt8($0) }
  }
}
