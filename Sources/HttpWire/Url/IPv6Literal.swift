/// The text form of an IPv6 address (RFC 3986 3.2.2, RFC 4291 2.2); zone identifiers are not taken.
enum IPv6Literal {
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 2, bytes.count <= 45 else { return false }
    var groups = 0
    var compressed = false
    var index = 0
    if bytes[0] == Ascii.colon {
      guard bytes[1] == Ascii.colon else { return false }
      compressed = true
      index = 2
    }
    while index < bytes.count {
      let start = index
      while index < bytes.count, Ascii.hexValue(bytes[index]) != nil { index += 1 }
      if index < bytes.count, bytes[index] == Ascii.dot {
        guard isIPv4(bytes[piece: start..<bytes.count]) else { return false }
        groups += 2
        break
      }
      guard index > start, index - start <= 4 else { return false }
      groups += 1
      if index == bytes.count { break }
      guard bytes[index] == Ascii.colon, index + 1 < bytes.count else { return false }
      index += 1
      if bytes[index] == Ascii.colon {
        guard !compressed else { return false }
        compressed = true
        index += 1
      }
    }
    return compressed ? groups <= 7 : groups == 8
  }

  private static func isIPv4(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let parts = bytes.split(separator: Ascii.dot, omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        guard (1...3).contains(part.count), part.allSatisfy(Ascii.isDigit) else { return false }
        guard part.count == 1 || part.first != Ascii.zero else { return false }
        return part.reduce(0) { $0 * 10 + Int($1 - Ascii.zero) } <= 255
      }
  }
}
