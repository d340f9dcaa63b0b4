/// Limits of the control API.
public struct LimitSettings: Codable, Sendable, Equatable {
  public var submitBytes = 16 << 20
  public var batchLines = 10_000
  public var lineBytes = 1 << 20
  public var metaBytes = 64 << 10
  public var keyBytes = 1_024
  public var fields = 1_000
  public var eventBodyBytes = 1 << 20
  public var waitSeconds = 3_600
  public var delegatesPerOwner = 100_000
  public var idempotencyWindowMs = 86_400_000
  public var idempotencyKeysPerOwner = 100_000
  public var apiConnections = 10_000
  public var apiWriteTimeoutMs = 600_000
  public var streamKeepAliveMs = 15_000

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case fields
    case submitBytes = "submit_bytes"
    case batchLines = "batch_lines"
    case lineBytes = "line_bytes"
    case metaBytes = "meta_bytes"
    case keyBytes = "key_bytes"
    case eventBodyBytes = "event_body_bytes"
    case waitSeconds = "wait_s"
    case delegatesPerOwner = "delegates_per_owner"
    case idempotencyWindowMs = "idempotency_window_ms"
    case idempotencyKeysPerOwner = "idempotency_keys_per_owner"
    case apiConnections = "api_connections"
    case apiWriteTimeoutMs = "api_write_timeout_ms"
    case streamKeepAliveMs = "stream_keep_alive_ms"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.integer(.submitBytes, &submitBytes, 1_024...(1 << 32))
    try reader.integer(.batchLines, &batchLines, 1...10_000_000)
    try reader.integer(.lineBytes, &lineBytes, 64...(1 << 32))
    try reader.integer(.metaBytes, &metaBytes, 0...(1 << 30))
    try reader.integer(.keyBytes, &keyBytes, 1...65_536)
    try reader.integer(.fields, &fields, 1...1_000_000)
    try reader.integer(.eventBodyBytes, &eventBodyBytes, 0...(1 << 30))
    try reader.integer(.waitSeconds, &waitSeconds, 1...86_400)
    try reader.integer(.delegatesPerOwner, &delegatesPerOwner, 1...10_000_000)
    try reader.integer(.idempotencyWindowMs, &idempotencyWindowMs, 1_000...2_678_400_000)
    try reader.integer(.idempotencyKeysPerOwner, &idempotencyKeysPerOwner, 1...10_000_000)
    try reader.integer(.apiConnections, &apiConnections, 1...1_000_000)
    try reader.integer(.apiWriteTimeoutMs, &apiWriteTimeoutMs, 0...604_800_000)
    try reader.integer(.streamKeepAliveMs, &streamKeepAliveMs, 1...86_400_000)
  }
}

extension DaemonConfiguration {
  var apiLimits: ApiLimits {
    ApiLimits(
      batchLines: limits.batchLines, lineBytes: limits.lineBytes, waitSeconds: limits.waitSeconds,
      keepAlive: .milliseconds(limits.streamKeepAliveMs))
  }

  var submissionRules: SubmissionRules {
    var rules = SubmissionRules(
      metaBytes: limits.metaBytes, keyBytes: limits.keyBytes, fields: limits.fields,
      envelopes: Dictionary(envelopes.map { ($0.name, $0.profile) }, uniquingKeysWith: { $1 }))
    rules.egress = EgressPolicies(egress)
    rules.durability = journal.usual
    rules.filePolicy = FilePolicy(directories: client.fileDirectories)
    return rules
  }
}
