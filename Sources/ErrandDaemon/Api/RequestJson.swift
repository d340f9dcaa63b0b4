internal import Errand
internal import EventLoop
internal import HttpWire

/// Requests as the API shows them.
extension DaemonCore {
  /// A row of a list.
  func writeSummary(_ record: RequestRecord, at now: Instant, to writer: inout JsonWriter) {
    writer.beginObject()
    writeCommon(record, to: &writer)
    if let result = record.result { writeEnd(result, of: record, to: &writer) } else { writeAge(record, at: now, to: &writer) }
    writer.endObject()
  }

  /// All that is known of one request.
  func writeDetail(_ record: RequestRecord, at now: Instant, to writer: inout JsonWriter) {
    writer.beginObject()
    writeCommon(record, to: &writer)
    writer.member("durability", record.durability.rawValue)
    writer.member("recovered", record.isRecovered)
    writer.key("meta")
    if record.meta.isEmpty { writer.null() } else { writer.raw(record.meta) }
    if let result = record.result {
      writeEnd(result, of: record, to: &writer)
      if let trace = result.trace { writeConnection(trace, to: &writer) }
      writer.member("explanation", Explanation.of(result, record))
      writeTimeline(Explanation.timeline(of: result, record), to: &writer)
      writer.key("event")
      writer.raw(result.event.jsonBytes)
    } else {
      writeAge(record, at: now, to: &writer)
      if let description = client.describe(record.handle, at: now) { write(description, client.trace(record.handle), to: &writer) }
    }
    writer.endObject()
  }

  private func writeCommon(_ record: RequestRecord, to writer: inout JsonWriter) {
    writer.member("handle", record.handle.description)
    writer.member("state", state(record))
    writer.member("method", record.method)
    writer.member("url", record.url)
    writer.member("owner", record.owner.description)
    writer.member("delegate", record.mailbox.id.name)
    writer.key("tag")
    if let tag = record.tag { writer.integer(tag) } else { writer.null() }
    writer.key("key")
    if let key = record.key { writer.string(key) } else { writer.null() }
  }

  private func writeAge(_ record: RequestRecord, at now: Instant, to writer: inout JsonWriter) {
    writer.member("age_us", now.microseconds(since: record.acceptedAt))
  }

  private func writeEnd(_ result: RequestResult, of record: RequestRecord, to writer: inout JsonWriter) {
    writer.member("total_us", result.timings?.total ?? result.endedAt.microseconds(since: record.acceptedAt))
    if let status = result.status { writer.member("status", status) }
    if let code = result.errorCode { writer.member("error", code) }
    writer.member("sent", result.sent.rawValue)
    writer.member("bytes_written", result.bytesWritten)
    if result.attempts > 0 { writer.member("attempts", result.attempts) }
  }

  private func write(_ description: RequestDescription, _ trace: RequestTrace?, to writer: inout JsonWriter) {
    writer.member("host", description.host)
    writer.member("attempts", description.attempts)
    writer.member("sent", description.sent.rawValue)
    writer.member("bytes_written", description.bytesWritten)
    writer.member("bytes_received", description.bytesReceived)
    if let trace { writeConnection(trace, to: &writer) }
    writer.member("explanation", description.explanation)
    writeTimeline(description.timeline, to: &writer)
  }

  /// That of the last attempt.
  private func writeConnection(_ trace: RequestTrace, to writer: inout JsonWriter) {
    guard let id = trace.connectionID else { return }
    writer.key("connection")
    writer.beginObject()
    writer.member("id", id)
    if let name = trace.protocolName { writer.member("protocol", name) }
    if let address = trace.remoteAddress { writer.member("address", address) }
    if let address = trace.localAddress { writer.member("local_address", address) }
    if let isReused = trace.isReusedConnection { writer.member("reused", isReused) }
    if let tls = trace.tls {
      writer.key("tls")
      writer.beginObject()
      writer.member("version", tls.version)
      writer.member("cipher", tls.cipher)
      writer.member("resumed", tls.isResumed)
      writer.member("verified", tls.isVerified)
      writer.member("subject", tls.subject)
      writer.endObject()
    }
    writer.endObject()
  }

  private func writeTimeline(_ steps: [RequestTrace.Step], to writer: inout JsonWriter) {
    writer.key("timeline")
    writer.beginArray()
    for step in steps {
      writer.beginObject()
      writer.member("at_us", step.at)
      writer.member("event", step.event)
      if let note = step.note { writer.member("note", note) }
      writer.endObject()
    }
    writer.endArray()
  }
}
