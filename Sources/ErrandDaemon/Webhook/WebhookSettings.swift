/// How webhooks are sent and tried again.
public struct WebhookSettings: Codable, Sendable, Equatable {
  /// The waits between the tries of an event: after the last of them it is given up.
  public var retryMs = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000]
  public var timeoutMs = 15_000
  /// Tries under way at a time, over all delegates.
  public var maxConnections = 100

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case retryMs = "retry_ms"
    case timeoutMs = "timeout_ms"
    case maxConnections = "max_connections"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.read(.retryMs, &retryMs)
    guard (1...100).contains(retryMs.count), retryMs.allSatisfy({ (1...604_800_000).contains($0) }) else {
      throw reader.failure(.retryMs, "must be 1 to 100 whole numbers from 1 to 604800000")
    }
    try reader.integer(.timeoutMs, &timeoutMs, 1...600_000)
    try reader.integer(.maxConnections, &maxConnections, 1...100_000)
  }

  /// How long to wait after so many failed tries, before chance is added.
  func wait(after attempts: Int) -> Duration { .milliseconds(retryMs[min(max(attempts, 1), retryMs.count) - 1]) }
}
