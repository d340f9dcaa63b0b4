/// One pass over the text of a URL.
struct UrlParts {
  var scheme: HttpUrl.Scheme
  var host: String
  var isIPv6 = false
  var port: UInt16
  var target: String
  var userInfo: String?

  init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
    guard bytes.count <= HttpUrl.maximumLength else {
      throw .tooLarge("urlBytes", "the URL is longer than \(HttpUrl.maximumLength) bytes", status: 414)
    }
    guard let colon = bytes.firstIndex(of: Ascii.colon) else { throw .invalid("the URL has no scheme") }
    let name = bytes[piece: 0..<colon]
    if Ascii.equals(name, "http") {
      scheme = .http
    } else if Ascii.equals(name, "https") {
      scheme = .https
    } else {
      throw .invalid("the URL's scheme is neither http nor https")
    }
    guard colon + 2 < bytes.count, bytes[colon + 1] == Ascii.slash, bytes[colon + 2] == Ascii.slash else {
      throw .invalid("the URL's scheme is not followed by //")
    }
    let authorityStart = colon + 3
    var authorityEnd = authorityStart
    while authorityEnd < bytes.count, !Self.endsAuthority(bytes[authorityEnd]) { authorityEnd += 1 }
    target = try Self.target(bytes[piece: authorityEnd..<bytes.count])

    var authority = bytes[piece: authorityStart..<authorityEnd]
    if let at = authority.lastIndex(of: 0x40) {
      let user = authority[piece: 0..<at]
      guard user.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != Ascii.backslash }) else {
        throw .invalid("the URL's user information holds a space or a control character")
      }
      userInfo = String(peer: user)
      authority = authority[piece: at + 1..<authority.count]
    }
    port = scheme.defaultPort
    let hostEnd: Int
    if authority.first == 0x5B {
      guard let closing = authority.firstIndex(of: 0x5D) else { throw .invalid("the URL's IPv6 address has no closing bracket") }
      let address = authority[piece: 1..<closing]
      guard IPv6Literal.isValid(address) else { throw .invalid("the URL's IPv6 address is not valid") }
      host = Self.lowerCase(address)
      isIPv6 = true
      hostEnd = closing + 1
      guard hostEnd == authority.count || authority[hostEnd] == Ascii.colon else {
        throw .invalid("the URL's IPv6 address is followed by more than a port")
      }
    } else {
      hostEnd = authority.firstIndex(of: Ascii.colon) ?? authority.count
      let name = authority[piece: 0..<hostEnd]
      guard !name.isEmpty else { throw .invalid("the URL has no host") }
      host = try Self.hostName(name)
    }
    if hostEnd < authority.count, let given = try Self.port(authority[piece: hostEnd + 1..<authority.count]) { port = given }
  }

  var hostHeader: String {
    if port == scheme.defaultPort, !isIPv6 { return host }
    return String(unsafeUninitializedCapacity: host.utf8.count + 8) { buffer in
      var count = 0
      func put(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
      }
      if isIPv6 { put(0x5B) }
      host.withBytes { for byte in $0 { put(byte) } }
      if isIPv6 { put(0x5D) }
      if port != scheme.defaultPort {
        put(Ascii.colon)
        var unit: UInt16 = 10_000
        while unit > port { unit /= 10 }
        while unit > 0 {
          put(Ascii.zero + UInt8(port / unit % 10))
          unit /= 10
        }
      }
      return count
    }
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool { byte == Ascii.slash || byte == 0x3F || byte == 0x23 }

  static func isHostByte(_ byte: UInt8) -> Bool {
    Ascii.isDigit(byte) || (byte | 0x20) &- 0x61 < 26 || byte == Ascii.minus || byte == Ascii.dot || byte == 0x5F || byte == 0x7E
  }

  private static func hostName(_ name: UnsafeRawBufferPointer) throws(WireError) -> String {
    var isPlain = true
    var mayBeEncoded = false
    var previous: UInt8 = 0
    for byte in name {
      if byte >= 0x80 { return try IdnHost.encode(name) }
      if !isHostByte(byte) { isPlain = false }
      if byte == Ascii.minus, previous == Ascii.minus { mayBeEncoded = true }
      previous = byte
    }
    guard name.count <= 255 else { throw .invalid("the URL's host is longer than 255 bytes") }
    guard isPlain else {
      throw .invalid("the URL's host holds a character that is not a letter, digit, '-', '.', '_' or '~'")
    }
    if mayBeEncoded { try IdnHost.checkEncodedLabels(name) }
    return lowerCase(name)
  }

  private static func lowerCase(_ bytes: UnsafeRawBufferPointer) -> String {
    String(unsafeUninitializedCapacity: bytes.count) { buffer in
      for index in 0..<bytes.count { buffer.initializeElement(at: index, to: Ascii.lower(bytes[index])) }
      return bytes.count
    }
  }

  /// nil for an empty port, which means the default (RFC 3986 3.2.3).
  private static func port(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> UInt16? {
    guard !bytes.isEmpty else { return nil }
    var value: UInt32 = 0
    for byte in bytes {
      guard Ascii.isDigit(byte) else { throw .invalid("the URL's port is not a number") }
      value = min(value * 10 + UInt32(byte - Ascii.zero), 65_536)
    }
    guard value >= 1, let port = UInt16(exactly: value) else { throw .invalid("the URL's port is not in 1...65535") }
    return port
  }

  private static func target(_ rest: UnsafeRawBufferPointer) throws(WireError) -> String {
    var end = 0
    var plain = rest.first == Ascii.slash
    while end < rest.count, rest[end] != 0x23 {
      let byte = rest[end]
      guard byte > 0x20, byte != 0x7F else { throw .invalid("the URL's path or query holds a space or a control character") }
      if byte >= 0x80 { plain = false }
      end += 1
    }
    for byte in rest[end...] where byte <= 0x20 || byte == 0x7F {
      throw .invalid("the URL's fragment holds a space or a control character")
    }
    if end == 0 { return "/" }
    if plain { return String(peer: rest[piece: 0..<end]) }
    var encoded: [UInt8] = []
    encoded.reserveCapacity(end * 3 / 2 + 1)
    if rest[0] != Ascii.slash { encoded.append(Ascii.slash) }
    for byte in rest[..<end] {
      if byte < 0x80 { encoded.append(byte) } else { encoded.append(percentEncoded: byte) }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
