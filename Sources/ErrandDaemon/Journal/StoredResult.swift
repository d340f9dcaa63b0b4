internal import Errand
internal import EventLoop
internal import HttpWire

/// How a request ended, with what is told of the request itself.
struct StoredResult: Sendable {
  let identity: RequestIdentity
  let result: RequestResult

  /// The form on disk: JSON with what the event does not tell.
  var bytes: [UInt8] {
    var writer = JsonWriter(capacity: 512)
    writer.beginObject()
    writer.member("method", identity.method)
    writer.member("accepted", WallTime(identity.acceptedAt).microseconds)
    writer.member("written", result.bytesWritten)
    if let type = result.contentType { writer.member("content_type", type) }
    writer.key("steps")
    writer.beginArray()
    for step in result.steps {
      writer.integer(step.at)
      writer.string(step.event)
      if let note = step.note { writer.string(note) } else { writer.null() }
    }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }

  /// nil for other bytes, or another event.
  init?(_ bytes: [UInt8], of event: StoredEvent, handle: UInt64, seq: UInt64, at: WallTime, hasBody: Bool) {
    guard let json = try? JsonValue.parse(bytes), let told = try? JsonValue.parse(Array(event.jsonBytes)),
      let method = json["method"]?.string, let accepted = json["accepted"]?.int, let written = json["written"]?.int,
      let url = told["url"]?.string, let state = told["type"]?.string.flatMap(RequestResult.State.init)
    else { return nil }
    var meta: [UInt8] = []
    if let value = told["meta"], !value.isNull { value.write(to: &meta) }
    identity = RequestIdentity(
      tag: told["tag"]?.int.map { Int($0) }, key: told["key"]?.string, meta: meta, method: method, url: url,
      acceptedAt: WallTime(microseconds: accepted).instant)
    let steps = json["steps"]?.array ?? []
    var read: [RequestTrace.Step] = []
    for index in stride(from: 0, to: steps.count - 2, by: 3) {
      read.append(RequestTrace.Step(at: steps[index].int ?? 0, event: steps[index + 1].string ?? "", note: steps[index + 2].string))
    }
    let error = told["error"]
    let sent = (error?["sent"] ?? told["receipt"]?["sent"])?.string.flatMap(SentState.init) ?? .sent
    result = RequestResult(
      state, handle: handle, seq: seq, event: event, at: at.instant, status: told["status"]?.int.map { Int($0) },
      errorCode: error?["code"]?.string,
      message: error?["message"]?.string, sent: sent, bytesWritten: written, attempts: Int(told["attempts"]?.int ?? 0),
      timings: StoredResult.timings(told["timings"]), steps: read, contentType: json["content_type"]?.string, isBodyOnDisk: hasBody)
  }

  private static func timings(_ json: JsonValue?) -> RequestTimings? {
    guard let json, let total = json["total_us"]?.int else { return nil }
    var timings = RequestTimings()
    timings.queue = json["queue_us"]?.int
    timings.dns = json["dns_us"]?.int
    timings.connect = json["connect_us"]?.int
    timings.tls = json["tls_us"]?.int
    timings.firstByte = json["first_byte_us"]?.int
    timings.total = total
    return timings
  }

  init(_ identity: RequestIdentity, _ result: RequestResult) {
    self.identity = identity
    self.result = result
  }
}
