internal import Errand
internal import EventLoop

/// Everything in memory, bounded by ``StoreLimits``; lost when the process ends.
@LoopActor
final class MemoryStore: RequestStore {
  var limits: StoreLimits {
    didSet { sweep(.now(), mailboxes: .max) }
  }

  private var records: [UInt64: RequestRecord] = [:]
  /// Handles in order of acceptance; some of them may be forgotten already.
  private var order: [UInt64] = []
  private var forgotten = 0
  /// Handles of results in order of their end, those acknowledged apart, since they go first.
  private var kept = FifoQueue<UInt64>()
  private var released = FifoQueue<UInt64>()
  private var mailboxes: [DelegateID: Mailbox] = [:]
  private var delegateOrder = DelegateOrder()
  private static let sweptMailboxes = 1_000
  /// The mailbox up to which the last sweep came; nil if it came to the end.
  private var sweptThrough: DelegateID?
  private var delegateCounts: [Owner: Int] = [:]
  private var counted = StoreFigures()
  /// The counts of mailboxes that are no longer there.
  private var forgottenMailboxes: (appended: UInt64, dropped: UInt64) = (0, 0)
  /// Every new mailbox counts on from here: above all numbers that an earlier one of its name may have given, so that a cursor from then
  /// misses nothing.
  private var seqFloor: UInt64

  /// `seqFloor`: event numbers up to here may have been given before this process.
  nonisolated init(limits: StoreLimits, seqFloor: UInt64 = 0) {
    self.limits = limits
    self.seqFloor = seqFloor
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

  func happened(_ event: StoredEvent, in mailbox: Mailbox, at: Instant) {
    mailbox.append(event, handle: nil, at: at, limits: limits)
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
    while released.count > limits.acknowledgedResults, dropOldest(&released) {}
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

  func sweep(_ now: Instant) { sweep(now, mailboxes: MemoryStore.sweptMailboxes) }

  private func sweep(_ now: Instant, mailboxes limit: Int) {
    dropOverLimit()
    dropOld(&released, now)
    dropOld(&kept, now)
    let swept = delegateOrder.page(after: limit == .max ? nil : sweptThrough, limit: limit)
    sweptThrough = swept.count < limit ? nil : swept.last
    for id in swept {
      guard let mailbox = mailboxes[id] else { continue }
      mailbox.trim(now, limits)
      guard mailbox.isDisused(now, limits.eventAge) else { continue }
      mailboxes[id] = nil
      delegateOrder.remove(id)
      delegateCounts[id.owner, default: 1] -= 1
      if delegateCounts[id.owner] == 0 { delegateCounts[id.owner] = nil }
      forgottenMailboxes.appended += mailbox.appendedCount
      seqFloor = max(seqFloor, mailbox.lastSeq)
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
    let mailbox = Mailbox(id, seqFloor: seqFloor)
    mailboxes[id] = mailbox
    delegateOrder.insert(id)
    return mailbox
  }

  func mailboxes(_ owner: Owner, after cursor: DelegateID?, limit: Int) -> (mailboxes: [Mailbox], next: DelegateID?) {
    // No delegate has the empty name: it stands before all of its owner's.
    let first = owner.isRoot ? nil : DelegateID(owner: owner, name: "")
    let start = cursor.map { max($0, first ?? $0) } ?? first
    let ids = delegateOrder.page(after: start, limit: limit + 1).prefix { owner.sees($0.owner) }
    return (ids.prefix(limit).compactMap { mailboxes[$0] }, ids.count > limit ? ids[limit - 1] : nil)
  }

  var resultsGone: UInt64 { counted.resultsReleased + counted.resultsDropped }

  func acknowledge(_ mailbox: Mailbox, through seq: UInt64) {
    mailbox.used()
    for handle in mailbox.acknowledge(through: seq) where records[handle.id]?.result != nil { released.append(handle.id) }
    dropOverLimit()
  }

  var figures: StoreFigures {
    var figures = counted
    figures.eventsAppended = forgottenMailboxes.appended
    figures.eventsDropped = forgottenMailboxes.dropped
    figures.delegates = mailboxes.count
    for mailbox in mailboxes.values {
      figures.events += mailbox.count
      figures.eventBytes += mailbox.bytes
      figures.eventsAppended += mailbox.appendedCount
      figures.eventsDropped += mailbox.droppedCount
      figures.followers += mailbox.followerCount
    }
    return figures
  }
}
