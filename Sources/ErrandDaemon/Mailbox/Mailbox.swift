internal import Errand
internal import EventLoop

/// A delegate by its owner and name.
struct DelegateID: Hashable, Sendable {
  let owner: Owner
  let name: String
}

/// Is told when a mailbox has new events.
@LoopActor
protocol MailboxReader: AnyObject {
  func eventsArrived()
}

/// A delegate's events in the order of their numbers, from the oldest one kept to the newest. Numbers rise by one, but for the gap that each start
/// of the daemon leaves. An event that has to be on disk first is held back, and all after it with it: readers see up to ``lastSeq``.
@LoopActor
final class Mailbox {
  private struct Entry {
    let seq: UInt64
    let event: StoredEvent
    /// The request whose outcome it is; nil for other events.
    let handle: RequestHandle?
    let at: Instant
  }

  let id: DelegateID
  /// Its number in the journal; nil if nothing of it is there.
  var journalID: Int64?
  private var entries = FifoQueue<Entry>()
  /// The numbers of events that are not on disk yet and have to be.
  private var held = FifoQueue<UInt64>()
  /// Events at the end of `entries` that readers do not see.
  private var unseen = 0
  /// The newest number that was given.
  private var lastGiven: UInt64
  /// The newest event that readers see.
  private(set) var lastSeq: UInt64
  private(set) var acknowledged: UInt64
  /// The newest event that was dropped without being acknowledged.
  private(set) var droppedThrough: UInt64 = 0
  private(set) var droppedCount: UInt64 = 0
  private(set) var appendedCount: UInt64 = 0
  private(set) var bytes = 0
  /// Event streams open on this mailbox.
  var followerCount = 0
  private var readers: [ObjectIdentifier: any MailboxReader] = [:]
  private var isTelling = false
  /// Somebody said what is to become of its events: it is not forgotten.
  var isDeclared = false
  /// What is kept of that.
  var settings: [UInt8]?
  /// Requests under way whose outcome comes here.
  var runningCount = 0
  private var usedAt = Instant.now()

  /// Its events are numbered from `seqFloor` + 1.
  init(_ id: DelegateID, seqFloor: UInt64) {
    self.id = id
    lastGiven = seqFloor
    lastSeq = seqFloor
    acknowledged = seqFloor
  }

  /// One that an earlier process had, still without its events. New ones are numbered from `seqFloor` + 1.
  init(_ id: DelegateID, _ stored: JournaledMailbox, seqFloor: UInt64) {
    self.id = id
    journalID = stored.id
    lastGiven = seqFloor
    lastSeq = seqFloor
    acknowledged = min(stored.acknowledged, seqFloor)
    droppedThrough = min(stored.droppedThrough, seqFloor)
    droppedCount = stored.droppedCount
  }

  var count: Int { entries.count }
  var nextSeq: UInt64 { lastGiven + 1 }
  /// The oldest event kept that readers see; one more than `lastSeq` if there is none.
  var firstSeq: UInt64 { seenCount > 0 ? entries.first?.seq ?? lastSeq + 1 : lastSeq + 1 }
  private var seenCount: Int { entries.count - unseen }

  /// Events that readers see and that come after `cursor`.
  func pendingCount(after cursor: UInt64) -> Int { max(0, seenCount - index(after: cursor)) }

  /// The first event after `cursor` that readers see; nil if there is none yet.
  func next(after cursor: UInt64) -> (seq: UInt64, event: StoredEvent)? {
    let index = index(after: cursor)
    guard index < seenCount, let entry = entries[index] else { return nil }
    return (entry.seq, entry.event)
  }

  /// How many of the newest events up to `cursor` make up `bytes`, the last of them perhaps in part.
  func eventCount(through cursor: UInt64, in bytes: Int) -> Int {
    var index = index(after: cursor) - 1
    var (left, count) = (bytes, 0)
    while left > 0, let entry = entries[index] {
      left -= entry.event.frame.count
      count += 1
      index -= 1
    }
    return count
  }

