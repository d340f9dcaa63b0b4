/// A dictionary of structured fields (RFC 8941 3.2), of which only the byte sequences matter.
struct HashDictionary {
  private let bytes: UnsafeRawBufferPointer
  private var index = 0

  /// The members that are byte sequences, the last of each name; nil for what is no dictionary.
  static func members(_ bytes: UnsafeRawBufferPointer) -> [(name: String, value: [UInt8])]? {
    var parser = HashDictionary(bytes: Ascii.trimmed(bytes))
    return parser.read()
  }

  private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private mutating func read() -> [(name: String, value: [UInt8])]? {
    var members: [(name: String, value: [UInt8])] = []
    while index < bytes.count {
      guard let name = key() else { return nil }
      members.removeAll { $0.name == name }
      if take(Ascii.equals) {
        guard let value = value() else { return nil }
        if case .bytes(let value) = value { members.append((name, value)) }
      }
      guard skipParameters() else { return nil }
      skipBlanks()
      if index == bytes.count { return members }
      guard take(Ascii.comma) else { return nil }
      skipBlanks()
      // A comma with nothing behind it is none.
      guard index < bytes.count else { return nil }
    }
    return members
  }

  private enum Value {
    case bytes([UInt8])
    case other
  }

  private mutating func value() -> Value? {
    guard index < bytes.count else { return nil }
    switch bytes[index] {
    case Ascii.colon: return sequence().map { .bytes($0) }
    case Ascii.quote: return skipString() ? .other : nil
    case 0x28: return skipList() ? .other : nil
    default:
      let start = index
      while index < bytes.count, isItemByte(bytes[index]) { index += 1 }
      return index > start ? .other : nil
    }
  }

  private mutating func sequence() -> [UInt8]? {
    index += 1
    guard let end = bytes[index...].firstIndex(of: Ascii.colon) else { return nil }
    var text = String(peer: bytes[piece: index..<end])
    index = end + 1
    // Padding may be left out by those who made it (4.2.7).
    if text.utf8.last != Ascii.equals { text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4) }
    return Base64.decode(text)
  }

  private mutating func skipString() -> Bool {
    index += 1
    while index < bytes.count {
      let byte = bytes[index]
      index += byte == Ascii.backslash ? 2 : 1
      if byte == Ascii.quote { return true }
    }
    return false
  }

  private mutating func skipList() -> Bool {
    index += 1
    while index < bytes.count {
      skipBlanks()
      if take(0x29) { return true }
      // Lists are not in lists.
      guard index < bytes.count, bytes[index] != 0x28, value() != nil, skipParameters() else { return false }
    }
    return false
  }

  private mutating func skipParameters() -> Bool {
    while take(Ascii.semicolon) {
      skipBlanks()
      guard key() != nil else { return false }
      if take(Ascii.equals), value() == nil { return false }
    }
    return true
  }

  private mutating func key() -> String? {
    let start = index
    while index < bytes.count, isKeyByte(bytes[index], isFirst: index == start) { index += 1 }
    return index > start ? String(peer: bytes[piece: start..<index]) : nil
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipBlanks() {
    while index < bytes.count, Ascii.isBlank(bytes[index]) { index += 1 }
  }

  private func isKeyByte(_ byte: UInt8, isFirst: Bool) -> Bool {
    if byte &- 0x61 < 26 || byte == 0x2A { return true }
    // Some write the names of algorithms in upper case, which keys do not have.
    if byte &- 0x41 < 26 { return true }
    return !isFirst && (Ascii.isDigit(byte) || byte == 0x5F || byte == Ascii.minus || byte == Ascii.dot)
  }

  /// Of tokens, numbers and booleans.
  private func isItemByte(_ byte: UInt8) -> Bool {
    Ascii.isToken(byte) || byte == Ascii.colon || byte == Ascii.slash || byte == 0x3F
  }
}
