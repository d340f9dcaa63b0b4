internal import Errand
internal import EventLoop
internal import HttpWire

/// How requests are made.
public struct ClientSettings: Codable, Sendable, Equatable {
  public var maxConnectionsPerHost = 64
  public var maxConnections = 4_096
  public var maxQueued = 1_000_000
  public var maxInFlightPerHost = 10_000
  public var maxInFlightPerOwner: Int?
  public var maxQueuedPerHost: Int?
  public var maxQueuedPerOwner: Int?
  public var keepAliveMs = 60_000
  public var maxConnectionAgeMs = 0
  public var attemptDelayMs = 250
  public var queueTimeoutMs = 0
  public var connectTimeoutMs = 10_000
  public var firstByteTimeoutMs = 30_000
  public var idleTimeoutMs = 30_000
  public var totalTimeoutMs: Int?
  public var maxBodyBytes = 16 << 20
  public var userAgent = "errand/1"
  public var httpVersion = HttpVersionChoice.auto.rawValue
  public var tls = TlsFileSettings()
  public var proxyTls = TlsFileSettings()
  public var proxy = ProxySetting.environment
  public var noProxy: String?
  public var resolve: [String: [String]] = [:]
  public var dns = DnsFileSettings()
  public var tcp = TcpFileSettings()
  public var rateLimits: [String: RateSettings] = [:]
  public var services: [String: ServiceSettings] = [:]
  public var retryBudget: RetryBudgetFileSettings? = RetryBudgetFileSettings()
  public var circuitBreaker = CircuitBreakerFileSettings()
  public var maxRedirects = 10
  public var maxDecodedRatio = 200
  public var cache = CacheFileSettings()
  public var catalog = CatalogFileSettings()
  /// Files that hold what `secret:NAME` stands for, by name.
  public var secrets: [String: String] = [:]
  /// The delegate that is told when a service says that its session is over; nil: only the log.
  public var sessionDelegate: String?
  public var fileDirectories: [String] = []

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case tls, proxy, resolve, dns, tcp, services, cache, catalog, secrets
    case maxRedirects = "max_redirects"
    case maxDecodedRatio = "max_decoded_ratio"
    case sessionDelegate = "session_delegate"
    case fileDirectories = "file_directories"
    case maxConnectionsPerHost = "max_connections_per_host"
    case maxConnections = "max_connections"
    case maxQueued = "max_queued"
    case maxInFlightPerHost = "max_in_flight_per_host"
    case maxInFlightPerOwner = "max_in_flight_per_owner"
    case maxQueuedPerHost = "max_queued_per_host"
    case maxQueuedPerOwner = "max_queued_per_owner"
    case keepAliveMs = "keep_alive_ms"
    case maxConnectionAgeMs = "max_connection_age_ms"
    case attemptDelayMs = "attempt_delay_ms"
    case queueTimeoutMs = "queue_timeout_ms"
    case connectTimeoutMs = "connect_timeout_ms"
    case firstByteTimeoutMs = "first_byte_timeout_ms"
    case idleTimeoutMs = "idle_timeout_ms"
    case totalTimeoutMs = "total_timeout_ms"
    case maxBodyBytes = "max_body_bytes"
    case userAgent = "user_agent"
    case httpVersion = "http_version"
    case proxyTls = "proxy_tls"
    case noProxy = "no_proxy"
    case rateLimits = "rate_limits"
    case retryBudget = "retry_budget"
    case circuitBreaker = "circuit_breaker"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    let week = 604_800_000
    try reader.integer(.maxConnectionsPerHost, &maxConnectionsPerHost, 1...1_000_000)
    try reader.integer(.maxConnections, &maxConnections, 1...1_000_000)
    try reader.integer(.maxQueued, &maxQueued, 0...100_000_000)
    try reader.integer(.maxInFlightPerHost, &maxInFlightPerHost, 1...1_000_000)
    try reader.optionalInteger(.maxInFlightPerOwner, &maxInFlightPerOwner, 1...1_000_000)
    try reader.optionalInteger(.maxQueuedPerHost, &maxQueuedPerHost, 0...100_000_000)
    try reader.optionalInteger(.maxQueuedPerOwner, &maxQueuedPerOwner, 0...100_000_000)
    try reader.integer(.keepAliveMs, &keepAliveMs, 0...week)
    try reader.integer(.maxConnectionAgeMs, &maxConnectionAgeMs, 0...week)
    try reader.integer(.attemptDelayMs, &attemptDelayMs, 10...10_000)
    try reader.integer(.queueTimeoutMs, &queueTimeoutMs, 0...week)
    try reader.integer(.connectTimeoutMs, &connectTimeoutMs, 0...week)
    try reader.integer(.firstByteTimeoutMs, &firstByteTimeoutMs, 0...week)
    try reader.integer(.idleTimeoutMs, &idleTimeoutMs, 0...week)
    try reader.optionalInteger(.totalTimeoutMs, &totalTimeoutMs, 0...week)
    try reader.integer(.maxBodyBytes, &maxBodyBytes, 0...(1 << 40))
    try reader.read(.userAgent, &userAgent)
    try reader.choice(.httpVersion, &httpVersion, HttpVersionChoice.allCases.map(\.rawValue))
    try reader.read(.tls, &tls)
    try reader.read(.proxyTls, &proxyTls)
    try reader.read(.proxy, &proxy)
    try reader.read(.noProxy, &noProxy)
    try ProxySetting.check(proxy, noProxy, .proxy, .noProxy, reader)
    try reader.read(.resolve, &resolve)
    do throws(ResolveOverride.ParseError) { _ = try overrides } catch { throw reader.failure(.resolve, "is wrong: \(error)") }
    try reader.read(.dns, &dns)
    try reader.read(.tcp, &tcp)
    try reader.read(.rateLimits, &rateLimits)
    for name in rateLimits.keys.sorted() where !ClientSettings.isHost(name) {
      throw reader.failure(.rateLimits, "has the name \(name.debugDescription): use a host's name or address, without scheme and port")
    }
    try reader.read(.services, &services)
    for name in services.keys where !SubmissionRules.isDelegateName(name) {
      throw reader.failure(.services, "has the name \(name.debugDescription): use A-Z a-z 0-9 . _ -")
    }
    try reader.read(.retryBudget, &retryBudget)
    try reader.read(.circuitBreaker, &circuitBreaker)
    try reader.integer(.maxRedirects, &maxRedirects, 0...Int(SubmissionRules.redirects))
    try reader.integer(.maxDecodedRatio, &maxDecodedRatio, 1...1_000_000)
    try reader.read(.cache, &cache)
    try reader.read(.catalog, &catalog)
    try reader.read(.secrets, &secrets)
    for name in secrets.keys where !SubmissionRules.isDelegateName(name) {
      throw reader.failure(.secrets, "has the name \(name.debugDescription): use A-Z a-z 0-9 . _ -")
    }
    try reader.read(.sessionDelegate, &sessionDelegate)
    if let name = sessionDelegate, !SubmissionRules.isDelegateName(name) {
      throw reader.failure(.sessionDelegate, "must be 1 to \(SubmissionRules.delegateBytes) of the characters A-Z a-z 0-9 . _ -")
    }
    try reader.read(.fileDirectories, &fileDirectories)
    for path in fileDirectories where !path.hasPrefix("/") || path.split(separator: "/").contains("..") {
      throw reader.failure(.fileDirectories, "has \(path.debugDescription): use absolute paths without ..")
    }
    guard userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { throw reader.failure(.userAgent, "must be plain ASCII") }
  }
}

