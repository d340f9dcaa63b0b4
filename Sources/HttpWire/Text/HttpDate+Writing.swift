extension HttpDate {
  /// The date as it is sent: `Sun, 06 Nov 1994 08:49:37 GMT`. Seconds outside of the years 1 to 9999 are taken for the nearest that is inside.
  public static func text(_ seconds: Int64) -> String {
    let seconds = min(max(seconds, -62_135_596_800), 253_402_300_799)
    let day = Int((seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400)
    let time = Int(seconds - Int64(day) * 86_400)
    let (year, month, date) = civil(day)
    // 1970-01-01 was a Thursday.
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][(day % 7 + 7) % 7]
    let name = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][month - 1]
    let clock = "\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60))"
    return "\(weekday), \(two(date)) \(name) \(two(year / 100))\(two(year % 100)) \(clock) GMT"
  }

  private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

  /// Year, month and day of the month, in the proleptic Gregorian calendar; years count from March, so that the leap day is the last.
  private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
