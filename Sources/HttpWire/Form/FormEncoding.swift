/// `application/x-www-form-urlencoded` (WHATWG URL 5) and percent-encoding.
public enum FormEncoding {
  /// The pairs in order, joined by `&`; a space becomes `+`.
  public static func encode(_ params: [(String, String)]) -> String {
    String(decoding: encodedBytes(params), as: UTF8.self)
  }

  /// The same, as bytes of a body.
  public static func encodedBytes(_ params: [(String, String)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (name, value) in params {
      if !bytes.isEmpty { bytes.append(Ascii.ampersand) }
      appendForm(name, to: &bytes)
      bytes.append(Ascii.equals)
      appendForm(value, to: &bytes)
    }
    return bytes
  }

  /// The pairs of a query or a form body in order; empty pieces are skipped, a piece without `=` has an empty value.
  ///
  /// Throws `malformed` for a `%` without two hexadecimal digits and for bytes that are not UTF-8.
  public static func decode(_ text: String) throws(WireError) -> [(String, String)] {
    try text.withBytes { (bytes) throws(WireError) in try decode(bytes) }
  }

  /// The same, from bytes.
  public static func decode(_ bytes: [UInt8]) throws(WireError) -> [(String, String)] {
    try bytes.withBytes { (bytes) throws(WireError) in try decode(bytes) }
  }

  /// Replaces each `%XX` by its byte and, if `plusIsSpace`, each `+` by a space. Throws as `decode`.
  public static func percentDecode(_ text: String, plusIsSpace: Bool = false) throws(WireError) -> String {
    try text.withBytes { (bytes) throws(WireError) in try percentDecode(bytes, plusIsSpace: plusIsSpace) }
  }

  /// Percent-encodes all but unreserved characters (RFC 3986 2.3).
  public static func percentEncode(_ text: String) -> String {
    var bytes: [UInt8] = []
    appendPercentEncoded(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  static func appendPercentEncoded(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, Ascii.minus, Ascii.dot, 0x5F, 0x7E: bytes.append(byte)
      default: bytes.append(percentEncoded: byte)
      }
    }
  }

  private static func appendForm(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, Ascii.minus, Ascii.dot, 0x5F: bytes.append(byte)
      case Ascii.space: bytes.append(Ascii.plus)
      default: bytes.append(percentEncoded: byte)
      }
    }
  }

  private static func decode(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> [(String, String)] {
    var pairs: [(String, String)] = []
    for piece in bytes.split(separator: Ascii.ampersand) {
      let piece = UnsafeRawBufferPointer(rebasing: piece)
      let equals = piece.firstIndex(of: Ascii.equals)
      let name = try percentDecode(piece[piece: 0..<(equals ?? piece.count)], plusIsSpace: true)
      let value = try equals.map { (index) throws(WireError) in
        try percentDecode(piece[piece: index + 1..<piece.count], plusIsSpace: true)
      }
      pairs.append((name, value ?? ""))
    }
    return pairs
  }

  private static func percentDecode(_ bytes: UnsafeRawBufferPointer, plusIsSpace: Bool) throws(WireError) -> String {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == Ascii.percent {
        guard index + 2 < bytes.count, let high = Ascii.hexValue(bytes[index + 1]), let low = Ascii.hexValue(bytes[index + 2]) else {
          throw .malformed("a '%' is not followed by two hexadecimal digits")
        }
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(byte == Ascii.plus && plusIsSpace ? Ascii.space : byte)
        index += 1
      }
    }
    guard let text = String(validating: decoded, as: UTF8.self) else { throw .malformed("percent-decoded bytes are not UTF-8") }
    return text
  }
}
