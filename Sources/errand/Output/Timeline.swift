internal import Errand

/// Where the time of a request went, for `--verbose`.
enum Timeline {
  static func note(_ timings: RequestTimings, attempts: Int, response: HttpResponse?) {
    let parts: [(String, Int64?)] = [
      ("queue", timings.queue), ("dns", timings.dns), ("connect", timings.connect), ("tls", timings.tls), ("first byte", timings.firstByte),
      ("total", timings.total),
    ]
    note(parts, attempts: attempts, status: response?.status, version: response?.version.description)
  }

  static func note(_ parts: [(String, Int64?)], attempts: Int, status: Int?, version: String?) {
    let times = parts.compactMap { name, time in time.map { "\(name) \(Text.duration(microseconds: $0))" } }
    let head = [status.map { "status \($0)" }, version, attempts == 1 ? "1 attempt" : "\(attempts) attempts"].compactMap { $0 }
    Output.note((head + times).joined(separator: ", "))
  }
}
