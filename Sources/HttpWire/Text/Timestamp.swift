/// Points in time as APIs write them: `2026-12-01T12:00:00Z` (RFC 3339).
public enum Timestamp {
  /// Microseconds since 1970, UTC; nil for what is no such text, or a time before 1970. A leap second counts as the one after it. Digits of the
  /// second's fraction beyond the sixth are left out.
  public static func microseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] | 0x20 == 0x74 || bytes[10] == 0x20,
      bytes[13] == Ascii.colon, bytes[16] == Ascii.colon, let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
      let second = number(bytes[17..<19]), year >= 1_970, (1...12).contains(month), day >= 1, day <= days(month, year), hour < 24,
      minute < 60,
      second <= 60
    else { return nil }
    var index = 19
    var fraction: Int64 = 0
    if bytes[index] == Ascii.dot {
      index += 1
      let start = index
      var unit: Int64 = 100_000
      while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
        fraction += Int64(bytes[index] - 0x30) * unit
        unit /= 10
        index += 1
      }
      if index == start || index == bytes.count { return nil }
    }
    guard let offset = offset(bytes[index...]) else { return nil }
    let seconds = Int64(dayNumber(year, month, day)) * 86_400 + Int64(hour * 3_600 + minute * 60 + second) - Int64(offset) * 60
    return seconds < 0 ? nil : seconds * 1_000_000 + fraction
  }

  /// Minutes east of Greenwich.
  private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
    let zone = Array(bytes)
    if zone.count == 1, zone[0] | 0x20 == 0x7A { return 0 }
    guard zone.count == 6, zone[0] == 0x2B || zone[0] == 0x2D, zone[3] == Ascii.colon, let hours = number(zone[1..<3]), hours < 24,
      let minutes = number(zone[4..<6]), minutes < 60
    else { return nil }
    return (zone[0] == 0x2B ? 1 : -1) * (hours * 60 + minutes)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for byte in bytes {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }

  private static func days(_ month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970, in the calendar of Gregory: years are counted from March, so that the day that leaps is their last.
  private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + ofYear - 719_468
  }
}
