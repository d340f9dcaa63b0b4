internal import Errand

/// How many retries a host may get in proportion to its requests.
public struct RetryBudgetFileSettings: Codable, Sendable, Equatable {
  public var ratio = 0.2
  public var minimum = 3
  public var periodMs = 10_000
  public var cap = 100

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case ratio, minimum, cap
    case periodMs = "period_ms"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.read(.ratio, &ratio)
    guard ratio >= 0, ratio <= 100 else { throw reader.failure(.ratio, "must be from 0 to 100, not \(ratio)") }
    try reader.integer(.minimum, &minimum, 0...1_000_000)
    try reader.integer(.periodMs, &periodMs, 1...86_400_000)
    try reader.integer(.cap, &cap, 0...1_000_000)
  }

  var settings: RetryBudgetSettings {
    var settings = RetryBudgetSettings(ratio: ratio)
    settings.minimum = minimum
    settings.period = .milliseconds(periodMs)
    settings.cap = cap
    return settings
  }
}
