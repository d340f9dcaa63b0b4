internal import Errand
internal import EventLoop

/// Everything in memory, bounded by ``StoreLimits``; lost when the process ends.
@LoopActor
final class MemoryStore: RequestStore {
  var limits: StoreLimits {
    didSet { sweep(.now()) }
  }

  private var records: [UInt64: RequestRecord] = [:]
  /// Handles in order of acceptance; some of them may be forgotten already.
  private var order: [UInt64] = []
  private var forgotten = 0
  /// Handles of results in order of their end, those acknowledged apart, since they go first.
  private var kept = FifoQueue<UInt64>()
  private var released = FifoQueue<UInt64>()
  private var mailboxes: [DelegateID: Mailbox] = [:]
  private var delegateCounts: [Owner: Int] = [:]
  private var counted = StoreFigures()
  /// The counts of mailboxes that are no longer there.
  private var forgottenMailboxes: (appended: UInt64, dropped: UInt64) = (0, 0)

  nonisolated init(limits: StoreLimits) {
    self.limits = limits
  }

  // MARK: Requests

  func accepted(_ record: RequestRecord) {
    records[record.handle.id] = record
    order.append(record.handle.id)
    counted.running += 1
    record.mailbox.runningCount += 1
  }

  func withdrawn(_ record: RequestRecord) {
    counted.running -= 1
    record.mailbox.runningCount -= 1
    forget(record.handle.id)
  }

  func ended(_ record: RequestRecord, _ result: RequestResult) {
    record.result = result
    counted.running -= 1
    record.mailbox.runningCount -= 1
    counted.results += 1
    counted.resultBytes += result.bytes
    kept.append(record.handle.id)
    record.mailbox.append(result.event, handle: record.handle, at: result.endedAt, limits: limits)
    dropOverLimit()
  }

  func record(_ handle: RequestHandle) -> RequestRecord? { records[handle.id] }

  func page(
    before cursor: RequestHandle?, limit: Int, scan: Int, _ matches: (RequestRecord) -> Bool
  ) -> (records: [RequestRecord], next: RequestHandle?) {
    var index = cursor.map { firstIndex(notBelow: $0.id) } ?? order.count
    var found: [RequestRecord] = []
    var left = scan
    while index > 0, found.count < limit, left > 0 {
      index -= 1
      guard let record = records[order[index]] else { continue }
      left -= 1
      if matches(record) { found.append(record) }
    }
    let isMore = order[..<index].reversed().contains { records[$0] != nil }
    return (found, isMore ? RequestHandle(id: order[index]) : nil)
  }

  private func firstIndex(notBelow id: UInt64) -> Int {
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      if order[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func forget(_ id: UInt64) {
    guard records.removeValue(forKey: id) != nil else { return }
    forgotten += 1
    guard forgotten >= 1_024, forgotten * 2 >= order.count else { return }
    order.removeAll { records[$0] == nil }
    forgotten = 0
  }

  // MARK: Retention

  private func dropOverLimit() {
    while counted.results > limits.results || counted.resultBytes > limits.resultBytes {
      guard dropOldest(&released) || dropOldest(&kept) else { return }
    }
  }

  /// False if there was none left. Queues may name results that went before: those are passed over.
  private func dropOldest(_ queue: inout FifoQueue<UInt64>) -> Bool {
    while let id = queue.popFirst() {
      guard let record = records[id], let result = record.result else { continue }
      counted.results -= 1
      counted.resultBytes -= result.bytes
      if result.seq <= record.mailbox.acknowledged { counted.resultsReleased += 1 } else { counted.resultsDropped += 1 }
      forget(id)
      return true
    }
    return false
  }

  func sweep(_ now: Instant) {
    dropOverLimit()
    dropOld(&released, now)
    dropOld(&kept, now)
    for (id, mailbox) in mailboxes {
      mailbox.trim(now, limits)
      guard mailbox.isDisused(now, limits.eventAge) else { continue }
      mailboxes[id] = nil
      delegateCounts[id.owner, default: 1] -= 1
      if delegateCounts[id.owner] == 0 { delegateCounts[id.owner] = nil }
      forgottenMailboxes.appended += mailbox.lastSeq
      forgottenMailboxes.dropped += mailbox.droppedCount
    }
  }

  private func dropOld(_ queue: inout FifoQueue<UInt64>, _ now: Instant) {
    while let id = queue.first {
      if let result = records[id]?.result, result.endedAt.duration(to: now) <= limits.resultAge { return }
      if records[id] == nil { queue.popFirst() } else { _ = dropOldest(&queue) }
    }
  }

  // MARK: Mailboxes

  func mailbox(_ id: DelegateID) -> Mailbox? { mailboxes[id] }

  func makeMailbox(_ id: DelegateID) -> Mailbox? {
    if let mailbox = mailboxes[id] { return mailbox }
    guard delegateCounts[id.owner, default: 0] < limits.delegatesPerOwner else { return nil }
    delegateCounts[id.owner, default: 0] += 1
    let mailbox = Mailbox(id)
    mailboxes[id] = mailbox
    return mailbox
  }

  func mailboxes(_ owner: Owner) -> [Mailbox] {
    mailboxes.values.filter { owner.sees($0.id.owner) }.sorted { ($0.id.name, $0.id.owner.uid) < ($1.id.name, $1.id.owner.uid) }
  }

  func acknowledge(_ mailbox: Mailbox, through seq: UInt64) {
    mailbox.used()
    for handle in mailbox.acknowledge(through: seq) where records[handle.id]?.result != nil { released.append(handle.id) }
  }

  var figures: StoreFigures {
    var figures = counted
    figures.eventsAppended = forgottenMailboxes.appended
    figures.eventsDropped = forgottenMailboxes.dropped
    figures.delegates = mailboxes.count
    for mailbox in mailboxes.values {
      figures.events += mailbox.count
      figures.eventBytes += mailbox.bytes
      figures.eventsAppended += mailbox.lastSeq
      figures.eventsDropped += mailbox.droppedCount
      figures.followers += mailbox.followerCount
    }
    return figures
  }
}
