internal import Hashing

extension DigestAuth {
  /// The same for text, which is sent as UTF-8, and a body in memory.
  public mutating func authorization(
    method: HttpMethod, target: String, user: String, password: String, body: [UInt8] = [], cnonce: String
  ) throws(WireError) -> String {
    try authorization(
      method: method, target: target, user: Array(user.utf8), password: Array(password.utf8), bodyHash: { $0.hash(body) }, cnonce: cnonce)
  }

  /// nil if there is a choice, and none of it is known.
  static func protection(_ qop: String?) -> Protection? {
    guard let qop else { return Protection.none }
    var offered: Set<Protection> = []
    let words = qop.utf8.split { $0 == Ascii.comma || Ascii.isBlank($0) }
    for word in words {
      switch Substring(word).lowercased() {
      case "auth": offered.insert(.auth)
      case "auth-int": offered.insert(.authInt)
      default: continue
      }
    }
    if words.isEmpty { return Protection.none }
    if offered.contains(.auth) { return .auth }
    return offered.contains(.authInt) ? .authInt : nil
  }

  /// What was no UTF-8 can't be sent back, and what holds a control character may not.
  static func isFaithful(_ value: String) -> Bool {
    !value.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0 == "\u{FFFD}" }
  }

  /// Eight hexadecimal digits.
  static func padded(_ count: UInt32) -> String {
    let digits = String(count, radix: 16)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }

  func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// The parameter that says who it is: hashed, extended (RFC 8187) or as it is.
  func name(_ user: [UInt8]) throws(WireError) -> String {
    if hashesUser {
      return "username=\"\(String(decoding: algorithm.hex(user, bytes(realm)), as: UTF8.self))\""
    }
    guard let text = String(validating: user, as: UTF8.self) else {
      throw .invalid("the user is not in UTF-8, which Digest has no form for")
    }
    return isUtf8 && user.contains { $0 >= 0x80 } ? "username*=UTF-8''\(FormEncoding.percentEncode(text))" : "username=\(quoted(text))"
  }

  func quoted(_ text: String) -> String {
    var out: [UInt8] = [Ascii.quote]
    for byte in text.utf8 {
      if byte == Ascii.quote || byte == Ascii.backslash { out.append(Ascii.backslash) }
      out.append(byte)
    }
    out.append(Ascii.quote)
    return String(decoding: out, as: UTF8.self)
  }
}
