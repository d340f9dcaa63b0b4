import Glibc
internal import HttpWire

/// One line of the log.
struct LogLine: Sendable {
  let seconds: Int
  let milliseconds: Int
  let level: LogLevel
  let message: String
  let fields: [Log.Field]

  func bytes(isJson: Bool) -> [UInt8] { isJson ? json() : logfmt() }

  private func json() -> [UInt8] {
    var writer = JsonWriter(capacity: 256)
    writer.beginObject()
    writer.member("time", time)
    writer.member("level", level.name)
    writer.member("message", message)
    for field in fields {
      writer.key(field.name)
      writer.string(field.value)
    }
    writer.endObject()
    writer.newline()
    return writer.takeBytes()
  }

  private func logfmt() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append("time=")
    bytes.append(contentsOf: time.utf8)
    bytes.append(" level=")
    bytes.append(contentsOf: level.name.utf8)
    bytes.append(" msg=")
    LogLine.append(message, &bytes)
    for field in fields {
      bytes.append(" ")
      bytes.append(contentsOf: field.name.utf8)
      bytes.append("=")
      LogLine.append(field.value, &bytes)
    }
    bytes.append("\n")
    return bytes
  }

  private static func append(_ value: String, _ bytes: inout [UInt8]) {
    let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C }
    if isPlain { bytes.append(contentsOf: value.utf8) } else { Json.appendQuoted(value, to: &bytes) }
  }

  private var time: String { LogLine.time(seconds, milliseconds) }

  /// RFC 3339, in UTC.
  static func time(_ seconds: Int, _ milliseconds: Int) -> String {
    var clock = time_t(seconds)
    var parts = tm()
    gmtime_r(&clock, &parts)
    func padded(_ value: Int32, _ width: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    let date = "\(padded(parts.tm_year + 1_900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))"
    let day = "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))"
    return "\(date)T\(day).\(padded(Int32(milliseconds), 3))Z"
  }
}
