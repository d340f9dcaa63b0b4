/// HTTP-date (RFC 9110 section 5.6.7) in its three forms.
public enum HttpDate {
  /// The date in seconds since 1970-01-01 00:00:00 UTC; nil if `text` is none. Names are taken in the case that the RFC gives them; the day's name is
  /// not compared with the date.
  ///
  /// `now`, in the same seconds, gives the obsolete form with two digits its century: a date more than 50 years ahead is one of the past.
  public static func seconds(_ text: String, now: Int64) -> Int64? {
    text.withBytes { bytes in
      var cursor = Cursor(bytes: bytes)
      return cursor.date(now)
    }
  }

  private struct Cursor {
    let bytes: UnsafeRawBufferPointer
    var offset = 0

    mutating func date(_ now: Int64) -> Int64? {
      if let index = take(oneOf: HttpDate.longDays), index >= 0, take(", ") { return obsolete(now) }
      offset = 0
      guard take(oneOf: HttpDate.days) != nil else { return nil }
      return take(", ") ? fixed() : ascii()
    }

    /// `06 Nov 1994 08:49:37 GMT`
    private mutating func fixed() -> Int64? {
      guard let day = number(2), take(" "), let month = take(oneOf: HttpDate.months), take(" "), let year = number(4), take(" "),
        let time = time(), take(" GMT"), isAtEnd
      else { return nil }
      return HttpDate.seconds(year, month + 1, day, time)
    }

    /// `06-Nov-94 08:49:37 GMT`
    private mutating func obsolete(_ now: Int64) -> Int64? {
      guard let day = number(2), take("-"), let month = take(oneOf: HttpDate.months), take("-"), let digits = number(2), take(" "),
        let time = time(), take(" GMT"), isAtEnd
      else { return nil }
      let thisYear = HttpDate.year(of: now)
      var year = thisYear - thisYear % 100 + digits
      if year > thisYear + 50 { year -= 100 } else if year <= thisYear - 50 { year += 100 }
      return HttpDate.seconds(year, month + 1, day, time)
    }

    /// `Nov  6 08:49:37 1994`
    private mutating func ascii() -> Int64? {
      guard take(" "), let month = take(oneOf: HttpDate.months), take(" "), let day = take(" ") ? number(1) : number(2), take(" "),
        let time = time(), take(" "), let year = number(4), isAtEnd
      else { return nil }
      return HttpDate.seconds(year, month + 1, day, time)
    }

    private mutating func time() -> Int? {
      // 60 is a leap second.
      guard let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60, take(":"), let second = number(2), second <= 60
      else { return nil }
      return hour * 3_600 + minute * 60 + second
    }

    private var isAtEnd: Bool { offset == bytes.count }

    private mutating func number(_ digits: Int) -> Int? {
      guard bytes.count - offset >= digits else { return nil }
      var value = 0
      for byte in bytes[offset..<offset + digits] {
        guard Ascii.isDigit(byte) else { return nil }
        value = value * 10 + Int(byte - Ascii.zero)
      }
      offset += digits
      return value
    }

    private mutating func take(_ text: StaticString) -> Bool {
      let expected = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      guard bytes.count - offset >= expected.count, bytes[offset..<offset + expected.count].elementsEqual(expected) else { return false }
      offset += expected.count
      return true
    }

    private mutating func take(oneOf names: [StaticString]) -> Int? {
      for (index, name) in names.enumerated() where take(name) { return index }
      return nil
    }
  }

  private static let days: [StaticString] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let longDays: [StaticString] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
  private static let months: [StaticString] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func seconds(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Int64? {
    guard day >= 1, day <= length(ofMonth: month, year) else { return nil }
    return Int64(days(year, month, day)) * 86_400 + Int64(time)
  }

  private static func length(ofMonth month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970-01-01, in the proleptic Gregorian calendar; years count from March, so that the leap day is the last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func year(of seconds: Int64) -> Int {
    // A clock that is far off is not to overflow.
    let day = Int(max(min(seconds, 253_402_300_799), 0) / 86_400)
    var year = 1_970 + day / 366
    while days(year + 1, 1, 1) <= day { year += 1 }
    return year
  }
}