  /// Where the first event after `cursor` stands.
  private func index(after cursor: UInt64) -> Int {
    guard let first = entries.first?.seq, first <= cursor else { return 0 }
    // Numbers follow each other, nearly always.
    if let guess = Int(exactly: cursor - first), guess < entries.count, entries[guess]?.seq == cursor { return guess + 1 }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if let entry = entries[middle], entry.seq <= cursor { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds the event that was built with ``nextSeq``. `handle`: the request whose outcome it is. `isHeld`: readers see it after ``written(_:)``.
  func append(_ event: StoredEvent, handle: RequestHandle?, at: Instant, isHeld: Bool = false, limits: StoreLimits) {
    lastGiven += 1
    appendedCount += 1
    usedAt = at
    bytes += event.frame.count
    entries.append(Entry(seq: lastGiven, event: event, handle: handle, at: at))
    if isHeld { held.append(lastGiven) }
    if held.isEmpty { lastSeq = lastGiven } else { unseen += 1 }
    trim(at, limits)
    if held.isEmpty { tellReaders() }
  }

  /// The event numbered `seq` is on disk, and all before it.
  func written(_ seq: UInt64) {
    while let first = held.first, first <= seq { held.popFirst() }
    lastSeq = held.first.map { $0 - 1 } ?? lastGiven
    unseen = entries.count - index(after: lastSeq)
    tellReaders()
  }

  /// Puts back an event that an earlier process had. In their order, before any other.
  func restore(_ event: StoredEvent, seq: UInt64, handle: RequestHandle?, at: Instant) {
    lastGiven = max(lastGiven, seq)
    lastSeq = lastGiven
    bytes += event.frame.count
    entries.append(Entry(seq: seq, event: event, handle: handle, at: at))
  }

  private func tellReaders() {
    guard !readers.isEmpty, !isTelling else { return }
    isTelling = true
    EventLoop.shared.atEndOfTurn {
      self.isTelling = false
      for reader in self.readers.values { reader.eventsArrived() }
    }
  }

  /// Half of what it may hold waits in it: what is not an outcome may be left out.
  func isHalfFull(_ limits: StoreLimits) -> Bool { entries.count >= limits.events / 2 || bytes >= limits.eventBytes / 2 }

  /// Where a reader really starts that has seen all up to `cursor`: what was acknowledged does not come again, and a number that was never
  /// given (from before a restart) counts as none.
  func start(after cursor: UInt64?) -> UInt64 {
    guard let cursor, cursor <= lastSeq else { return acknowledged }
    return max(cursor, acknowledged)
  }

  /// The events after `cursor` that are gone without having been read, as an event; nil if none are.
  func gap(after cursor: UInt64) -> (event: StoredEvent, through: UInt64)? {
    guard cursor + 1 < firstSeq, droppedThrough > cursor else { return nil }
    let count = min(droppedThrough - cursor, droppedCount)
    return (EventWriter.dropped(from: cursor + 1, through: droppedThrough, count: count), droppedThrough)
  }

  /// Frees events; gives the requests whose outcomes they were.
  func acknowledge(through seq: UInt64) -> [RequestHandle] {
    let through = min(seq, lastSeq)
    var handles: [RequestHandle] = []
    while let first = entries.first, first.seq <= through {
      entries.popFirst()
      bytes -= first.event.frame.count
      if let handle = first.handle { handles.append(handle) }
    }
    acknowledged = max(acknowledged, through)
    return handles
  }

  /// Drops the oldest while there are too many, too large or too old ones. What readers do not see yet stays.
  func trim(_ now: Instant, _ limits: StoreLimits) {
    while let oldest = entries.first, seenCount > 0 {
      let isOver = entries.count > limits.events || bytes > limits.eventBytes
      guard isOver || oldest.at.duration(to: now) > limits.eventAge else { return }
      droppedThrough = oldest.seq
      droppedCount += 1
      bytes -= oldest.event.frame.count
      entries.popFirst()
    }
  }

  /// Whether nobody would miss it: nothing in it, nothing on the way, nobody there for `age`. If events were dropped that nobody has been told of,
  /// it waits longer, for they are told when somebody comes.
  func isDisused(_ now: Instant, _ age: Duration) -> Bool {
    guard entries.isEmpty, runningCount == 0, readers.isEmpty, !isDeclared else { return false }
    return usedAt.duration(to: now) > (droppedThrough > acknowledged ? age * 7 : age)
  }

  func used() { usedAt = .now() }
  func add(_ reader: any MailboxReader) { readers[ObjectIdentifier(reader)] = reader }
  func remove(_ reader: any MailboxReader) {
    readers[ObjectIdentifier(reader)] = nil
    used()
  }
}
