internal import Errand
internal import EventLoop
internal import Hashing

/// The keys under which requests were handed over, and which requests those were: the same request under the same key is not taken a second time.
/// Kept for a window after the request's acceptance, also when its result is gone.
@LoopActor
final class IdempotencyKeys {
  struct ID: Hashable, Sendable {
    let owner: UInt32
    /// SHA-256 of the key.
    let digest: [UInt8]

    init(owner: UInt32, digest: [UInt8]) {
      self.owner = owner
      self.digest = digest
    }

    init(_ owner: Owner, _ key: String) {
      self.owner = owner.uid
      digest = HashAlgorithm.sha256.hash(Array(key.utf8))
    }
  }

  struct Entry: Sendable, Equatable {
    let handle: UInt64
    let fingerprint: [UInt8]
    let at: WallTime
  }

  var window: Duration
  /// Keys of one owner.
  var limit: Int
  private let journal: Journal
  private var entries: [ID: Entry] = [:]
  private var counts: [UInt32: Int] = [:]
  /// In order of acceptance; some may be gone.
  private var order = FifoQueue<ID>()

  init(_ journal: Journal, window: Duration, limit: Int) {
    self.journal = journal
    self.window = window
    self.limit = limit
  }

  var count: Int { entries.count }

  subscript(_ id: ID) -> Entry? {
    guard let entry = entries[id], entry.at.duration(to: .now()) <= window else { return nil }
    return entry
  }

  func isFull(_ owner: Owner) -> Bool { counts[owner.uid, default: 0] >= limit }

  func add(_ id: ID, _ entry: Entry, _ durability: Durability) {
    put(id, entry)
    if durability == .journaled { journal.add(.key(id, entry)) }
  }

  /// Its request was not taken after all.
  func remove(_ id: ID) {
    guard take(id) else { return }
    journal.add(.keyGone(id))
  }

  func restore(_ kept: [(ID, Entry)]) {
    for (id, entry) in kept { put(id, entry) }
  }

  /// Forgets what is older than the window.
  func sweep() {
    let now = WallTime.now()
    var isAny = false
    while let id = order.first {
      if let entry = entries[id] {
        guard entry.at.duration(to: now) > window else { break }
        isAny = true
        _ = take(id)
      }
      order.popFirst()
    }
    if isAny { journal.add(.keysGone(before: WallTime(microseconds: now.microseconds - window.wholeNanoseconds / 1_000))) }
  }

  private func put(_ id: ID, _ entry: Entry) {
    if entries.updateValue(entry, forKey: id) == nil { counts[id.owner, default: 0] += 1 }
    order.append(id)
  }

  private func take(_ id: ID) -> Bool {
    guard entries.removeValue(forKey: id) != nil else { return false }
    counts[id.owner, default: 1] -= 1
    if counts[id.owner] == 0 { counts[id.owner] = nil }
    return true
  }
}
