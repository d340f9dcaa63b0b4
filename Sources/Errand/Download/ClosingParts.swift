internal import EventLoop

/// Parts whose downloads have ended and that are not closed yet: who asks for one of them just then waits for it.
@LoopActor
struct ClosingParts {
  private var counts: [String: Int] = [:]
  private var waiting: [String: [@LoopActor () -> Void]] = [:]

  nonisolated init() {}

  mutating func begin(_ path: String) {
    counts[path, default: 0] += 1
  }

  /// Gives those who waited.
  mutating func end(_ path: String) -> [@LoopActor () -> Void] {
    let count = (counts[path] ?? 1) - 1
    guard count == 0 else {
      counts[path] = count
      return []
    }
    counts[path] = nil
    return waiting.removeValue(forKey: path) ?? []
  }

  /// False: there is nothing to wait for.
  mutating func wait(_ path: String, _ body: @escaping @LoopActor () -> Void) -> Bool {
    guard counts[path] != nil else { return false }
    waiting[path, default: []].append(body)
    return true
  }
}
