extension Json {
  /// Appends `text` as a JSON string. Quotes, backslashes and controls are escaped, so that the result is one line.
  public static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
    text.withBytes { appendQuoted($0, to: &bytes) }
  }

  /// Appends text of unknown origin as a JSON string; what is not UTF-8 becomes U+FFFD.
  public static func appendQuoted(repairing text: [UInt8], to bytes: inout [UInt8]) {
    appendQuoted(String(decoding: text, as: UTF8.self), to: &bytes)
  }

  /// Appends a string that is known at compile time.
  public static func appendQuoted(_ text: StaticString, to bytes: inout [UInt8]) {
    appendQuoted(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), to: &bytes)
  }

  /// Appends a number.
  public static func appendInteger(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    if value < 0 { bytes.append(Ascii.minus) }
    bytes.append(decimal: UInt64(clamping: value.magnitude))
  }

  /// Appends a number in the shortest form that reads back as the same; `null` for one that is not finite.
  public static func appendDouble(_ value: Double, to bytes: inout [UInt8]) {
    if value.isFinite { bytes.append(text: value.description) } else { bytes.append(static: "null") }
  }

  /// Appends `true` or `false`.
  public static func appendBool(_ value: Bool, to bytes: inout [UInt8]) {
    bytes.append(static: value ? "true" : "false")
  }

  /// Appends `null`.
  public static func appendNull(to bytes: inout [UInt8]) { bytes.append(static: "null") }

  private static func appendQuoted(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.append(Ascii.quote)
    var copied = 0
    var index = 0
    while true {
      index = JsonScanner.plainEnd(text, from: index)
      guard index < text.count else { break }
      let byte = text[index]
      index += 1
      if byte >= 0x80 { continue }
      bytes.append(contentsOf: text[copied..<index - 1])
      copied = index
      appendEscape(byte, to: &bytes)
    }
    bytes.append(contentsOf: text[copied..<text.count])
    bytes.append(Ascii.quote)
  }

  private static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(Ascii.backslash)
    switch byte {
    case 0x08: bytes.append(0x62)
    case Ascii.tab: bytes.append(0x74)
    case Ascii.lf: bytes.append(0x6E)
    case 0x0C: bytes.append(0x66)
    case Ascii.cr: bytes.append(0x72)
    case Ascii.quote, Ascii.backslash: bytes.append(byte)
    default:
      bytes.append(static: "u00")
      bytes.append(hexDigit: byte >> 4)
      bytes.append(hexDigit: byte & 15)
    }
  }
}
