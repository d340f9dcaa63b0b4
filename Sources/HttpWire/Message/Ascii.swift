#if canImport(Glibc)
  import Glibc
#endif

/// Byte values and classes of the HTTP grammar (RFC 9110 5.6).
enum Ascii {
  static let tab: UInt8 = 0x09
  static let lf: UInt8 = 0x0A
  static let cr: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let quote: UInt8 = 0x22
  static let percent: UInt8 = 0x25
  static let ampersand: UInt8 = 0x26
  static let plus: UInt8 = 0x2B
  static let comma: UInt8 = 0x2C
  static let minus: UInt8 = 0x2D
  static let dot: UInt8 = 0x2E
  static let slash: UInt8 = 0x2F
  static let zero: UInt8 = 0x30
  static let nine: UInt8 = 0x39
  static let colon: UInt8 = 0x3A
  static let semicolon: UInt8 = 0x3B
  static let equals: UInt8 = 0x3D
  static let backslash: UInt8 = 0x5C

  @inline(__always)
  static func isToken(_ byte: UInt8) -> Bool {
    // Two words of bits, one for each token character below 128; a table would need a lazy global.
    let bits: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return byte < 128 && (bits &>> UInt64(byte & 63)) & 1 == 1
  }

  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  @inline(__always)
  static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

  @inline(__always)
  static func lower(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  @inline(__always)
  static func hexValue(_ byte: UInt8) -> UInt8? {
    if byte &- zero < 10 { return byte &- zero }
    let letter = byte | 0x20
    return letter &- 0x61 < 6 ? letter &- 0x61 &+ 10 : nil
  }

  /// Whether the bytes are `HTTP/` as far as they go, up to its five.
  @inline(__always)
  static func isProtocolStart(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let expected: UInt64 = 0x2F_50_54_54_48
    for index in 0..<min(5, bytes.count) where bytes[index] != UInt8(truncatingIfNeeded: expected &>> UInt64(index &* 8)) { return false }
    return true
  }

  /// The index of the first line feed at or after `start`.
  @inline(__always)
  static func lineFeed(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress else { return nil }
    guard let found = memchr(base + start, Int32(lf), bytes.count - start) else { return nil }
    return UnsafeRawPointer(found) - base
  }

  /// Whether every byte may stand in a field value: anything but controls, with the tab allowed (RFC 9110 5.5).
  static func isFieldValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index &+ 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // The high bit of a byte of `low` is set if it is below 0x20, of `delete` if it is 0x7F; a borrow can only set
      // more, and those words are looked at byte by byte.
      let low = (word &- 0x2020_2020_2020_2020) & ~word
      let flipped = word ^ 0x7F7F_7F7F_7F7F_7F7F
      let delete = (flipped &- 0x0101_0101_0101_0101) & ~flipped
      if (low | delete) & 0x8080_8080_8080_8080 != 0 {
        for byte in bytes[index..<index &+ 8] where isControl(byte) && byte != tab { return false }
      }
      index &+= 8
    }
    while index < bytes.count {
      let byte = bytes[index]
      if isControl(byte), byte != tab { return false }
      index &+= 1
    }
    return true
  }

  /// Equal, whatever the case of the ASCII letters.
  @inline(__always)
  static func equalIgnoringCase(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    var index = 0
    while index < left.count {
      let one = left[index]
      let other = right[index]
      if one != other, lower(one) != lower(other) { return false }
      index &+= 1
    }
    return true
  }

  /// Equal to a name that is written in lower case.
  @inline(__always)
  static func equals(_ bytes: UnsafeRawBufferPointer, _ lowerCase: StaticString) -> Bool {
    equalIgnoringCase(bytes, UnsafeRawBufferPointer(start: lowerCase.utf8Start, count: lowerCase.utf8CodeUnitCount))
  }

  /// Without the blanks (SP, HTAB) at both ends.
  @inline(__always)
  static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var start = 0
    var end = bytes.count
    while start < end, isBlank(bytes[start]) { start &+= 1 }
    while end > start, isBlank(bytes[end &- 1]) { end &-= 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  /// Calls `body` with each element of a comma list, trimmed, empty ones included, until it returns false.
  @inline(__always)
  static func forEachElement(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool) {
    var start = 0
    var index = 0
    while index <= bytes.count {
      if index == bytes.count || bytes[index] == comma {
        if !body(trimmed(UnsafeRawBufferPointer(rebasing: bytes[start..<index]))) { return }
        start = index + 1
      }
      index += 1
    }
  }
}

extension String {
  /// Runs `body` over the UTF-8 bytes in place.
  @inline(__always)
  func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
    try utf8.span.bytes.withUnsafeBytes(body)
  }

  /// Bytes of a peer as text; what is not UTF-8 becomes U+FFFD.
  @inline(__always)
  init(peer bytes: UnsafeRawBufferPointer) { self.init(decoding: bytes, as: UTF8.self) }
}

extension [UInt8] {
  /// `withUnsafeBytes` with a typed throw.
  @inline(__always)
  func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
    try span.bytes.withUnsafeBytes(body)
  }
}
