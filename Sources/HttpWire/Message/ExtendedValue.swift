/// The value of a parameter with `*` (RFC 8187): `UTF-8'en'%e2%82%ac%20rates`.
enum ExtendedValue {
  /// nil for what is malformed or of an unknown charset, so that the parameter without `*` holds.
  static func decode(_ bytes: [UInt8]) -> String? {
    let pieces = bytes.split(separator: 0x27, maxSplits: 2, omittingEmptySubsequences: false)
    guard pieces.count == 3, let decoded = strictlyDecoded(pieces[2]) else { return nil }
    let charset = String(decoding: pieces[0], as: UTF8.self)
    if charset.isEmpty || charset.lowercased() == "utf-8" { return String(validating: decoded, as: UTF8.self) }
    return decoded.withBytes { TextDecoding.decode($0, label: charset)?.text }
  }

  private static func strictlyDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    PercentCoding.isWellFormed(bytes) ? PercentCoding.decode(bytes) : nil
  }
}

/// Percent-encoding that comes from a peer, and need not be right.
enum PercentCoding {
  /// Each `%XX` as its byte; a `%` without two digits stays.
  static func decode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index] == Ascii.percent, index + 2 < bytes.count, let high = Ascii.hexValue(bytes[index + 1]),
        let low = Ascii.hexValue(bytes[index + 2])
      {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return decoded
  }

  /// Each `%` is followed by two hexadecimal digits.
  static func isWellFormed(_ bytes: ArraySlice<UInt8>) -> Bool {
    var index = bytes.startIndex
    while let percent = bytes[index...].firstIndex(of: Ascii.percent) {
      guard percent + 2 < bytes.endIndex, Ascii.hexValue(bytes[percent + 1]) != nil, Ascii.hexValue(bytes[percent + 2]) != nil else {
        return false
      }
      index = percent + 3
    }
    return true
  }
}
