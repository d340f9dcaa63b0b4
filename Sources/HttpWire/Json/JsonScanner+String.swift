extension JsonScanner {
  /// As ``scanString()``, where nobody wants to know the text.
  @inline(__always)
  mutating func skipString() throws(JsonError) {
    let end = Self.plainEnd(bytes, from: index &+ 1)
    if end < bytes.count, bytes[end] == Ascii.quote {
      index = end &+ 1
    } else {
      _ = try scanString()
    }
  }

  /// Past the string whose opening quote is at `index`: valid UTF-8, valid escapes, no lone surrogates.
  mutating func scanString() throws(JsonError) -> Text {
    let start = index + 1
    var hasEscapes = false
    index = start
    while true {
      index = Self.plainEnd(bytes, from: index)
      guard index < bytes.count else { throw failure("a string is not closed", at: start - 1) }
      let byte = bytes[index]
      if byte == Ascii.quote {
        index += 1
        return Text(range: start..<index - 1, hasEscapes: hasEscapes)
      } else if byte == Ascii.backslash {
        hasEscapes = true
        _ = try scanEscape()
      } else if byte < 0x20 {
        throw failure("a string holds a control character that is not escaped")
      } else {
        try skipSequence(byte)
      }
    }
  }

  /// The first byte from `start` on that is no plain ASCII character of a string, looked for eight at a time.
  @inline(__always)
  static func plainEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index &+ 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      // High bits mark the bytes below 0x20, equal to quote or backslash, or above 0x7F. A borrow may mark bytes above the first
      // marked one, never below it.
      let control = (word &- 0x2020_2020_2020_2020) & ~word
      let quote = word ^ 0x2222_2222_2222_2222
      let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
      let special =
        ((quote &- 0x0101_0101_0101_0101) & ~quote) | ((backslash &- 0x0101_0101_0101_0101) & ~backslash) | control | word
      let marks = special & 0x8080_8080_8080_8080
      if marks != 0 { return index &+ marks.trailingZeroBitCount &>> 3 }
      index &+= 8
    }
    while index < bytes.count {
      let byte = bytes[index]
      if byte == Ascii.quote || byte == Ascii.backslash || byte < 0x20 || byte >= 0x80 { break }
      index &+= 1
    }
    return index
  }

  /// The character an escape stands for, with `index` behind it.
  mutating func scanEscape() throws(JsonError) -> Unicode.Scalar {
    let start = index
    guard index + 1 < bytes.count else { throw failure("a string is not closed") }
    let letter = bytes[index + 1]
    index += 2
    switch letter {
    case Ascii.quote, Ascii.backslash, Ascii.slash: return Unicode.Scalar(letter)
    case 0x62: return "\u{8}"
    case 0x66: return "\u{C}"
    case 0x6E: return "\n"
    case 0x72: return "\r"
    case 0x74: return "\t"
    case 0x75:
      let unit = try scanHex(start)
      if let scalar = Unicode.Scalar(unit) { return scalar }
      guard unit < 0xDC00, index + 1 < bytes.count, bytes[index] == Ascii.backslash, bytes[index + 1] == 0x75 else {
        throw failure("a \\u escape is half of a surrogate pair", at: start)
      }
      index += 2
      let low = try scanHex(index - 2)
      guard low & 0xFC00 == 0xDC00, let scalar = Unicode.Scalar(0x10000 + ((unit & 0x3FF) << 10 | low & 0x3FF)) else {
        throw failure("a \\u escape is half of a surrogate pair", at: start)
      }
      return scalar
    default: throw failure("an escape is not known", at: start)
    }
  }

  private mutating func scanHex(_ start: Int) throws(JsonError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard index < bytes.count, let digit = Ascii.hexValue(bytes[index]) else {
        throw failure("a \\u escape does not have four hexadecimal digits", at: start)
      }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }

  /// Past one UTF-8 sequence of several bytes (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
  private mutating func skipSequence(_ first: UInt8) throws(JsonError) {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF:
      length = 3
      if first == 0xE0 { second = 0xA0...0xBF }
      if first == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      length = 4
      if first == 0xF0 { second = 0x90...0xBF }
      if first == 0xF4 { second = 0x80...0x8F }
    default: throw failure("a string is not UTF-8")
    }
    guard bytes.count - index >= length, second.contains(bytes[index + 1]) else { throw failure("a string is not UTF-8") }
    for offset in 2..<max(length, 2) where bytes[index + offset] & 0xC0 != 0x80 { throw failure("a string is not UTF-8") }
    index += length
  }

  /// The text of a string that was scanned.
  func string(_ text: Text) -> String {
    guard text.hasEscapes else { return String(peer: bytes[piece: text.range]) }
    return String(decoding: unescaped(text), as: UTF8.self)
  }

  func unescaped(_ text: Text) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.range.count)
    var reader = self
    reader.index = text.range.lowerBound
    while reader.index < text.range.upperBound {
      let start = reader.index
      while reader.index < text.range.upperBound, bytes[reader.index] != Ascii.backslash { reader.index &+= 1 }
      result.append(contentsOf: bytes[start..<reader.index])
      guard reader.index < text.range.upperBound else { break }
      // The escapes were valid when the string was scanned.
      guard let scalar = try? reader.scanEscape() else { break }
      result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
    return result
  }
}
