/// Appending text to bytes without strings in between: events are built once per request, straight into their buffer.
extension [UInt8] {
  mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(decimal value: UInt64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = 20
      var rest = value
      repeat {
        start -= 1
        digits[start] = UInt8(truncatingIfNeeded: rest % 10) | 0x30
        rest /= 10
      } while rest > 0
      append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[start..<20]))
    }
  }

  mutating func append(decimal value: Int64) {
    if value < 0 { append(0x2D) }
    append(decimal: value.magnitude)
  }

  mutating func append(decimal value: Int) { append(decimal: Int64(value)) }

  /// A number, or `null`.
  mutating func append(decimalOrNull value: Int64?) {
    if let value { append(decimal: value) } else { append("null") }
  }
}
