/// How long results are kept that can be asked for by handle.
public struct ResultSettings: Codable, Sendable, Equatable {
  public var count = 100_000
  public var bytes = 256 << 20
  public var ageMs = 3_600_000
  /// Of those, results whose event was acknowledged.
  public var acknowledgedCount = 100

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case count, bytes
    case ageMs = "age_ms"
    case acknowledgedCount = "acknowledged_count"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.integer(.acknowledgedCount, &acknowledgedCount, 0...100_000_000)
    try reader.integer(.count, &count, 0...100_000_000)
    try reader.integer(.bytes, &bytes, 0...(1 << 40))
    try reader.integer(.ageMs, &ageMs, 0...31_622_400_000)
  }
}

/// How long a delegate's events wait for it.
public struct MailboxSettings: Codable, Sendable, Equatable {
  public var count = 100_000
  public var bytes = 64 << 20
  public var ageMs = 86_400_000

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case count, bytes
    case ageMs = "age_ms"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.integer(.count, &count, 1...100_000_000)
    try reader.integer(.bytes, &bytes, 1...(1 << 40))
    try reader.integer(.ageMs, &ageMs, 1...31_622_400_000)
  }
}

extension DaemonConfiguration {
  var storeLimits: StoreLimits {
    StoreLimits(
      results: results.count, resultBytes: results.bytes, resultAge: .milliseconds(results.ageMs),
      acknowledgedResults: results.acknowledgedCount, events: mailbox.count,
      eventBytes: mailbox.bytes, eventAge: .milliseconds(mailbox.ageMs), delegatesPerOwner: limits.delegatesPerOwner)
  }
}
