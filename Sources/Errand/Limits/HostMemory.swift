/// What is remembered of hosts beyond their connections, until it says nothing any more. Each step is O(1) on average.
struct HostMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private var values: [Key: Value] = [:]
  private var sweepAt = 1_024

  var count: Int { values.count }

  /// What is remembered of `key`, else `new`. `isAtRest` says of others whether they can be forgotten, once there are many.
  mutating func with<Result>(_ key: Key, else new: @autoclosure () -> Value, isAtRest: (Value) -> Bool, _ body: (inout Value) -> Result) -> Result {
    if values.count >= sweepAt {
      values = values.filter { !isAtRest($0.value) }
      sweepAt = max(1_024, values.count * 2)
    }
    return body(&values[key, default: new()])
  }

  subscript(_ key: Key) -> Value? { values[key] }

  func count(where isMeant: (Value) -> Bool) -> Int { values.values.count(where: isMeant) }
}
