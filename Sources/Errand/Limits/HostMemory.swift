internal import EventLoop

/// What is remembered of a host, which can say when it need not be any more.
protocol Forgettable: Sendable {
  func isAtRest(at now: Instant) -> Bool
}

extension CircuitBreaker: Forgettable {}
extension RetryBudget: Forgettable {}

/// What is remembered of hosts beyond their connections. Each step is O(1) on average.
struct HostMemory<Key: Hashable & Sendable, Value: Forgettable>: Sendable {
  private var values: [Key: Value] = [:]
  private var sweepAt = 1_024

  /// Has `body` change what is remembered of `key`, which is `new` if that is nothing. Once there are many, those that are at rest are forgotten.
  mutating func with<Result>(_ key: Key, else new: @autoclosure () -> Value, at now: Instant, _ body: (inout Value) -> Result) -> Result {
    if values.count >= sweepAt {
      values = values.filter { !$0.value.isAtRest(at: now) }
      sweepAt = max(1_024, values.count * 2)
    }
    return body(&values[key, default: new()])
  }

  subscript(_ key: Key) -> Value? { values[key] }
  var count: Int { values.count }
  func count(where isMeant: (Value) -> Bool) -> Int { values.values.count(where: isMeant) }
}
