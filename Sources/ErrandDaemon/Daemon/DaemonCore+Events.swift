internal import Errand
internal import EventLoop

/// Events that are no outcomes.
extension DaemonCore {
  func requestStarted(_ request: RequestInfo) {
    guard let record = store.record(request.handle) else { return }
    tell(record) { EventWriter.started(record, url: request.url, seq: $0) }
  }

  func requestRedirected(_ request: RequestInfo, _ redirection: Redirection) {
    if let record = store.record(request.handle) {
      tell(record) { EventWriter.redirected(redirection.hop, record, url: request.url, seq: $0) }
    }
    redirection.follow()
  }

  /// Looks at the requests whose progress is asked for, as often as the daemon looks at everything: that bounds what comes of it. It does not
  /// push outcomes out of a mailbox that nobody reads.
  func tellProgress(at now: Instant) {
    for handle in Array(meters.keys) {
      guard let progress = client.progress(handle), let url = client.url(handle), let record = store.record(handle),
        !record.mailbox.isHalfFull(store.limits), let move = meters[handle]?.looked(progress, at: now)
      else { continue }
      tell(record) { EventWriter.progress(progress, rate: move.rate, record, url: url, seq: $0) }
    }
  }

  /// Requests of the daemon's own have no owner, and nobody to be told.
  func sessionEnded(_ session: SessionInvalid) {
    guard let name = sessionDelegate, let owner = session.request.owner.flatMap(Owner.init) else { return }
    guard let mailbox = store.makeMailbox(DelegateID(owner: owner, name: name)) else {
      return log.write(.warning, "no room for the delegate of sessions", [("owner", owner.description), ("delegate", name)])
    }
    let durability: Durability = mailbox.journalID == nil ? .volatile : .journaled
    put(EventWriter.sessionInvalid(session, delegate: name, seq: mailbox.nextSeq), in: mailbox, durability)
  }

  private func tell(_ record: RequestRecord, _ event: (UInt64) -> StoredEvent) {
    put(event(record.mailbox.nextSeq), in: record.mailbox, record.durability)
  }

  private func put(_ event: StoredEvent, in mailbox: Mailbox, _ durability: Durability) {
    reserve.note(event: mailbox.nextSeq)
    store.happened(event, in: mailbox, at: .now(), durability)
  }
}
