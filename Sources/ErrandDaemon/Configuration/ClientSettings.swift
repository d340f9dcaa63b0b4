internal import Errand

/// How requests are made.
public struct ClientSettings: Codable, Sendable, Equatable {
  public var maxConnectionsPerHost = 64
  public var maxConnections = 4_096
  public var maxQueued = 1_000_000
  public var keepAliveMs = 60_000
  public var queueTimeoutMs = 0
  public var connectTimeoutMs = 10_000
  public var firstByteTimeoutMs = 30_000
  public var idleTimeoutMs = 30_000
  public var totalTimeoutMs = 60_000
  public var maxBodyBytes = 16 << 20
  public var userAgent = "errand/1"

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case maxConnectionsPerHost = "max_connections_per_host"
    case maxConnections = "max_connections"
    case maxQueued = "max_queued"
    case keepAliveMs = "keep_alive_ms"
    case queueTimeoutMs = "queue_timeout_ms"
    case connectTimeoutMs = "connect_timeout_ms"
    case firstByteTimeoutMs = "first_byte_timeout_ms"
    case idleTimeoutMs = "idle_timeout_ms"
    case totalTimeoutMs = "total_timeout_ms"
    case maxBodyBytes = "max_body_bytes"
    case userAgent = "user_agent"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    let week = 604_800_000
    try reader.integer(.maxConnectionsPerHost, &maxConnectionsPerHost, 1...1_000_000)
    try reader.integer(.maxConnections, &maxConnections, 1...1_000_000)
    try reader.integer(.maxQueued, &maxQueued, 0...100_000_000)
    try reader.integer(.keepAliveMs, &keepAliveMs, 0...week)
    try reader.integer(.queueTimeoutMs, &queueTimeoutMs, 0...week)
    try reader.integer(.connectTimeoutMs, &connectTimeoutMs, 0...week)
    try reader.integer(.firstByteTimeoutMs, &firstByteTimeoutMs, 0...week)
    try reader.integer(.idleTimeoutMs, &idleTimeoutMs, 0...week)
    try reader.integer(.totalTimeoutMs, &totalTimeoutMs, 0...week)
    try reader.integer(.maxBodyBytes, &maxBodyBytes, 0...(1 << 40))
    try reader.read(.userAgent, &userAgent)
    guard userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { throw reader.failure(.userAgent, "must be plain ASCII") }
  }
}

extension DaemonConfiguration {
  var clientConfiguration: HttpClient.Configuration {
    var configuration = HttpClient.Configuration()
    configuration.maxConnectionsPerHost = client.maxConnectionsPerHost
    configuration.maxConnections = client.maxConnections
    configuration.maxQueued = client.maxQueued
    configuration.keepAlive = .milliseconds(client.keepAliveMs)
    configuration.timeouts = Timeouts(
      queue: .milliseconds(client.queueTimeoutMs), connect: .milliseconds(client.connectTimeoutMs),
      firstByte: .milliseconds(client.firstByteTimeoutMs), idle: .milliseconds(client.idleTimeoutMs),
      total: .milliseconds(client.totalTimeoutMs))
    configuration.maxBodyBytes = Int64(client.maxBodyBytes)
    configuration.userAgent = client.userAgent
    return configuration
  }
}
