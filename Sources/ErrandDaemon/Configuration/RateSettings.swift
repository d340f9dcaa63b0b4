internal import Errand

/// How often requests may begin.
public struct RateSettings: Codable, Sendable, Equatable {
  public var perSecond = 0.0
  public var burst = 1

  enum CodingKeys: String, CodingKey, CaseIterable {
    case burst
    case perSecond = "per_second"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.read(.perSecond, &perSecond)
    guard perSecond > 0, perSecond <= 1_000_000 else { throw reader.failure(.perSecond, "must be above 0 and at most 1000000") }
    try reader.integer(.burst, &burst, 1...1_000_000)
  }

  var limit: RateLimit { RateLimit(perSecond: perSecond, burst: burst) }
}
