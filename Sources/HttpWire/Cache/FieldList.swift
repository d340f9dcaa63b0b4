/// Reading of comma lists whose elements may hold quoted strings (RFC 9110 5.6.1, 5.6.4).
enum FieldList {
  /// Calls `body` with each element, trimmed, without the empty ones. A comma in a quoted string is no separator; a quote that is never
  /// closed is an ordinary character.
  static func forEach(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    var start = 0
    var index = 0
    // Once a quote was not closed, no later one is looked at: each would be searched to the end again.
    var closes = true
    while index <= bytes.count {
      if index == bytes.count || bytes[index] == Ascii.comma {
        let element = Ascii.trimmed(bytes[piece: start..<index])
        if !element.isEmpty { body(element) }
        start = index + 1
      } else if bytes[index] == Ascii.quote, closes {
        if let closing = closingQuote(bytes, after: index) { index = closing } else { closes = false }
      }
      index += 1
    }
  }

  /// The text of a token or a quoted string.
  static func unquoted(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    guard bytes.count >= 2, bytes[0] == Ascii.quote, closingQuote(bytes, after: 0) == bytes.count - 1 else { return Array(bytes) }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var isEscaped = false
    for byte in bytes[1..<bytes.count - 1] {
      if byte == Ascii.backslash, !isEscaped {
        isEscaped = true
      } else {
        isEscaped = false
        text.append(byte)
      }
    }
    return text
  }

  static func closingQuote(_ bytes: UnsafeRawBufferPointer, after opening: Int) -> Int? {
    var index = opening + 1
    while index < bytes.count {
      if bytes[index] == Ascii.quote { return index }
      index += bytes[index] == Ascii.backslash ? 2 : 1
    }
    return nil
  }
}
