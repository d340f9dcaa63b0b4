import Glibc

enum Measures {
  /// User and system time of this process so far.
  static func cpuSeconds() -> Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }
  /// The same of the calling thread.
  static func threadCpuSeconds() -> Double { seconds(of: CLOCK_THREAD_CPUTIME_ID) }

  private static func seconds(of clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func peakKilobytes() -> Int { status("VmHWM:") }
  static func residentKilobytes() -> Int { status("VmRSS:") }

  /// A line of /proc/self/status. `ru_maxrss` would include the process that started this one.
  private static func status(_ name: String) -> Int {
    var text = [UInt8](repeating: 0, count: 8_192)
    let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    let length = max(0, read(file, &text, text.count))
    let lines = String(decoding: text.prefix(length), as: UTF8.self).split(separator: "\n")
    let line = lines.first { $0.hasPrefix(name) } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }
}

/// One line of JSON from names and numbers.
func jsonLine(_ fields: KeyValuePairs<String, Any>) -> String {
  "{" + fields.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
}

/// A line on standard error.
func complain(_ what: some CustomStringConvertible) {
  let line = Array("errand-bench: \(what)\n".utf8)
  _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}
