internal import Errand
internal import EventLoop

extension DaemonCore: OutcomeSink {
  func requestEnded(_ info: RequestInfo, _ outcome: Outcome) {
    guard let record = store.record(info.handle) else { return }
    if submitting === record, case .failed(let error) = outcome, DaemonCore.isRefusal(error) {
      refusal = error
      return
    }
    if !meters.isEmpty { meters[info.handle] = nil }
    if isLeft(record, outcome) { return }
    record.url = info.url
    let seq = record.mailbox.nextSeq
    reserve.note(event: seq)
    let event = events.outcome(outcome, of: info, record, seq: seq)
    let result = RequestResult(outcome, of: info.handle, client.trace(info.handle), seq: seq, event: event, at: .now())
    store.ended(record, result)
    metrics.ended(result, of: record.owner)
    log.write(.debug, "ended", DaemonCore.logFields(record, result))
    if record.isJournaled { journal.afterWriting { _ in self.tellEnd(of: record) } } else { tellEnd(of: record) }
  }

  /// It may be told: what was to be on disk of it is.
  private func tellEnd(of record: RequestRecord) {
    record.isEndTold = true
    guard !record.waiters.isEmpty, let result = record.end else { return }
    let waiters = record.waiters
    record.waiters = []
    for waiter in waiters { waiter.ended(result) }
  }

  private static func logFields(_ record: RequestRecord, _ result: RequestResult) -> [Log.Field] {
    var fields: [Log.Field] = [
      ("handle", record.handle.description), ("owner", record.owner.description), ("delegate", record.mailbox.id.name),
      ("type", result.state.rawValue),
    ]
    if let status = result.status { fields.append(("status", "\(status)")) }
    if let code = result.errorCode { fields.append(("error", code)) }
    let total = result.timings?.total ?? result.endedAt.microseconds(since: record.acceptedAt)
    return fields + [("sent", result.sent.rawValue), ("attempts", "\(result.attempts)"), ("total_us", "\(total)")]
  }

  private static func isRefusal(_ error: HttpClientError) -> Bool {
    error.code == .invalidRequest || error.code == .queueFull || error.code == .denied
  }
}
