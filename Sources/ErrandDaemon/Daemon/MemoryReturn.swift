internal import Dispatch
internal import Errand
internal import EventLoop

/// Gives freed memory back to the system when a burst is over: malloc keeps it for the next one, which may never come.
struct MemoryReturn {
  /// Requests ended and results dropped after which it is worth the while.
  private static let burst: UInt64 = 1_000

  private var lastSeen: UInt64 = 0
  private var lastReturned: UInt64 = 0
  /// Looks that give memory back yet: other threads let go of what a burst left a moment later.
  private var left = 0

  /// To be called about once a second.
  mutating func look(at client: ClientStats, resultsGone: UInt64, isJournalAtRest: Bool) {
    let seen = client.finished + client.failed + client.cancelled + resultsGone
    let isQuiet = seen == lastSeen
    lastSeen = seen
    guard isQuiet, isJournalAtRest else { return }
    if seen - lastReturned >= MemoryReturn.burst { left = 3 }
    guard left > 0 else { return }
    left -= 1
    lastReturned = seen
    // It takes milliseconds: not on the loop.
    DispatchQueue.global(qos: .utility).async { Memory.giveBack() }
  }
}
