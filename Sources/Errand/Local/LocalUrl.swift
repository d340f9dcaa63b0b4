/// What `data:` and `file:` URLs share.
enum LocalUrl {
  @inline(__always)
  static func hasScheme(_ scheme: StaticString, _ url: String) -> Bool {
    // That of nearly all requests is another.
    guard let first = url.utf8.first, first | 0x20 == scheme.utf8Start[0] else { return false }
    let count = scheme.utf8CodeUnitCount
    var index = 0
    for byte in url.utf8 {
      if index == count { return byte == UInt8(ascii: ":") }
      guard byte | 0x20 == scheme.utf8Start[index] else { return false }
      index += 1
    }
    return false
  }

  /// Each `%XX` replaced by its byte; a `%` that is no such thing stays.
  static func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2]) {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return decoded
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): (byte | 0x20) - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
