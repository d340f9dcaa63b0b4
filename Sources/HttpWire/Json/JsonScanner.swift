/// The grammar of RFC 8259 over bytes, strictly and without allocation: what `Json` and `JsonValue` are made of.
struct JsonScanner {
  struct Text {
    /// Between the quotes.
    var range: Range<Int>
    var hasEscapes: Bool
  }

  let bytes: UnsafeRawBufferPointer
  let maxDepth: Int
  var index = 0

  init(_ bytes: UnsafeRawBufferPointer, maxDepth: Int) {
    self.bytes = bytes
    self.maxDepth = maxDepth
  }

  @inline(never)
  func failure(_ message: String, at offset: Int? = nil) -> JsonError { JsonError(message, in: bytes, at: offset ?? index) }

  @inline(__always)
  mutating func skipWhitespace() {
    while index < bytes.count {
      switch bytes[index] {
      case Ascii.space, Ascii.lf, Ascii.cr, Ascii.tab: index &+= 1
      default: return
      }
    }
  }

  /// At the first byte of a value, or throws.
  @inline(__always)
  mutating func beginValue() throws(JsonError) -> UInt8 {
    skipWhitespace()
    guard index < bytes.count else { throw failure(index == 0 ? "the text is empty" : "the text ends where a value is expected") }
    return bytes[index]
  }

  /// Only whitespace may follow.
  mutating func finish() throws(JsonError) {
    skipWhitespace()
    guard index == bytes.count else { throw failure("there is more after the value") }
  }

  /// Past one value, which may be nested in `depth` others.
  @inline(__always)
  mutating func skipValue(depth: Int) throws(JsonError) {
    // Most values are no containers: only those are worth a call.
    switch try beginValue() {
    case Ascii.quote: try skipString()
    case Self.openBrace: try skipObject(depth)
    case Self.openBracket: try skipArray(depth)
    case let first: try skipScalar(first)
    }
  }

  @inline(never)
  private mutating func skipObject(_ depth: Int) throws(JsonError) {
    guard try beginContainer(depth, Self.closeBrace) else { return }
    repeat {
      try beginKey()
      try skipString()
      try endKey()
      try skipValue(depth: depth + 1)
    } while try continues(Self.closeBrace)
  }

  @inline(never)
  private mutating func skipArray(_ depth: Int) throws(JsonError) {
    guard try beginContainer(depth, Self.closeBracket) else { return }
    repeat { try skipValue(depth: depth + 1) } while try continues(Self.closeBracket)
  }

  /// Past a number or a literal.
  @inline(__always)
  mutating func skipScalar(_ first: UInt8) throws(JsonError) {
    if first &- Ascii.zero &- 1 < 9 {
      // A whole number, as most are.
      var end = index &+ 1
      while end < bytes.count, Ascii.isDigit(bytes[end]) { end &+= 1 }
      if end < bytes.count, bytes[end] != Ascii.dot, bytes[end] | 0x20 != 0x65 {
        index = end
        return
      }
    }
    try skipOtherScalar(first)
  }

  @inline(never)
  private mutating func skipOtherScalar(_ first: UInt8) throws(JsonError) {
    switch first {
    case 0x74: try scanLiteral("true")
    case 0x66: try scanLiteral("false")
    case 0x6E: try scanLiteral("null")
    case Ascii.minus, Ascii.zero...Ascii.nine: _ = try scanNumber()
    case 0xEF where index == 0: throw failure("the text begins with a byte order mark")
    default: throw failure("a value is expected")
    }
  }

  /// Past the opening bracket; false if the container is empty, then past the closing one, too.
  @inline(__always)
  mutating func beginContainer(_ depth: Int, _ closing: UInt8) throws(JsonError) -> Bool {
    guard depth < maxDepth else { throw failure("the nesting is deeper than \(maxDepth)") }
    index += 1
    skipWhitespace()
    guard index < bytes.count, bytes[index] == closing else { return true }
    index += 1
    return false
  }

  /// Past a comma or the closing bracket; true for a comma.
  @inline(__always)
  mutating func continues(_ closing: UInt8) throws(JsonError) -> Bool {
    skipWhitespace()
    guard index < bytes.count else { throw failure("the text ends inside of \(closing == Self.closeBrace ? "an object" : "an array")") }
    let byte = bytes[index]
    guard byte == Ascii.comma || byte == closing else {
      throw failure(closing == Self.closeBrace ? "',' or '}' is expected" : "',' or ']' is expected")
    }
    index += 1
    return byte == Ascii.comma
  }

  /// Past a key and its colon.
  @inline(__always)
  mutating func scanKey() throws(JsonError) -> Text {
    try beginKey()
    let key = try scanString()
    try endKey()
    return key
  }

  @inline(__always)
  private mutating func beginKey() throws(JsonError) {
    skipWhitespace()
    guard index < bytes.count, bytes[index] == Ascii.quote else { throw failure("a key in double quotes is expected") }
  }

  @inline(__always)
  private mutating func endKey() throws(JsonError) {
    skipWhitespace()
    guard index < bytes.count, bytes[index] == Ascii.colon else { throw failure("':' is expected after a key") }
    index &+= 1
  }

  mutating func scanLiteral(_ literal: StaticString) throws(JsonError) {
    let text = UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
    guard bytes.count - index >= text.count, bytes[piece: index..<index + text.count].elementsEqual(text) else {
      throw failure("a value is expected")
    }
    index += text.count
  }

  mutating func scanNumber() throws(JsonError) -> Range<Int> {
    let start = index
    if bytes[index] == Ascii.minus { index += 1 }
    let integerStart = index
    try skipDigits("a digit is expected in a number")
    if bytes[integerStart] == Ascii.zero, index > integerStart + 1 { throw failure("a number has a leading zero", at: integerStart) }
    if index < bytes.count, bytes[index] == Ascii.dot {
      index += 1
      try skipDigits("a digit is expected after the decimal point")
    }
    if index < bytes.count, bytes[index] | 0x20 == 0x65 {
      index += 1
      if index < bytes.count, bytes[index] == Ascii.plus || bytes[index] == Ascii.minus { index += 1 }
      try skipDigits("a digit is expected in the exponent")
    }
    return start..<index
  }

  @inline(__always)
  private mutating func skipDigits(_ message: String) throws(JsonError) {
    let start = index
    while index < bytes.count, Ascii.isDigit(bytes[index]) { index &+= 1 }
    if index == start { throw failure(message) }
  }

  static let openBrace: UInt8 = 0x7B
  static let closeBrace: UInt8 = 0x7D
  static let openBracket: UInt8 = 0x5B
  static let closeBracket: UInt8 = 0x5D
}
