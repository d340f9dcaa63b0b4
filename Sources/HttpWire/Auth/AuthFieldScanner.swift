/// Reads what authentication fields are made of: schemes, token68, and parameters (RFC 9110 sections 11.2 to 11.4), as leniently as real fields need.
struct AuthFieldScanner {
  private let bytes: UnsafeRawBufferPointer
  private var index = 0

  private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Appends at most `count` challenges.
  static func read(_ value: UnsafeRawBufferPointer, upTo count: Int, into challenges: inout [AuthChallenge]) {
    var scanner = AuthFieldScanner(value[piece: 0..<min(value.count, AuthChallenge.maximumBytes)])
    var left = count
    // A challenge that is cut by the limit is not what the server sent.
    let isCut = value.count > AuthChallenge.maximumBytes
    while left > 0, let challenge = scanner.challenge() {
      if isCut, scanner.index == scanner.bytes.count { return }
      challenges.append(challenge)
      left -= 1
    }
  }

  /// The parameters of a field without a scheme, such as Authentication-Info.
  static func parameters(_ value: UnsafeRawBufferPointer) -> [(String, String)] {
    guard value.count <= AuthChallenge.maximumBytes else { return [] }
    var scanner = AuthFieldScanner(value)
    return scanner.parameters()
  }

  private mutating func challenge() -> AuthChallenge? {
    while index < bytes.count {
      skipSeparators()
      let name = token()
      skipBlanks()
      if name.isEmpty || peek() == Ascii.equals {
        skipElement()
        continue
      }
      let scheme = String(peer: bytes[piece: name]).lowercased()
      if index > name.upperBound, let token68 = token68(of: scheme) { return AuthChallenge(scheme: scheme, token68: token68) }
      return AuthChallenge(scheme: scheme, parameters: parameters())
    }
    return nil
  }

  /// Up to the end, or to what may be the scheme of the next challenge.
  private mutating func parameters() -> [(String, String)] {
    var parameters: [(String, String)] = []
    while true {
      skipSeparators()
      let start = index
      let name = token()
      skipBlanks()
      guard !name.isEmpty else {
        guard index < bytes.count else { return parameters }
        skipElement()
        continue
      }
      guard peek() == Ascii.equals else {
        index = start
        return parameters
      }
      index += 1
      skipBlanks()
      let value = peek() == Ascii.quote ? quoted() : unquoted()
      if parameters.count < AuthChallenge.maximumParameters {
        parameters.append((String(peer: bytes[piece: name]).lowercased(), value))
      }
    }
  }

  /// Schemes that are known to have parameters have no token68: their `realm=,` would look like one.
  private mutating func token68(of scheme: String) -> String? {
    guard scheme != "basic", scheme != "digest", scheme != "bearer" else { return nil }
    var end = index
    while end < bytes.count, Self.isToken68(bytes[end]) { end += 1 }
    guard end > index else { return nil }
    while end < bytes.count, bytes[end] == Ascii.equals { end += 1 }
    var next = end
    while next < bytes.count, Ascii.isBlank(bytes[next]) { next += 1 }
    guard next == bytes.count || bytes[next] == Ascii.comma else { return nil }
    defer { index = next }
    return String(peer: bytes[piece: index..<end])
  }

  private static func isToken68(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, Ascii.minus, Ascii.dot, 0x5F, 0x7E, Ascii.plus, Ascii.slash: true
    default: false
    }
  }

  /// At the opening quote.
  private mutating func quoted() -> String {
    var text: [UInt8] = []
    index += 1
    while index < bytes.count, bytes[index] != Ascii.quote {
      if bytes[index] == Ascii.backslash, index + 1 < bytes.count { index += 1 }
      text.append(bytes[index])
      index += 1
    }
    if index < bytes.count { index += 1 }
    return text.withUnsafeBytes { String(peer: $0) }
  }

  /// Up to a comma, or to a blank before the next parameter: `realm=my realm` is one value, `realm=x qop=auth` are two.
  private mutating func unquoted() -> String {
    let start = index
    while index < bytes.count, bytes[index] != Ascii.comma {
      if Ascii.isBlank(bytes[index]) {
        var ahead = self
        ahead.skipBlanks()
        let name = ahead.token()
        ahead.skipBlanks()
        if !name.isEmpty, ahead.peek() == Ascii.equals { break }
        // Past all the blanks, so that none is looked ahead from twice.
        index = name.lowerBound
      } else {
        index += 1
      }
    }
    return String(peer: Ascii.trimmed(bytes[piece: start..<index]))
  }

  private mutating func token() -> Range<Int> {
    let start = index
    while index < bytes.count, Ascii.isToken(bytes[index]) { index += 1 }
    return start..<index
  }

  private func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipBlanks() {
    while index < bytes.count, Ascii.isBlank(bytes[index]) { index += 1 }
  }

  private mutating func skipSeparators() {
    while index < bytes.count, Ascii.isBlank(bytes[index]) || bytes[index] == Ascii.comma { index += 1 }
  }

  /// Past what can't be read, to the next comma that is not in a quoted string.
  private mutating func skipElement() {
    while index < bytes.count, bytes[index] != Ascii.comma {
      if bytes[index] == Ascii.quote { _ = quoted() } else { index += 1 }
    }
  }
}
