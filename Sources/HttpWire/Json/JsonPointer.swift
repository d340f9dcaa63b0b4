/// JSON pointers (RFC 6901).
enum JsonPointer {
  /// The reference tokens as UTF-8, with `~0` and `~1` replaced.
  static func tokens(_ pointer: String) throws(JsonError) -> [[UInt8]] {
    try pointer.withBytes { (bytes) throws(JsonError) in
      var tokens: [[UInt8]] = []
      var index = 0
      if let first = bytes.first, first != Ascii.slash { throw JsonError("a JSON pointer does not begin with '/'", in: bytes, at: 0) }
      while index < bytes.count {
        var token: [UInt8] = []
        index += 1
        while index < bytes.count, bytes[index] != Ascii.slash {
          if bytes[index] == 0x7E {
            guard index + 1 < bytes.count, bytes[index + 1] == Ascii.zero || bytes[index + 1] == 0x31 else {
              throw JsonError("'~' in a JSON pointer is not followed by 0 or 1", in: bytes, at: index)
            }
            index += 1
            token.append(bytes[index] == Ascii.zero ? 0x7E : Ascii.slash)
          } else {
            token.append(bytes[index])
          }
          index += 1
        }
        tokens.append(token)
      }
      return tokens
    }
  }

  /// A token as an array index: digits without a leading zero.
  static func index(_ token: [UInt8]) -> Int? {
    guard !token.isEmpty, token.count <= 18, token.allSatisfy(Ascii.isDigit), token[0] != Ascii.zero || token.count == 1 else {
      return nil
    }
    return token.reduce(0) { $0 * 10 + Int($1 - Ascii.zero) }
  }
}

extension JsonScanner {
  /// Moves to the value under `token` in the container that begins here; false if there is none.
  mutating func enter(_ token: [UInt8], depth: Int) throws(JsonError) -> Bool {
    switch try beginValue() {
    case Self.openBrace:
      guard try beginContainer(depth, Self.closeBrace) else { return false }
      repeat {
        let key = try scanKey()
        if key.hasEscapes ? unescaped(key) == token : bytes[key.range].elementsEqual(token) { return true }
        try skipValue(depth: depth + 1)
      } while try continues(Self.closeBrace)
      return false
    case Self.openBracket:
      guard try beginContainer(depth, Self.closeBracket), var left = JsonPointer.index(token) else { return false }
      while left > 0 {
        try skipValue(depth: depth + 1)
        guard try continues(Self.closeBracket) else { return false }
        left -= 1
      }
      return true
    case _:
      try skipValue(depth: depth)
      return false
    }
  }
}
