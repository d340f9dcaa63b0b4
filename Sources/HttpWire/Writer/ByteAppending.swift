extension [UInt8] {
  @inline(__always)
  mutating func append(text: String) {
    if text.utf8.withContiguousStorageIfAvailable({ append(contentsOf: $0) }) == nil { append(contentsOf: text.utf8) }
  }

  @inline(__always)
  mutating func append(static text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Decimal digits, without a String.
  mutating func append(decimal value: UInt64) {
    var rest = value
    let start = count
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      append(Ascii.zero &+ UInt8(truncatingIfNeeded: digit))
      rest = quotient
    } while rest != 0
    self[start...].reverse()
  }

  mutating func append(hex value: UInt64) {
    var shift = Swift.max(0, (63 - value.leadingZeroBitCount) / 4 * 4)
    while shift >= 0 {
      append(hexDigit: UInt8(truncatingIfNeeded: (value &>> UInt64(shift)) & 15))
      shift -= 4
    }
  }

  @inline(__always)
  mutating func append(hexDigit value: UInt8) { append(value < 10 ? Ascii.zero &+ value : 0x37 &+ value) }

  /// `%XX` with upper-case digits (RFC 3986 2.1).
  @inline(__always)
  mutating func append(percentEncoded byte: UInt8) {
    append(Ascii.percent)
    append(hexDigit: byte &>> 4)
    append(hexDigit: byte & 15)
  }
}
