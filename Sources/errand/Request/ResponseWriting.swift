internal import HttpWire

/// What the person asked for to be done with the response.
struct ResponseWriting: Sendable {
  var output: String?
  var includesHead: Bool
  /// No body for a failing status.
  var failsOnStatus: Bool
  /// A failing status is a failure, and not just an answer to print.
  var judgesStatus: Bool
  var isSilent: Bool
  var isVerbose: Bool

  init(_ arguments: Arguments, isHead: Bool) {
    output = arguments.value("output").flatMap { $0 == "-" ? nil : $0 }
    includesHead = arguments.has("include") || isHead
    failsOnStatus = arguments.has("fail")
    judgesStatus = failsOnStatus || arguments.has("expect-json") || arguments.has("envelope")
    isSilent = arguments.has("silent")
    isVerbose = arguments.has("verbose")
  }

  /// The head as it stands before a body.
  static func text(of head: ResponseHead) -> [UInt8] {
    // HTTP/2 has no phrases (RFC 9113 section 8.3.2).
    let reason = head.version == .http2 ? "" : head.reason.isEmpty ? ResponseWriter.reasonPhrase(head.status) : head.reason
    var lines = ["\(head.version) \(head.status) \(reason)".trimmingEnd()]
    for (name, value) in head.headers { lines.append("\(name): \(value)") }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
