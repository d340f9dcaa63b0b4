internal import Errand
internal import EventLoop
internal import HttpWire

/// The events that tell of something else than an outcome.
@LoopActor
extension EventWriter {
  static func started(_ record: RequestRecord, url: String, seq: UInt64) -> StoredEvent {
    event("started", of: record, url, seq) { _ in }
  }

  static func redirected(_ hop: RedirectHop, _ record: RequestRecord, url: String, seq: UInt64) -> StoredEvent {
    event("redirected", of: record, url, seq) { bytes in
      bytes.append(",\"status\":")
      bytes.append(decimal: hop.status)
      bytes.append(",\"from\":")
      Json.appendQuoted(hop.url, to: &bytes)
      bytes.append(",\"to\":")
      Json.appendQuoted(hop.nextUrl, to: &bytes)
      bytes.append(",\"method\":")
      Json.appendQuoted(hop.nextMethod.rawValue, to: &bytes)
    }
  }

  /// `rate`: bytes per second.
  static func progress(
    _ progress: RequestProgress, rate: Int64?, _ record: RequestRecord, url: String, seq: UInt64
  ) -> StoredEvent {
    event("progress", of: record, url, seq) { bytes in
      bytes.append(",\"uploaded\":")
      bytes.append(decimal: progress.uploaded)
      bytes.append(",\"upload_total\":")
      bytes.append(decimalOrNull: progress.uploadTotal)
      bytes.append(",\"downloaded\":")
      bytes.append(decimal: progress.downloaded)
      bytes.append(",\"download_total\":")
      bytes.append(decimalOrNull: progress.downloadTotal)
      bytes.append(",\"rate\":")
      bytes.append(decimalOrNull: rate)
    }
  }

  static func sessionInvalid(_ session: SessionInvalid, delegate: String, seq: UInt64) -> StoredEvent {
    var bytes: [UInt8] = []
    let start = begin(seq, "session_invalid", &bytes)
    bytes.append(",\"handle\":\"")
    bytes.append(decimal: session.request.handle.id)
    bytes.append("\",\"delegate\":")
    Json.appendQuoted(delegate, to: &bytes)
    bytes.append(",\"service\":")
    append(session.service, &bytes)
    bytes.append(",\"origin\":")
    Json.appendQuoted(session.origin, to: &bytes)
    bytes.append(",\"envelope\":")
    Json.appendQuoted(session.envelope, to: &bytes)
    bytes.append(",\"code\":")
    Json.appendQuoted(session.code, to: &bytes)
    bytes.append(",\"message\":")
    Json.appendQuoted(session.message, to: &bytes)
    return end(start, &bytes)
  }

  private static func event(
    _ type: StaticString, of record: RequestRecord, _ url: String, _ seq: UInt64, _ members: (inout [UInt8]) -> Void
  ) -> StoredEvent {
    var bytes: [UInt8] = []
    let start = begin(seq, type, of: record, &bytes)
    bytes.append(",\"url\":")
    Json.appendQuoted(url, to: &bytes)
    members(&bytes)
    return end(start, &bytes)
  }
}
