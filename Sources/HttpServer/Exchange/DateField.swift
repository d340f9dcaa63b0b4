import Glibc

/// The bytes of the `Date` field, made anew once a second (RFC 9110 section 5.6.7).
struct DateField {
  private var second = -1
  private var line: [UInt8] = []

  mutating func append(to bytes: inout [UInt8]) {
    let now = time(nil)
    if now != second {
      second = now
      line = DateField.line(at: now)
    }
    bytes.append(contentsOf: line)
  }

  static func line(at second: time_t) -> [UInt8] {
    var second = second
    var parts = tm()
    gmtime_r(&second, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let day = days[Int(parts.tm_wday) % 7]
    let month = months[Int(parts.tm_mon) % 12]
    let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    return Array("Date: \(day), \(two(parts.tm_mday)) \(month) \(1_900 + Int(parts.tm_year)) \(clock) GMT\r\n".utf8)
  }

  private static func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
