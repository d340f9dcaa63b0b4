/// Encoded words of mail (RFC 2047), which some servers put where they do not belong: `=?UTF-8?B?4oKsLnR4dA==?=`.
enum EncodedWords {
  /// The text with each word that can be decoded in place of its code. Blanks between two words are not a part of the text.
  static func decode(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var result = ""
    var index = 0
    var plain = 0
    var isAfterWord = false
    while index < bytes.count {
      guard bytes[index] == Ascii.equals, let word = word(in: bytes, at: index) else {
        index += 1
        continue
      }
      let between = bytes[plain..<index]
      if !isAfterWord || !between.allSatisfy(Ascii.isBlank) { result += String(decoding: between, as: UTF8.self) }
      result += word.text
      index = word.end
      plain = index
      isAfterWord = true
    }
    return plain == 0 ? text : result + String(decoding: bytes[plain...], as: UTF8.self)
  }

  /// The word that begins at `start`, and where it ends.
  private static func word(in bytes: [UInt8], at start: Int) -> (text: String, end: Int)? {
    let mark: UInt8 = 0x3F
    guard start + 1 < bytes.count, bytes[start + 1] == mark else { return nil }
    var marks: [Int] = []
    for index in bytes[(start + 2)...].indices where bytes[index] == mark {
      marks.append(index)
      if marks.count == 3 { break }
    }
    guard marks.count == 3, marks[2] + 1 < bytes.count, bytes[marks[2] + 1] == Ascii.equals else { return nil }
    // A language may follow the charset (RFC 2231 5).
    let charset = String(decoding: bytes[(start + 2)..<marks[0]].prefix { $0 != 0x2A }, as: UTF8.self)
    let code = bytes[(marks[1] + 1)..<marks[2]]
    let decoded: [UInt8]?
    switch bytes[(marks[0] + 1)..<marks[1]] {
    case [0x42], [0x62]: decoded = Base64.decode(String(decoding: code, as: UTF8.self))
    // The same as percent-encoding with another sign.
    case [0x51], [0x71]: decoded = PercentCoding.decode(code.map { $0 == 0x5F ? Ascii.space : $0 == Ascii.equals ? Ascii.percent : $0 })
    default: decoded = nil
    }
    return decoded?.withBytes { TextDecoding.decode($0, label: charset) }.map { ($0.text, marks[2] + 2) }
  }
}
