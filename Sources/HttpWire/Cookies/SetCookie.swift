/// A Set-Cookie field taken apart (RFC 6265bis 5.6). Of attributes that come twice the last one counts.
struct SetCookie {
  let name: String
  let value: String
  /// By Max-Age, and where that is missing or no number, by Expires; `Int64.min` for an age of nothing. Never more than 400 days ahead.
  var expires: Int64? { expiresByAge ?? expiresByDate }
  /// In lower case, without its leading dot; nil if there is none or it is empty.
  private(set) var domain: String?
  /// The attribute is there, whatever it says.
  private(set) var hasPath = false
  /// nil if there is none, or one that does not begin with a slash.
  private(set) var path: String?
  private(set) var isSecure = false
  private(set) var isHttpOnly = false
  private(set) var sameSite = Cookie.SameSite.unspecified

  private var expiresByAge: Int64?
  private var expiresByDate: Int64?

  init(_ text: String, at now: Int64) throws(CookieRefusal) {
    self = try text.withBytes { (bytes) throws(CookieRefusal) in try SetCookie(bytes, now) }
  }

  private init(_ bytes: UnsafeRawBufferPointer, _ now: Int64) throws(CookieRefusal) {
    guard Ascii.isFieldValue(bytes) else { throw .control }
    var end = bytes.firstIndex(of: Ascii.semicolon) ?? bytes.count
    let (name, value) = Self.pair(bytes[piece: 0..<end])
    // Without `=` it is a value.
    self.name = value == nil ? "" : String(peer: name)
    self.value = String(peer: value ?? name)
    guard !self.name.isEmpty || !self.value.isEmpty else { throw .empty }
    guard self.name.utf8.count + self.value.utf8.count <= CookieLimits.nameAndValueBytes else { throw .tooLarge }
    while end < bytes.count {
      let start = end + 1
      end = bytes[start...].firstIndex(of: Ascii.semicolon) ?? bytes.count
      let (name, value) = Self.pair(bytes[piece: start..<end])
      take(name, value ?? UnsafeRawBufferPointer(rebasing: bytes[0..<0]), now)
    }
  }

  /// What is before and after the first `=`, trimmed.
  private static func pair(_ bytes: UnsafeRawBufferPointer) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) {
    guard let equals = bytes.firstIndex(of: Ascii.equals) else { return (Ascii.trimmed(bytes), nil) }
    return (Ascii.trimmed(bytes[piece: 0..<equals]), Ascii.trimmed(bytes[piece: equals + 1..<bytes.count]))
  }

  private mutating func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ now: Int64) {
    guard value.count <= CookieLimits.attributeBytes else { return }
    if Ascii.equals(name, "expires") {
      if let date = CookieDate.seconds(String(peer: value)) { expiresByDate = min(date, Self.later(now, by: CookieLimits.ageSeconds)) }
    } else if Ascii.equals(name, "max-age") {
      if let age = Self.age(value) { expiresByAge = age > 0 ? Self.later(now, by: age) : .min }
    } else if Ascii.equals(name, "domain") {
      let name = value.first == Ascii.dot ? value[piece: 1..<value.count] : value
      domain = name.isEmpty ? nil : String(decoding: name.map(Ascii.lower), as: UTF8.self)
    } else if Ascii.equals(name, "path") {
      hasPath = true
      path = value.first == Ascii.slash ? String(peer: value) : nil
    } else if Ascii.equals(name, "secure") {
      isSecure = true
    } else if Ascii.equals(name, "httponly") {
      isHttpOnly = true
    } else if Ascii.equals(name, "samesite") {
      sameSite = Self.sameSite(value)
    }
  }

  /// Seconds, at most 400 days; 0 for a negative number; nil for what is none.
  private static func age(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    let isNegative = bytes.first == Ascii.minus
    let digits = bytes[(isNegative ? 1 : 0)...]
    guard !digits.isEmpty, digits.allSatisfy(Ascii.isDigit) else { return nil }
    return isNegative ? 0 : digits.reduce(0) { min($0 * 10 + Int64($1 - Ascii.zero), CookieLimits.ageSeconds) }
  }

  private static func sameSite(_ value: UnsafeRawBufferPointer) -> Cookie.SameSite {
    if Ascii.equals(value, "none") { return .none }
    if Ascii.equals(value, "lax") { return .lax }
    return Ascii.equals(value, "strict") ? .strict : .unspecified
  }

  private static func later(_ now: Int64, by seconds: Int64) -> Int64 {
    let (sum, overflow) = now.addingReportingOverflow(seconds)
    return overflow ? .max : sum
  }
}
