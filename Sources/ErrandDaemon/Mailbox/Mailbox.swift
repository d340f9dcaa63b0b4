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

/// A delegate's events in the order of their numbers, from the oldest one kept to the newest.
@LoopActor
final class Mailbox {
  private struct Entry {
    let event: StoredEvent
    /// The request whose outcome it is; nil for other events.
    let handle: RequestHandle?
    let at: Instant
  }

  let id: DelegateID
  private var entries = FifoQueue<Entry>()
  private let seqFloor: UInt64
  private(set) var lastSeq: UInt64
  private(set) var acknowledged: UInt64
  /// The newest event that was dropped without being acknowledged.
  private(set) var droppedThrough: UInt64 = 0
  private(set) var droppedCount: UInt64 = 0
  private(set) var bytes = 0
  /// Event streams open on this mailbox.
  var followerCount = 0
  private var readers: [ObjectIdentifier: any MailboxReader] = [:]
  private var isTelling = false
  /// Requests under way whose outcome comes here.
  var runningCount = 0
  private var usedAt = Instant.now()

  /// Its events are numbered from `seqFloor` + 1.
  init(_ id: DelegateID, seqFloor: UInt64) {
    self.id = id
    self.seqFloor = seqFloor
    lastSeq = seqFloor
    acknowledged = seqFloor
  }

  var count: Int { entries.count }
  var nextSeq: UInt64 { lastSeq + 1 }
  var appendedCount: UInt64 { lastSeq - seqFloor }
  /// The oldest event kept; one more than `lastSeq` if there is none.
  var firstSeq: UInt64 { lastSeq - UInt64(entries.count) + 1 }

  /// Events kept that come after `cursor`.
  func pendingCount(after cursor: UInt64) -> Int { Int(lastSeq - min(lastSeq, max(cursor, firstSeq - 1))) }

  /// Adds the event that was built with ``nextSeq``. `handle`: the request whose outcome it is.
  func append(_ event: StoredEvent, handle: RequestHandle?, at: Instant, limits: StoreLimits) {
    lastSeq += 1
    usedAt = at
    bytes += event.frame.count
    entries.append(Entry(event: event, handle: handle, at: at))
    trim(at, limits)
    guard !readers.isEmpty, !isTelling else { return }
    isTelling = true
    EventLoop.shared.atEndOfTurn {
      self.isTelling = false
      for reader in self.readers.values { reader.eventsArrived() }
    }
  }

  /// Half of what it may hold waits in it: what is not an outcome may be left out.
  func isHalfFull(_ limits: StoreLimits) -> Bool { entries.count >= limits.events / 2 || bytes >= limits.eventBytes / 2 }

  /// The event numbered `seq`; nil if it is not kept.
  func event(_ seq: UInt64) -> StoredEvent? {
    guard seq >= firstSeq, seq <= lastSeq else { return nil }
    return entries[Int(seq - firstSeq)]?.event
  }

  /// Where a reader really starts that has seen all up to `cursor`: what was acknowledged does not come again, and a number that was never
  /// given (from before a restart) counts as none.
  func start(after cursor: UInt64?) -> UInt64 {
    guard let cursor, cursor <= lastSeq else { return acknowledged }
    return max(cursor, acknowledged)
  }

  /// The events after `cursor` that are gone without having been read, as an event; nil if none are.
  func gap(after cursor: UInt64) -> (event: StoredEvent, through: UInt64)? {
    guard cursor + 1 < firstSeq, droppedThrough > cursor else { return nil }
    return (EventWriter.dropped(from: cursor + 1, through: droppedThrough), droppedThrough)
  }

  /// Frees events; gives the requests whose outcomes they were.
  func acknowledge(through seq: UInt64) -> [RequestHandle] {
    let through = min(seq, lastSeq)
    var handles: [RequestHandle] = []
    while firstSeq <= through, let entry = entries.popFirst() {
      bytes -= entry.event.frame.count
      if let handle = entry.handle { handles.append(handle) }
    }
    acknowledged = max(acknowledged, through)
    return handles
  }

  /// Drops the oldest while there are too many, too large or too old ones.
  func trim(_ now: Instant, _ limits: StoreLimits) {
    while let oldest = entries.first {
      let isOver = entries.count > limits.events || bytes > limits.eventBytes
      guard isOver || oldest.at.duration(to: now) > limits.eventAge else { return }
      droppedThrough = firstSeq
      droppedCount += 1
      bytes -= oldest.event.frame.count
      entries.popFirst()
    }
  }

  /// Whether nobody would miss it: nothing in it, nothing on the way, nobody there for `age`. If events were dropped that nobody has been told of,
  /// it waits longer, for they are told when somebody comes.
  func isDisused(_ now: Instant, _ age: Duration) -> Bool {
    guard entries.isEmpty, runningCount == 0, readers.isEmpty else { return false }
    return usedAt.duration(to: now) > (droppedThrough > acknowledged ? age * 7 : age)
  }

  func used() { usedAt = .now() }
  func add(_ reader: any MailboxReader) { readers[ObjectIdentifier(reader)] = reader }
  func remove(_ reader: any MailboxReader) {
    readers[ObjectIdentifier(reader)] = nil
    used()
  }
}
