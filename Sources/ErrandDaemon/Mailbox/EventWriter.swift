internal import Errand
internal import EventLoop
internal import HttpWire

/// Builds the JSON of events, once per event, inside of the frame in which event streams send it.
struct EventWriter {
  /// Bodies above this many bytes are not part of the event: it says how long they are and where they can be fetched.
  var inlineBodyBytes = 1 << 20

  /// Events are put together here, and copied out.
  @LoopActor private static var scratch: [UInt8] = []
  private static let scratchLimit = 65_536

  /// The event of a request's outcome.
  @LoopActor
  func outcome(_ outcome: Outcome, of info: RequestInfo, _ record: RequestRecord, seq: UInt64) -> StoredEvent {
    var bytes = EventWriter.scratch
    EventWriter.scratch = []
    bytes.reserveCapacity(768 + min(EventWriter.response(outcome)?.body.count ?? 0, inlineBodyBytes) + record.meta.count)
    let start = EventWriter.begin(seq, EventWriter.type(outcome), of: record, &bytes)
    bytes.append(",\"meta\":")
    if record.meta.isEmpty { bytes.append("null") } else { bytes.append(contentsOf: record.meta) }
    bytes.append(",\"url\":")
    Json.appendQuoted(info.url, to: &bytes)
    switch outcome {
    case .finished(let response):
      append(response, of: info.handle, &bytes)
      EventWriter.append(response.attempts, response.timings, &bytes)
    case .failed(let error):
      EventWriter.append(error, &bytes)
      if let response = error.response { append(response, of: info.handle, &bytes) }
      EventWriter.append(error.attempts, error.timings, &bytes)
    case .cancelled(let receipt):
      bytes.append(",\"receipt\":")
      receipt.write(to: &bytes)
    }
    let event = EventWriter.end(start, &bytes)
    if bytes.capacity <= EventWriter.scratchLimit {
      bytes.removeAll(keepingCapacity: true)
      EventWriter.scratch = bytes
    }
    return event
  }

  /// The event that tells a reader of events that were dropped before it came.
  static func dropped(from: UInt64, through: UInt64, count: UInt64) -> StoredEvent {
    var bytes: [UInt8] = []
    bytes.append("id: ")
    bytes.append(decimal: through)
    bytes.append("\nevent: dropped\ndata: ")
    let start = bytes.count
    bytes.append("{\"type\":\"dropped\",\"from\":")
    bytes.append(decimal: from)
    bytes.append(",\"through\":")
    bytes.append(decimal: through)
    bytes.append(",\"count\":")
    bytes.append(decimal: count)
    return end(start, &bytes)
  }

  /// The same event in another mailbox, or once more: with another number, and more members.
  static func copy(_ event: StoredEvent, seq: UInt64, adding members: [UInt8]) -> StoredEvent {
    let head = event.frame[..<event.json.lowerBound]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(event.frame.count + members.count + 20)
    bytes.append("id: ")
    bytes.append(decimal: seq)
    // "event: …" and "data: ", as they were.
    bytes.append(contentsOf: head[(head.firstIndex(of: 0x0A) ?? head.startIndex)...])
    let start = bytes.count
    let json = event.jsonBytes.dropLast()
    bytes.append("{\"seq\":")
    bytes.append(decimal: seq)
    // Every event begins with its number, but the news of dropped ones.
    let hasSeq = json.starts(with: Array("{\"seq\":".utf8))
    bytes.append(
      contentsOf: hasSeq ? json[(json.firstIndex(of: UInt8(ascii: ",")) ?? json.endIndex)...] : [UInt8(ascii: ",")] + json.dropFirst())
    bytes.append(contentsOf: members)
    return end(start, &bytes)
  }

  /// What the events of requests begin with.
  @LoopActor
  static func begin(_ seq: UInt64, _ type: StaticString, of record: RequestRecord, _ bytes: inout [UInt8]) -> Int {
    let start = begin(seq, type, &bytes)
    bytes.append(",\"handle\":\"")
    bytes.append(decimal: record.handle.id)
    bytes.append("\",\"delegate\":")
    Json.appendQuoted(record.mailbox.id.name, to: &bytes)
    bytes.append(",\"tag\":")
    bytes.append(decimalOrNull: record.tag.map(Int64.init))
    bytes.append(",\"key\":")
    append(record.key, &bytes)
    return start
  }

  static func begin(_ seq: UInt64, _ type: StaticString, _ bytes: inout [UInt8]) -> Int {
    bytes.append("id: ")
    bytes.append(decimal: seq)
    bytes.append("\nevent: ")
    bytes.append(type)
    bytes.append("\ndata: ")
    let start = bytes.count
    bytes.append("{\"seq\":")
    bytes.append(decimal: seq)
    bytes.append(",\"type\":\"")
    bytes.append(type)
    bytes.append("\"")
    return start
  }

  static func end(_ start: Int, _ bytes: inout [UInt8]) -> StoredEvent {
    bytes.append("}")
    let end = bytes.count
    bytes.append("\n\n")
    // A copy of just the size: events are kept in great number.
    return StoredEvent(frame: bytes.withUnsafeBufferPointer { Array($0) }, json: start..<end)
  }

  private static func append(_ error: HttpClientError, _ bytes: inout [UInt8]) {
    bytes.append(",\"error\":{\"code\":")
    Json.appendQuoted(error.code.rawValue, to: &bytes)
    bytes.append(",\"phase\":")
    append(error.phase?.rawValue, &bytes)
    bytes.append(",\"message\":")
    Json.appendQuoted(error.message, to: &bytes)
    bytes.append(",\"status\":")
    bytes.append(decimalOrNull: error.status.map(Int64.init))
    bytes.append(error.retryable ? ",\"retryable\":true,\"sent\":\"" : ",\"retryable\":false,\"sent\":\"")
    bytes.append(contentsOf: error.sent.rawValue.utf8)
    bytes.append("\",\"service_code\":")
    append(error.serviceCode, &bytes)
    bytes.append("}")
  }

  private static func append(_ attempts: Int, _ timings: RequestTimings, _ bytes: inout [UInt8]) {
    bytes.append(",\"attempts\":")
    bytes.append(decimal: attempts)
    bytes.append(",\"timings\":{\"queue_us\":")
    bytes.append(decimalOrNull: timings.queue)
    bytes.append(",\"dns_us\":")
    bytes.append(decimalOrNull: timings.dns)
    bytes.append(",\"connect_us\":")
    bytes.append(decimalOrNull: timings.connect)
    bytes.append(",\"tls_us\":")
    bytes.append(decimalOrNull: timings.tls)
    bytes.append(",\"first_byte_us\":")
    bytes.append(decimalOrNull: timings.firstByte)
    bytes.append(",\"total_us\":")
    bytes.append(decimal: timings.total)
    bytes.append("}")
  }

  static func append(_ text: String?, _ bytes: inout [UInt8]) {
    if let text { Json.appendQuoted(text, to: &bytes) } else { bytes.append("null") }
  }

  private static func type(_ outcome: Outcome) -> StaticString {
    switch outcome {
    case .finished: "finished"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
  }

  static func response(_ outcome: Outcome) -> HttpResponse? {
    switch outcome {
    case .finished(let response): response
    case .failed(let error): error.response
    case .cancelled: nil
    }
  }
}
