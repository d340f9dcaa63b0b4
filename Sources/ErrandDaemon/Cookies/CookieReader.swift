internal import HttpWire

/// A cookie in the API's JSON.
enum CookieReader {
  static let fields = ["name", "value", "domain", "path", "host_only", "secure", "http_only", "same_site", "expires"]

  static func read(_ json: JsonValue, at now: Int64) throws(Problem) -> Cookie {
    var texts: [String: String] = [:]
    var flags: [String: Bool] = [:]
    var expires: Int64?
    for member in try FieldReader.object(json, "", of: fields) {
      let field = "/" + Problem.pointerToken(member.key)
      switch member.key {
      case "name", "value", "domain", "path", "same_site": texts[member.key] = try FieldReader.text(member.value, field)
      case "host_only", "secure", "http_only": flags[member.key] = try FieldReader.flag(member.value, field)
      case "expires":
        if case .null = member.value { continue }
        expires = try FieldReader.integer(member.value, field, 0...253_402_300_799)
      default: throw .unknownField(member.key, at: "", among: fields)
      }
    }
    guard let name = texts["name"] else { throw .missing("/name") }
    guard let domain = texts["domain"] else { throw .missing("/domain") }
    var cookie = Cookie(name: name, value: texts["value"] ?? "", domain: domain, path: texts["path"] ?? "/", creation: now)
    cookie.isHostOnly = flags["host_only"] ?? true
    cookie.isSecure = flags["secure"] ?? false
    cookie.isHttpOnly = flags["http_only"] ?? false
    cookie.expires = expires
    if let text = texts["same_site"] {
      guard let sameSite = Cookie.SameSite(rawValue: text.lowercased()), sameSite != .unspecified else {
        throw .invalidValue("/same_site", "must be one of strict, lax, none")
      }
      cookie.sameSite = sameSite
    }
    return cookie
  }
}
