import HttpWire

/// The moment of the tests about cookies.
let cookieNow: Int64 = 1_780_000_000

extension Cookie {
  /// Such as `a=b .example.com /path secure httponly lax +60`, with a dot for a cookie of all hosts below, and the seconds that it lives.
  var inShort: String {
    var words = ["\(name)=\(value)", (isHostOnly ? "" : ".") + domain, path]
    if isSecure { words.append("secure") }
    if isHttpOnly { words.append("httponly") }
    if sameSite != .unspecified { words.append(sameSite.rawValue) }
    if let expires { words.append("+\(expires - cookieNow)") }
    return words.joined(separator: " ")
  }
}

/// What an empty jar holds after a response of `url` with those Set-Cookie fields, or why it took nothing.
func stored(_ fields: [String], from url: String) throws -> String {
  var jar = CookieJarState()
  let refused = jar.store(setCookies: fields, from: try HttpUrl(url), at: cookieNow)
  return (jar.all(at: cookieNow).map(\.inShort) + refused.map { "refused: \($0.reason.rawValue)" }).joined(separator: ", ")
}

/// One Set-Cookie field of `http://example.com/` unless told otherwise, and what comes of it.
struct StoreCase: Sendable, CustomStringConvertible {
  let field: String
  let url: String
  let outcome: String

  init(_ field: String, _ outcome: String, from url: String = "http://example.com/") {
    self.field = field
    self.url = url
    self.outcome = outcome
  }

  var description: String { "\(field.debugDescription) of \(url)".prefix(120) + "" }
}
