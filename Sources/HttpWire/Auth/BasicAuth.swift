/// The Basic scheme (RFC 7617).
public enum BasicAuth {
  /// The value of Authorization or Proxy-Authorization, with user and password in UTF-8.
  /// Throws `invalid` for a colon in the user, which the scheme has no form for, and for control characters.
  public static func value(user: String, password: String) throws(WireError) -> String {
    try value(user: Array(user.utf8), password: Array(password.utf8))
  }

  /// The same for bytes in any charset.
  public static func value(user: [UInt8], password: [UInt8]) throws(WireError) -> String {
    guard !user.contains(Ascii.colon) else { throw .invalid("the user holds a colon, which Basic has no form for (RFC 7617)") }
    guard !(user + password).contains(where: Ascii.isControl) else {
      throw .invalid("the user or the password holds a control character")
    }
    return "Basic " + Base64.encode(user + [Ascii.colon] + password)
  }
}
