internal import EventLoop

/// How peers are noticed that are gone without a word.
public struct TcpFileSettings: Codable, Sendable, Equatable {
  public var keepAliveIdleMs = 30_000
  public var keepAliveIntervalMs = 10_000
  public var keepAliveCount = 3
  public var userTimeoutMs = 60_000

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case keepAliveIdleMs = "keep_alive_idle_ms"
    case keepAliveIntervalMs = "keep_alive_interval_ms"
    case keepAliveCount = "keep_alive_count"
    case userTimeoutMs = "user_timeout_ms"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.integer(.keepAliveIdleMs, &keepAliveIdleMs, 0...32_767_000)
    try reader.integer(.keepAliveIntervalMs, &keepAliveIntervalMs, 1_000...32_767_000)
    try reader.integer(.keepAliveCount, &keepAliveCount, 1...127)
    try reader.integer(.userTimeoutMs, &userTimeoutMs, 0...86_400_000)
  }

  var settings: TcpSettings {
    var settings = TcpSettings()
    settings.keepAliveIdle = keepAliveIdleMs == 0 ? nil : .milliseconds(keepAliveIdleMs)
    settings.keepAliveInterval = .milliseconds(keepAliveIntervalMs)
    settings.keepAliveCount = keepAliveCount
    settings.userTimeout = userTimeoutMs == 0 ? nil : .milliseconds(userTimeoutMs)
    return settings
  }
}