extension ClientSettings {
  /// Whether a URL may have it as its host, as it is.
  static func isHost(_ name: String) -> Bool {
    let literal = name.contains(":") ? "[\(name)]" : name
    guard !name.contains(where: { "*/?#@[]".contains($0) }), let url = try? HttpUrl("http://\(literal)/") else { return false }
    return url.host == name.lowercased()
  }

  var overrides: [ResolveOverride] {
    get throws(ResolveOverride.ParseError) {
      var overrides: [ResolveOverride] = []
      for (place, addresses) in resolve.sorted(by: { $0.key < $1.key }) {
        overrides.append(try ResolveOverride(place: place, addresses: addresses))
      }
      return overrides
    }
  }
}

extension DaemonConfiguration {
  /// All but what is read from files.
  var clientConfiguration: HttpClient.Configuration {
    var configuration = HttpClient.Configuration()
    configuration.maxConnectionsPerHost = client.maxConnectionsPerHost
    configuration.maxConnections = client.maxConnections
    configuration.maxQueued = client.maxQueued
    configuration.keepAlive = .milliseconds(client.keepAliveMs)
    configuration.timeouts = Timeouts(
      queue: .milliseconds(client.queueTimeoutMs), connect: .milliseconds(client.connectTimeoutMs),
      firstByte: .milliseconds(client.firstByteTimeoutMs), idle: .milliseconds(client.idleTimeoutMs),
      total: client.totalTimeoutMs.map { .milliseconds($0) })
    configuration.maxBodyBytes = Int64(client.maxBodyBytes)
    configuration.userAgent = client.userAgent
    configuration.maxConnectionAge = .milliseconds(client.maxConnectionAgeMs)
    configuration.attemptDelay = .milliseconds(client.attemptDelayMs)
    configuration.proxy = ProxySetting.choice(client.proxy, client.noProxy) ?? .environment
    // Checked when they were read.
    configuration.resolve = (try? client.overrides) ?? []
    configuration.resolver = client.dns.resolver
    configuration.tcp = client.tcp.settings
    configuration.maxInFlightPerHost = client.maxInFlightPerHost
    configuration.maxInFlightPerOwner = client.maxInFlightPerOwner
    configuration.maxQueuedPerHost = client.maxQueuedPerHost
    configuration.maxQueuedPerOwner = client.maxQueuedPerOwner
    configuration.rateLimits = client.rateLimits.mapValues(\.limit)
    configuration.services = client.services.mapValues(\.limits)
    configuration.retryBudget = client.retryBudget?.settings
    configuration.circuitBreaker = client.circuitBreaker.settings
    configuration.maxRedirects = client.maxRedirects
    configuration.maxDecodedRatio = client.maxDecodedRatio
    configuration.cachePolicy = CachePolicy(rawValue: client.cache.policy) ?? .off
    configuration.allowsFileUrls = !client.fileDirectories.isEmpty
    return configuration
  }
}
