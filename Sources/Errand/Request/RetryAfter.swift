internal import HttpWire

/// Retry-After (RFC 9110 section 10.2.3).
enum RetryAfter {
  /// How long it asks to wait, in either form; nil if it asks for nothing: it is malformed, 0, or a date that is past.
  static func wait(_ value: String, wallClock: Int64) -> Duration? {
    let seconds: Int64
    if !value.isEmpty, value.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) {
      // More digits than fit are a long time all the same.
      seconds = Int64(value) ?? .max
    } else if let date = HttpDate.seconds(value, now: wallClock) {
      let (difference, overflow) = date.subtractingReportingOverflow(wallClock)
      guard !overflow else { return nil }
      seconds = difference
    } else {
      return nil
    }
    return seconds > 0 ? .seconds(min(seconds, 1_000_000_000)) : nil
  }
}
