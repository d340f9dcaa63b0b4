internal import Errand
internal import EventLoop
internal import HttpWire

/// How a request ended, with what is told of the request itself.
struct StoredResult: Sendable {
  let identity: RequestIdentity
  let result: RequestResult

  /// The form on disk: JSON.
  var bytes: [UInt8] {
    var writer = JsonWriter(capacity: 1_024)
    writer.beginObject()
    writer.present("tag", identity.tag.map(Int64.init))
    writer.present("key", identity.key)
    if !identity.meta.isEmpty {
      writer.key("meta")
      writer.raw(identity.meta)
    }
    writer.member("method", identity.method)
    writer.member("url", identity.url)
    writer.member("accepted", WallTime(identity.acceptedAt).microseconds)
    writer.member("state", result.state.rawValue)
    writer.present("status", result.status.map(Int64.init))
    writer.present("code", result.errorCode)
    writer.present("message", result.message)
    writer.member("sent", result.sent.rawValue)
    writer.member("written", result.bytesWritten)
    writer.member("attempts", result.attempts)
    writer.present("content_type", result.contentType)
    if let timings = result.timings {
      writer.key("timings")
      writer.beginArray()
      for time in [timings.queue, timings.dns, timings.connect, timings.tls, timings.firstByte, timings.total] {
        if let time { writer.integer(time) } else { writer.null() }
      }
      writer.endArray()
    }
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

  /// nil for other bytes.
  init?(_ bytes: [UInt8], handle: UInt64, seq: UInt64, event: StoredEvent, at: WallTime, hasBody: Bool) {
    guard let json = try? JsonValue.parse(bytes), let method = json["method"]?.string, let url = json["url"]?.string,
      let accepted = json["accepted"]?.int, let state = json["state"]?.string.flatMap(RequestResult.State.init),
      let sent = json["sent"]?.string.flatMap(SentState.init), let written = json["written"]?.int, let attempts = json["attempts"]?.int
    else { return nil }
    var meta: [UInt8] = []
    json["meta"]?.write(to: &meta)
    identity = RequestIdentity(
      tag: json["tag"]?.int.map { Int($0) }, key: json["key"]?.string, meta: meta, method: method, url: url,
      acceptedAt: WallTime(microseconds: accepted).instant)
    var timings: RequestTimings?
    if let times = json["timings"]?.array, times.count == 6 {
      var read = RequestTimings()
      (read.queue, read.dns, read.connect) = (times[0].int, times[1].int, times[2].int)
      (read.tls, read.firstByte, read.total) = (times[3].int, times[4].int, times[5].int ?? 0)
      timings = read
    }
    let steps = json["steps"]?.array ?? []
    var read: [RequestTrace.Step] = []
    for index in stride(from: 0, to: steps.count - 2, by: 3) {
      read.append(RequestTrace.Step(at: steps[index].int ?? 0, event: steps[index + 1].string ?? "", note: steps[index + 2].string))
    }
    result = RequestResult(
      state, handle: handle, seq: seq, event: event, at: at.instant, status: json["status"]?.int.map { Int($0) },
      errorCode: json["code"]?.string,
      message: json["message"]?.string, sent: sent, bytesWritten: written, attempts: Int(attempts), timings: timings, steps: read,
      contentType: json["content_type"]?.string, isBodyOnDisk: hasBody)
  }

  init(_ identity: RequestIdentity, _ result: RequestResult) {
    self.identity = identity
    self.result = result
  }
}

extension JsonWriter {
  /// A key and its text; nothing for nil.
  fileprivate mutating func present(_ name: StaticString, _ value: String?) {
    if let value { member(name, value) }
  }

  /// A key and its number; nothing for nil.
  fileprivate mutating func present(_ name: StaticString, _ value: Int64?) {
    if let value { member(name, value) }
  }
}
