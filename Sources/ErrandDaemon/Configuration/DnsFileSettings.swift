internal import EventLoop

/// How names are resolved.
public struct DnsFileSettings: Codable, Sendable, Equatable {
  public var servers: [String] = []
  public var timeoutMs = 5_000
  public var tries = 2
  public var maxTtlMs = 3_600_000
  public var negativeTtlMs = 5_000

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case servers, tries
    case timeoutMs = "timeout_ms"
    case maxTtlMs = "max_ttl_ms"
    case negativeTtlMs = "negative_ttl_ms"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.read(.servers, &servers)
    for server in servers where !DnsFileSettings.isServer(server) {
      throw reader.failure(.servers, "must be addresses such as \"192.0.2.1\", \"192.0.2.1:53\" or \"[2001:db8::1]:53\"")
    }
    try reader.integer(.timeoutMs, &timeoutMs, 1...600_000)
    try reader.integer(.tries, &tries, 1...100)
    try reader.integer(.maxTtlMs, &maxTtlMs, 0...604_800_000)
    try reader.integer(.negativeTtlMs, &negativeTtlMs, 0...604_800_000)
  }

  /// nil where all is as it is by default: then the process's resolver serves.
  var resolver: (any NameResolver)? {
    guard self != DnsFileSettings() else { return nil }
    var settings = ResolverSettings()
    if !servers.isEmpty { settings.servers = servers.joined(separator: ",") }
    settings.timeout = .milliseconds(timeoutMs)
    settings.tries = tries
    settings.maxTimeToLive = .milliseconds(maxTtlMs)
    settings.negativeTimeToLive = .milliseconds(negativeTtlMs)
    return CaresResolver(settings)
  }

  private static func isServer(_ text: String) -> Bool {
    if SocketAddress.ip(text, port: 53) != nil { return true }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else { return false }
    let host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { return SocketAddress.ip(String(host.dropFirst().dropLast()), port: port)?.isIPv6 == true }
    return SocketAddress.ip(String(host), port: port)?.isIPv6 == false
  }
}
