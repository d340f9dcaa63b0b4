/// How often something took how long.
struct Histogram: Sendable {
  /// Upper bounds of the buckets, in seconds.
  static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
  private static let limits: [Int64] = bounds.map { Int64($0 * 1_000_000) }

  /// The last one is of what is longer than any bound.
  private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  private(set) var microseconds: Int64 = 0

  mutating func add(_ value: Int64) {
    microseconds &+= max(0, value)
    // Most are short.
    for (index, limit) in Histogram.limits.enumerated() where value <= limit {
      counts[index] += 1
      return
    }
    counts[Histogram.limits.count] += 1
  }
}
