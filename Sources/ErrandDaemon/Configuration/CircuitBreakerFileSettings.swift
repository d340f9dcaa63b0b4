internal import Errand

/// When requests to an origin that keeps failing are refused at once.
public struct CircuitBreakerFileSettings: Codable, Sendable, Equatable {
  public var enabled = false
  public var failures = 5
  public var failureRatio: Double? = 0.5
  public var windowMs = 10_000
  public var minimumRequests = 20
  public var coolDownMs = 30_000
  public var probes = 1

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case enabled, failures, probes
    case failureRatio = "failure_ratio"
    case windowMs = "window_ms"
    case minimumRequests = "minimum_requests"
    case coolDownMs = "cool_down_ms"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.read(.enabled, &enabled)
    try reader.integer(.failures, &failures, 0...1_000_000)
    try reader.read(.failureRatio, &failureRatio)
    if let failureRatio, !(failureRatio > 0 && failureRatio <= 1) {
      throw reader.failure(.failureRatio, "must be above 0 and at most 1, or null, not \(failureRatio)")
    }
    try reader.integer(.windowMs, &windowMs, 1...86_400_000)
    try reader.integer(.minimumRequests, &minimumRequests, 1...1_000_000)
    try reader.integer(.coolDownMs, &coolDownMs, 1...86_400_000)
    try reader.integer(.probes, &probes, 1...1_000)
  }

  /// nil: switched off.
  var settings: CircuitBreakerSettings? {
    guard enabled else { return nil }
    var settings = CircuitBreakerSettings(failures: failures, coolDown: .milliseconds(coolDownMs))
    settings.failureRatio = failureRatio
    settings.window = .milliseconds(windowMs)
    settings.minimumRequests = minimumRequests
    settings.probes = probes
    return settings
  }
}
