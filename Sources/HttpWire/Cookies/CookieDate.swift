/// The date of a cookie's Expires (RFC 6265bis 5.1.1): no format, but tokens in any order, of which the first time, day, month and year
/// count.
public enum CookieDate {
  /// The date in seconds since 1970-01-01 00:00:00 UTC; nil if `text` has none, or one that no calendar has, or one before 1601.
  public static func seconds(_ text: String) -> Int64? {
    text.withBytes { bytes in
      var found = Found()
      for token in bytes.split(whereSeparator: isDelimiter) { found.take(UnsafeRawBufferPointer(rebasing: token)) }
      return found.seconds
    }
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  private struct Found {
    private var time: Int?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    /// A token is of the first kind that fits and that has not been found yet.
    mutating func take(_ token: UnsafeRawBufferPointer) {
      if time == nil, let found = Self.time(token) {
        time = found
      } else if day == nil, let found = Self.number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = Self.month(token) {
        month = found
      } else if year == nil, let found = Self.number(token, digits: 2...4) {
        year = found
      }
    }

    var seconds: Int64? {
      guard let time, time >= 0, let day, let month, var year else { return nil }
      switch year {
      case 0...69: year += 2_000
      case 70...99: year += 1_900
      default: break
      }
      return year < 1_601 ? nil : HttpDate.seconds(year, month, day, time)
    }

    /// Seconds of the day; -1 for what reads as a time and is none, which still counts as the time that was found.
    private static func time(_ token: UnsafeRawBufferPointer) -> Int? {
      let parts = token.split(separator: Ascii.colon, maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, let hour = number(parts[0], digits: 1...2, isWhole: true),
        let minute = number(parts[1], digits: 1...2, isWhole: true), let second = number(parts[2], digits: 1...2)
      else { return nil }
      return hour < 24 && minute < 60 && second < 60 ? hour * 3_600 + minute * 60 + second : -1
    }

    private static func month(_ token: UnsafeRawBufferPointer) -> Int? {
      guard token.count >= 3 else { return nil }
      let name = token[piece: 0..<3]
      return CookieDate.months.firstIndex { Ascii.equals(name, $0) }.map { $0 + 1 }
    }

    private static func number(_ token: UnsafeRawBufferPointer, digits: ClosedRange<Int>) -> Int? {
      number(token[...], digits: digits)
    }

    /// The digits that `token` begins with, if they are as many as allowed; what follows them does not count.
    private static func number(_ token: Slice<UnsafeRawBufferPointer>, digits: ClosedRange<Int>, isWhole: Bool = false) -> Int? {
      let found = token.prefix(while: Ascii.isDigit)
      guard digits.contains(found.count), !isWhole || found.count == token.count else { return nil }
      return found.reduce(0) { $0 * 10 + Int($1 - Ascii.zero) }
    }
  }

  private static let months: [StaticString] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
}
