/// Base64 with the standard alphabet and padding (RFC 4648 section 4).
public enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
    return values
  }()

  /// Appends the text for `bytes`.
  public static func append(_ bytes: [UInt8], to out: inout [UInt8]) {
    let alphabet = self.alphabet
    out.reserveCapacity(out.count + (bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let left = bytes.count - index
      let one = bytes[index]
      let two = left > 1 ? bytes[index + 1] : 0
      let three = left > 2 ? bytes[index + 2] : 0
      out.append(alphabet[Int(one >> 2)])
      out.append(alphabet[Int((one & 3) << 4 | two >> 4)])
      out.append(left > 1 ? alphabet[Int((two & 15) << 2 | three >> 6)] : UInt8(ascii: "="))
      out.append(left > 2 ? alphabet[Int(three & 63)] : UInt8(ascii: "="))
      index += 3
    }
  }

  /// The text for `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    append(bytes, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// nil for anything that is not padded base64 of whole bytes, without white space.
  public static func decode(_ text: String) -> [UInt8]? {
    let values = self.values
    var text = text
    return text.withUTF8 { text -> [UInt8]? in
      guard text.count % 4 == 0 else { return nil }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count / 4 * 3)
      var padding = 0
      while padding < 2, padding < text.count, text[text.count - 1 - padding] == UInt8(ascii: "=") { padding += 1 }
      let symbols = text.count - padding
      var group: UInt32 = 0
      for index in 0..<symbols {
        let value = values[Int(text[index])]
        guard value != 0xFF else { return nil }
        group = group << 6 | UInt32(value)
        guard index % 4 == 3 else { continue }
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
        group = 0
      }
      // Bits that no byte is made of must be zero: one text for one value.
      switch symbols % 4 {
      case 0: return bytes
      case 2:
        guard group & 15 == 0 else { return nil }
        bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        return bytes
      case 3:
        guard group & 3 == 0 else { return nil }
        bytes.append(UInt8(truncatingIfNeeded: group >> 10))
        bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        return bytes
      default: return nil
      }
    }
  }
}
