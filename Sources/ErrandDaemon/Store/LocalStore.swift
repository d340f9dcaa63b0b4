internal import Errand
internal import EventLoop

/// Everything in memory, bounded by ``StoreLimits``, and of what is journaled a copy on this machine's disk.
@LoopActor
final class LocalStore: RequestStore {
  var limits: StoreLimits {
    didSet { sweep(.now(), mailboxes: .max) }
  }

  private let journal: Journal
  private var lastJournalID: Int64 = 0
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
  init(_ journal: Journal, limits: StoreLimits, seqFloor: UInt64 = 0) {
    self.journal = journal
    self.limits = limits
    self.seqFloor = seqFloor
  }

  // MARK: Requests

  func accepted(_ record: RequestRecord, _ stored: StoredSubmission?) {
    add(record)
    counted.running += 1
    record.mailbox.runningCount += 1
    guard let stored else { return }
    journal.add(
      .accepted(handle: record.handle.id, mailbox: journalID(of: record.mailbox), at: WallTime(record.acceptedAt), stored))
  }

  private func add(_ record: RequestRecord) {
    records[record.handle.id] = record
    order.append(record.handle.id)
  }

  /// Its number in the journal, where it is from now on.
  private func journalID(of mailbox: Mailbox) -> Int64 {
    if let id = mailbox.journalID { return id }
    lastJournalID += 1
    mailbox.journalID = lastJournalID
    journalState(of: mailbox)
    return lastJournalID
  }

  private func journalState(of mailbox: Mailbox) {
    guard let id = mailbox.journalID else { return }
    journal.add(
      .mailbox(
        JournaledMailbox(
          id: id, owner: mailbox.id.owner.uid, name: mailbox.id.name, acknowledged: mailbox.acknowledged,
          droppedThrough: mailbox.droppedThrough, droppedCount: mailbox.droppedCount, settings: mailbox.settings)))
  }

  func keep(_ settings: [UInt8]?, of mailbox: Mailbox) {
    mailbox.settings = settings
    _ = journalID(of: mailbox)
    journalState(of: mailbox)
  }

  func sending(_ record: RequestRecord) {
    record.isSending = true
    journal.add(.sending(handle: record.handle.id))
  }

  func withdrawn(_ record: RequestRecord) {
    counted.running -= 1
    record.mailbox.runningCount -= 1
    if record.isJournaled { journal.add(.withdrawn(handle: record.handle.id)) }
    forget(record.handle.id)
  }

  func ended(_ record: RequestRecord, _ result: RequestResult) {
    record.end = result
    counted.running -= 1
    record.mailbox.runningCount -= 1
    counted.results += 1
    counted.resultBytes += result.bytes
    kept.append(record.handle.id)
    put(result.event, in: record.mailbox, handle: record.handle, at: result.endedAt, record.durability) { id, seq, at in
      .ended(mailbox: id, seq: seq, at: at, result.event, StoredResult(record.identity, result))
    }
    dropOverLimit()
  }

  func happened(_ event: StoredEvent, in mailbox: Mailbox, at: Instant, _ durability: Durability) {
    put(event, in: mailbox, handle: nil, at: at, durability) { id, seq, at in .happened(mailbox: id, seq: seq, at: at, event) }
  }

  private func put(
    _ event: StoredEvent, in mailbox: Mailbox, handle: RequestHandle?, at: Instant, _ durability: Durability,
    _ operation: (Int64, UInt64, WallTime) -> JournalOperation
  ) {
    let isHeld = durability == .journaled
    let seq = mailbox.nextSeq
    if isHeld { journal.add(operation(journalID(of: mailbox), seq, WallTime(at))) }
    noting(mailbox) { mailbox.append(event, handle: handle, at: at, isHeld: isHeld, limits: limits) }
    // Whether or not the disk took it: who waits for it is told.
    if isHeld { journal.afterWriting { _ in mailbox.written(seq) } }
  }

