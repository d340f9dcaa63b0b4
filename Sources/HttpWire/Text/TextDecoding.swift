/// Bytes of a body as text (RFC 9110 8.3.2, WHATWG Encoding).
public enum TextDecoding {
  /// The text, and the name of its encoding in lower case, such as `utf-8` or `shift_jis`.
  ///
  /// A byte order mark decides, then the parameter `charset` of `contentType`, under any label of the WHATWG Encoding standard (`latin1` is
  /// `windows-1252`, as browsers have it), else it is UTF-8. It never fails: bytes that are no text of the encoding become U+FFFD. The mark is not a
  /// part of the text. Not for the loop: some encodings have tables that the C library reads from disk.
  public static func decode(_ bytes: [UInt8], contentType: String?) -> (text: String, encoding: String) {
    bytes.withBytes { decode($0, contentType: contentType) }
  }

  /// The same, from bytes of any kind.
  public static func decode(_ bytes: UnsafeRawBufferPointer, contentType: String?) -> (text: String, encoding: String) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (String(peer: bytes[piece: 3..<bytes.count]), "utf-8") }
    if bytes.starts(with: [0xFE, 0xFF]) { return (utf16(bytes[piece: 2..<bytes.count], isBigEndian: true), "utf-16be") }
    if bytes.starts(with: [0xFF, 0xFE]) { return (utf16(bytes[piece: 2..<bytes.count], isBigEndian: false), "utf-16le") }
    if let label = contentType.flatMap(MediaType.init)?.charset, let decoded = decode(bytes, label: label) { return decoded }
    return (String(peer: bytes), "utf-8")
  }

  /// The name of the encoding that `decode` would take.
  public static func encoding(of bytes: [UInt8], contentType: String?) -> String {
    // Only a mark counts, of what there is.
    decode(Array(bytes.prefix(4)), contentType: contentType).encoding
  }

  /// By a label alone; nil if it is not known.
  static func decode(_ bytes: UnsafeRawBufferPointer, label: String) -> (text: String, encoding: String)? {
    guard let encoding = TextEncoding(label: label) else { return nil }
    let text: String?
    switch encoding.decoder {
    case .utf8: text = String(peer: bytes)
    case .utf16(let isBigEndian): text = utf16(bytes, isBigEndian: isBigEndian)
    case .windows1252: text = windows1252(bytes)
    case .iconv(let name): text = IconvDecoder.decode(bytes, from: name)
    }
    return text.map { ($0, encoding.name) }
  }

  private static func utf16(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) -> String {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2 + 1)
    var index = 0
    while index + 1 < bytes.count {
      let unit = bytes.loadUnaligned(fromByteOffset: index, as: UInt16.self)
      units.append(isBigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit))
      index += 2
    }
    if index < bytes.count { units.append(0xFFFD) }
    return String(decoding: units, as: UTF16.self)
  }

  /// What the C library leaves undefined of it are controls (WHATWG Encoding 9).
  private static func windows1252(_ bytes: UnsafeRawBufferPointer) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 8)
    for byte in bytes {
      switch byte {
      case ..<0x80: text.append(byte)
      case ..<0xA0: text.append(contentsOf: UTF8.encode(highControls[Int(byte) - 0x80]) ?? UTF8.encodedReplacementCharacter)
      default:
        text.append(0xC0 | byte >> 6)
        text.append(0x80 | byte & 0x3F)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static let highControls: [Unicode.Scalar] = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}