  /// Runs `body`, and journals what it made the mailbox drop.
  private func noting(_ mailbox: Mailbox, _ body: () -> Void) {
    let (first, before) = (max(mailbox.droppedThrough, mailbox.acknowledged), mailbox.droppedCount)
    body()
    guard mailbox.droppedCount > before, let id = mailbox.journalID else { return }
    journal.add(.dropped(mailbox: id, from: first + 1, through: mailbox.droppedThrough, count: mailbox.droppedCount))
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
      guard let record = records[order[index]], record.isBegun else { continue }
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
      guard let record = records[id], let result = record.end else { continue }
      counted.results -= 1
      counted.resultBytes -= result.bytes
      if result.seq <= record.mailbox.acknowledged {
        counted.resultsReleased += 1
      } else {
        counted.resultsDropped += 1
        if record.isJournaled, let id = record.mailbox.journalID { journal.add(.resultGone(mailbox: id, seq: result.seq)) }
      }
      forget(id)
      return true
    }
    return false
  }

  func sweep(_ now: Instant) { sweep(now, mailboxes: LocalStore.sweptMailboxes) }

  private func sweep(_ now: Instant, mailboxes limit: Int) {
    dropOverLimit()
    dropOld(&released, now)
    dropOld(&kept, now)
    let swept = delegateOrder.page(after: limit == .max ? nil : sweptThrough, limit: limit)
    sweptThrough = swept.count < limit ? nil : swept.last
    for id in swept {
      guard let mailbox = mailboxes[id] else { continue }
      noting(mailbox) { mailbox.trim(now, limits) }
      guard mailbox.isDisused(now, limits.eventAge) else { continue }
      if let id = mailbox.journalID { journal.add(.mailboxGone(id)) }
      mailbox.journalID = nil
      mailboxes[id] = nil
      delegateOrder.remove(id)
      delegateCounts[id.owner, default: 1] -= 1
      if delegateCounts[id.owner] == 0 { delegateCounts[id.owner] = nil }
      forgottenMailboxes.appended += mailbox.appendedCount
      seqFloor = max(seqFloor, mailbox.nextSeq - 1)
      forgottenMailboxes.dropped += mailbox.droppedCount
    }
  }

  private func dropOld(_ queue: inout FifoQueue<UInt64>, _ now: Instant) {
    while let id = queue.first {
      if let result = records[id]?.end, result.endedAt.duration(to: now) <= limits.resultAge { return }
      if records[id] == nil { queue.popFirst() } else { _ = dropOldest(&queue) }
    }
  }

  // MARK: Mailboxes

  func mailbox(_ id: DelegateID) -> Mailbox? { mailboxes[id] }

  func makeMailbox(_ id: DelegateID) -> Mailbox? {
    if let mailbox = mailboxes[id] { return mailbox }
    guard delegateCounts[id.owner, default: 0] < limits.delegatesPerOwner else { return nil }
    delegateCounts[id.owner, default: 0] += 1
    return insert(Mailbox(id, seqFloor: seqFloor))
  }

  private func insert(_ mailbox: Mailbox) -> Mailbox {
    mailboxes[mailbox.id] = mailbox
    delegateOrder.insert(mailbox.id)
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
    let before = mailbox.acknowledged
    for handle in mailbox.acknowledge(through: seq) where records[handle.id]?.end != nil { released.append(handle.id) }
    if let id = mailbox.journalID, mailbox.acknowledged > before {
      journal.add(.acknowledged(mailbox: id, through: mailbox.acknowledged))
    }
    dropOverLimit()
  }

  // MARK: What was there before

  func restore(_ content: JournalContent) -> [(record: RequestRecord, stored: JournalContent.Request)] {
    var byID: [Int64: Mailbox] = [:]
    for stored in content.mailboxes {
      let id = DelegateID(owner: Owner(uid: stored.owner), name: stored.name)
      lastJournalID = max(lastJournalID, stored.id)
      delegateCounts[id.owner, default: 0] += 1
      byID[stored.id] = insert(Mailbox(id, stored, seqFloor: seqFloor))
    }
    for stored in content.events {
      guard let mailbox = byID[stored.mailbox] else { continue }
      let handle = stored.handle.map { RequestHandle(id: $0) }
      if stored.isWaiting { mailbox.restore(stored.event, seq: stored.seq, handle: handle, at: stored.at.instant) }
      guard let handle, let result = stored.stored else { continue }
      let record = RequestRecord(handle, mailbox, result.identity, .journaled, isRecovered: true)
      record.end = result.result
      record.isEndTold = true
      record.isBegun = true
      add(record)
      counted.results += 1
      counted.resultBytes += result.result.bytes
    }
    // Results go in the order of their ends, records are listed in that of their acceptance.
    kept = FifoQueue()
    for stored in content.events.sorted(by: { $0.at.microseconds < $1.at.microseconds }) {
      if stored.stored != nil, let handle = stored.handle { kept.append(handle) }
    }
    var running: [(record: RequestRecord, stored: JournalContent.Request)] = []
    for stored in content.requests {
      guard let mailbox = byID[stored.mailbox] else { continue }
      let identity = RequestIdentity(tag: nil, key: nil, meta: [], method: "", url: "", acceptedAt: stored.acceptedAt.instant)
      let record = RequestRecord(RequestHandle(id: stored.handle), mailbox, identity, .journaled, isRecovered: true)
      record.isSending = stored.isSending
      add(record)
      counted.running += 1
      mailbox.runningCount += 1
      running.append((record, stored))
    }
    order.sort()
    return running
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
