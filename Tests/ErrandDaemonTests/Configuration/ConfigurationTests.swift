import Errand
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import ErrandDaemon

struct ConfigurationTests {
  private static let sample = "config/errandd.json5"

  private func parse(_ text: String) throws(DaemonError) -> DaemonConfiguration {
    try ConfigurationFile.parse(text, name: "test")
  }

  private var shippedPath: String {
    // From Tests/ErrandDaemonTests/Configuration/ConfigurationTests.swift up to the package.
    #filePath.split(separator: "/").dropLast(4).reduce(into: "") { $0 += "/" + $1 } + "/" + Self.sample
  }

  @Test func `the annotated file says what the defaults are`() throws {
    #expect(try ConfigurationFile.load(shippedPath) == DaemonConfiguration())
  }

  @Test func `the annotated file has every key`() throws {
    let text = try #require(try StateFile.read(shippedPath))
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
    let sections: [[String]] = [
      DaemonConfiguration.CodingKeys.allCases.map(\.rawValue), LogSettings.CodingKeys.allCases.map(\.rawValue),
      ClientSettings.CodingKeys.allCases.map(\.rawValue), LimitSettings.CodingKeys.allCases.map(\.rawValue),
      ResultSettings.CodingKeys.allCases.map(\.rawValue), EnvelopeSettings.CodingKeys.allCases.map(\.rawValue),
      TlsFileSettings.CodingKeys.allCases.map(\.rawValue), DnsFileSettings.CodingKeys.allCases.map(\.rawValue),
      TcpFileSettings.CodingKeys.allCases.map(\.rawValue), RetryBudgetFileSettings.CodingKeys.allCases.map(\.rawValue),
      CircuitBreakerFileSettings.CodingKeys.allCases.map(\.rawValue),
    ]
    for key in sections.joined() { #expect(lines.contains { $0.hasPrefix(key + ":") }, "\(key)") }
  }

  @Test func `nothing given means the defaults`() throws {
    #expect(try parse("{}") == DaemonConfiguration())
    #expect(try parse("{log: {}, client: {}, results: {}}") == DaemonConfiguration())
  }

  @Test func `settings are read, in any form of JSON5`() throws {
    let configuration = try parse(
      """
      {
        // a comment
        'socket': "/tmp/x.sock", socket_mode: "0660", grace_ms: 0x10, log: {level: 'debug', format: "json"},
        client: {max_connections_per_host: 7, keep_alive_ms: 0,}, limits: {wait_s: 5}, results: {count: 1}, mailbox: {age_ms: 2},
        envelopes: [{name: "mine", success_pointer: "/ok", success_values: ["true"]}],
      }
      """)
    #expect(configuration.socket == "/tmp/x.sock")
    #expect(configuration.permission == 0o660)
    #expect(configuration.graceMs == 16)
    #expect(configuration.log.level == "debug")
    #expect(configuration.clientConfiguration.maxConnectionsPerHost == 7)
    #expect(configuration.clientConfiguration.keepAlive == .zero)
    #expect(configuration.apiLimits.waitSeconds == 5)
    #expect(configuration.storeLimits.results == 1)
    #expect(configuration.storeLimits.eventAge == .milliseconds(2))
    #expect(configuration.submissionRules.envelopes.keys.sorted() == ["mine"])
  }

  @Test func `what is said of the transport reaches the client`() throws {
    let configuration = try parse(
      """
      {client: {
        proxy: "socks5://p:1", no_proxy: "a,b", resolve: {"h:1": ["127.0.0.1"], g: ["::1"]}, http_version: "1.1",
        max_in_flight_per_host: 2, max_in_flight_per_owner: 3, max_queued_per_host: 4, max_queued_per_owner: 5,
        max_connection_age_ms: 6000, attempt_delay_ms: 70, dns: {servers: ["192.0.2.1", "[2001:db8::1]:53"]},
        tcp: {keep_alive_idle_ms: 0, user_timeout_ms: 0, keep_alive_count: 8},
        rate_limits: {"h.example": {per_second: 0.5, burst: 9}},
        services: {s: {max_in_flight: 1, rate: {per_second: 2}, tls: {verify: false}, proxy: "none"}},
        retry_budget: null, circuit_breaker: {enabled: true, failures: 3, failure_ratio: null, cool_down_ms: 10},
      }}
      """)
    let client = configuration.clientConfiguration
    #expect(client.proxy == .url("socks5://p:1", noProxy: "a,b"))
    #expect(client.resolve.map(\.description) == ["g:*:::1", "h:1:127.0.0.1"])
    #expect(client.maxInFlightPerHost == 2)
    #expect(client.maxInFlightPerOwner == 3)
    #expect(client.maxQueuedPerHost == 4)
    #expect(client.maxQueuedPerOwner == 5)
    #expect(client.maxConnectionAge == .seconds(6))
    #expect(client.attemptDelay == .milliseconds(70))
    #expect(client.resolver != nil)
    #expect(client.tcp.keepAliveIdle == nil)
    #expect(client.tcp.userTimeout == nil)
    #expect(client.tcp.keepAliveCount == 8)
    #expect(client.rateLimits == ["h.example": RateLimit(perSecond: 0.5, burst: 9)])
    #expect(client.services == ["s": ServiceLimits(maxInFlight: 1, rate: RateLimit(perSecond: 2))])
    #expect(client.retryBudget == nil)
    #expect(client.circuitBreaker?.failures == 3)
    #expect(client.circuitBreaker?.failureRatio == nil)
    #expect(client.circuitBreaker?.coolDown == .milliseconds(10))
    let connecting = try ConnectionRules(configuration.client)
    #expect(connecting.httpVersion == .http1)
    #expect(connecting.services["s"]?.proxy == ProxyChoice.none)
    #expect(connecting.unverified == ["client.services.s.tls"])
  }

  @Test func `the defaults of the settings are those of the library`() {
    let (ours, library) = (DaemonConfiguration().clientConfiguration, HttpClient.Configuration())
    #expect(ours.tcp == library.tcp)
    #expect(ours.proxy == library.proxy)
    #expect(ours.retryBudget == library.retryBudget)
    #expect(ours.circuitBreaker == library.circuitBreaker)
    #expect(ours.maxInFlightPerHost == library.maxInFlightPerHost)
    #expect(ours.maxInFlightPerOwner == library.maxInFlightPerOwner)
    #expect(ours.attemptDelay == library.attemptDelay)
    #expect(ours.maxConnectionAge == library.maxConnectionAge)
    #expect(ours.resolver == nil)
  }

  static let faults: [(text: String, message: String)] = [
    ("{sockett: 1}", "test:1: sockett is not a known setting"),
    ("{\n\n  log: {\n    levle: 'info'\n  }\n}", "test:4: log.levle is not a known setting"),
    ("{\n  // level: 1\n  client: {\n    max_connections: 'many',\n  }\n}", "test:4: client.max_connections must be a whole number"),
    ("{client: {max_connections: 0}}", "test:1: client.max_connections must be from 1 to"),
    ("{log: {level: 'loud'}}", "test:1: log.level must be one of debug, info, warning, error, not loud"),
    ("{log: {format: 'xml'}}", "test:1: log.format must be one of logfmt, json"),
    ("{log: 7}", "test:1: log must be an object"),
    ("{socket_mode: '0888'}", "test:1: socket_mode must be a permission in octal"),
    ("{socket_mode: 600}", "test:1: socket_mode must be a string"),
    ("{token: 'x', token_file: 'y'}", "test:1: token can't stand beside token_file"),
    ("{grace_ms: -1}", "test:1: grace_ms must be from 0"),
    ("{grace_ms: null}", "test:1: grace_ms must be a whole number, not null"),
    ("{envelopes: [{success_values: ['x']}]}", "name is missing"),
    ("{\n  client: {\n    tls: {\n      verfiy: false,\n    },\n  },\n}", "test:4: client.tls.verfiy is not a known setting"),
    ("{client: {tls: {verify: 'no'}}}", "test:1: client.tls.verify must be true or false"),
    ("{client: {tls: {pins: ['sha1//x']}}}", "client.tls.pins has no such pin"),
    ("{client: {tls: {pin_mode: 'pin-only'}}}", "client.tls.pin_mode needs pins beside it"),
    ("{client: {tls: {min_version: '1.1'}}}", "client.tls.min_version must be one of 1.2, 1.3, not 1.1"),
    ("{client: {tls: {key_file: '/k'}}}", "client.tls.key_file needs cert_file beside it"),
    ("{client: {proxy: 'ftp://user:secret@p'}}", "client.proxy can't be used: the proxy's scheme is none of"),
    ("{client: {proxy: 'environmnet'}}", "client.proxy can't be used: it is no URL such as http://proxy:3128"),
    ("{client: {rate_limits: {'api.example.com:80': {per_second: 1}}}}", "client.rate_limits has the name \"api.example.com:80\""),
    ("{client: {rate_limits: {'*': {per_second: 1}}}}", "client.rate_limits has the name \"*\""),
    ("{client: {no_proxy: 'a'}}", "client.no_proxy needs the URL of a proxy beside it"),
    ("{client: {resolve: {'a:80': ['b']}}}", "client.resolve is wrong: \"a:80:b\""),
    ("{client: {resolve: {'a:80': 'b'}}}", "client.resolve.a:80 must be an array"),
    ("{client: {http_version: '3'}}", "client.http_version must be one of auto, 1.1, 2, not 3"),
    ("{client: {dns: {servers: ['here']}}}", "client.dns.servers must be addresses"),
    ("{client: {tcp: {keep_alive_count: 0}}}", "client.tcp.keep_alive_count must be from 1 to 127, not 0"),
    ("{client: {rate_limits: {h: {burst: 2}}}}", "client.rate_limits.h.per_second must be above 0"),
    ("{client: {rate_limits: {h: {per_second: 'x'}}}}", "client.rate_limits.h.per_second must be a number"),
    ("{client: {services: {s: {max: 1}}}}", "client.services.s.max is not a known setting"),
    ("{client: {services: {'a b': {}}}}", "client.services has the name \"a b\""),
    ("{client: {services: {s: {max_in_flight: 0}}}}", "client.services.s.max_in_flight must be from 1"),
    ("{client: {retry_budget: {ratio: -1}}}", "client.retry_budget.ratio must be from 0 to 100"),
    ("{client: {circuit_breaker: {failure_ratio: 2}}}", "client.circuit_breaker.failure_ratio must be above 0 and at most 1"),
    ("{client: {max_in_flight_per_owner: 0}}", "client.max_in_flight_per_owner must be from 1"),
    ("{envelopes: [{name: 'a', success_pointer: 'x', success_values: ['x']}]}", "success_pointer must be a JSON pointer"),
    ("{envelopes: [{name: 'a', success_values: ['x']}, {name: 'a', success_values: ['x']}]}", "has the name a twice"),
  ]

  @Test(arguments: faults) func `a wrong key or value is told with its path and line`(fault: (text: String, message: String)) {
    let error = #expect(throws: DaemonError.self) { try parse(fault.text) }
    #expect(error?.description.contains(fault.message) == true, "\(error?.description ?? "-")")
  }

  @Test(arguments: ["", "[]", "{", "{socket: }", "7", "{log: {level: 'info'}"]) func `what is no configuration at all is refused`(
    text: String
  ) {
    let error = #expect(throws: DaemonError.self) { try parse(text) }
    #expect(error?.description.hasPrefix("test") == true)
  }

  static let malformed: [(text: String, message: String)] = [
    ("{\n  socket: \"x\",\n  log: {level: 'info'\n  grace_ms: 1,\n}", "test:4:3: not JSON5: \"g\" stands where a comma or } is expected"),
    ("{\n socket: }", "test:2:10: not JSON5: \"}\" stands where a value is expected"),
    ("{\n", "test:2:1: not JSON5: the text ends where a key is expected"),
    ("", "test:1:1: not JSON5: the text ends where a value is expected"),
    ("{} x", "test:1:4: not JSON5: nothing may follow the value"),
    ("{\n  // fine\n  /* not", "test:3:3: not JSON5: a comment begins here that does not end"),
    ("{\n  listen: none,\n}", "test:2:11: not JSON5: \"none\" is no value; texts stand in quotes"),
    ("{grace_ms 1}", "test:1:11: not JSON5: \"1\" stands where a colon is expected"),
    ("{,}", "test:1:2: not JSON5: \",\" stands where a key is expected"),
    ("{\n 'socket: 1\n}", "test:2:2: not JSON5: a text begins here that does not end on its line"),
    ("{envelopes: [{}, {}}", "test:1:20: not JSON5: \"}\" stands where a comma or ] is expected"),
    ("[" + String(repeating: "[", count: 600), "lie too deep"),
  ]

  @Test(arguments: malformed) func `what is not JSON5 is told with line and column`(fault: (text: String, message: String)) {
    let error = #expect(throws: DaemonError.self) { try parse(fault.text) }
    #expect(error?.description.contains(fault.message) == true, "\(error?.description ?? "-")")
  }

  @Test func `what is JSON5 has no fault`() throws {
    let shipped = try #require(try StateFile.read(shippedPath))
    #expect(Json5Fault.find(in: shipped)?.message == nil)
    let text = "\u{FEFF}{'a': [+1, -.5, 0x1F, Infinity, -NaN, 1e3,], $b_1: 'it\\'s\\\n two', \"c\": null, /* x */ é: true} // end"
    #expect(Json5Fault.find(in: text)?.message == nil)
  }

  @Test func `what SIGHUP brings into force is marked`() throws {
    let text = try #require(try StateFile.read(shippedPath))
    var section = ""
    var isSectionLive = false
    var isLive = false
    var comment = ""
    var live: Set<String> = []
    for line in text.split(separator: "\n").map({ $0.drop { $0 == " " } }) {
      if line.hasPrefix("//") {
        comment += line
      } else if line.hasPrefix("}") {
        section = ""
        isSectionLive = false
      } else if let colon = line.firstIndex(of: ":") {
        // A key without a comment shares the one above it; a section does not.
        if !comment.isEmpty || line.hasSuffix("{") { isLive = comment.contains("live.") }
        let name = String(line[..<colon])
        comment = ""
        if line.hasSuffix("{") {
          section = name
          isSectionLive = isLive
        } else if isLive || isSectionLive {
          live.insert(section.isEmpty ? name : section + "." + name)
        }
      }
    }
    var changed = DaemonConfiguration()
    changed.graceMs += 1
    changed.log.format = "json"
    changed.log.level = "error"
    changed.limits.batchLines += 1
    changed.limits.lineBytes += 1
    changed.limits.metaBytes += 1
    changed.limits.keyBytes += 1
    changed.limits.fields += 1
    changed.limits.eventBodyBytes += 1
    changed.limits.waitSeconds += 1
    changed.limits.delegatesPerOwner += 1
    changed.limits.streamKeepAliveMs += 1
    changed.limits.idempotencyWindowMs += 1
    changed.limits.idempotencyKeysPerOwner += 1
    changed.results = ResultSettings()
    changed.mailbox.count += 1
    changed.egress.rules = []
    changed.log.file = "/var/log/errandd.log"
    changed.webhooks.retryMs = [1]
    changed.webhooks.timeoutMs += 1
    changed.journal.durability = "volatile"
    changed.journal.maxBytes += 1
    changed.envelopes = []
    #expect(DaemonConfiguration().needingRestart(changed) == [])
    let expected = [
      "grace_ms", "log.file", "log.format", "log.level", "limits.batch_lines", "limits.line_bytes", "limits.meta_bytes", "limits.key_bytes",
      "limits.fields",
      "limits.event_body_bytes", "limits.wait_s", "limits.delegates_per_owner", "limits.stream_keep_alive_ms", "results.count",
      "results.bytes", "results.age_ms", "results.acknowledged_count", "mailbox.count", "mailbox.bytes", "mailbox.age_ms",
      "limits.idempotency_window_ms", "limits.idempotency_keys_per_owner", "journal.durability", "journal.max_bytes", "webhooks.retry_ms",
      "egress.rules", "egress.owners",
      "webhooks.timeout_ms",
    ]
    #expect(live.filter { $0.contains(".") || $0 == "grace_ms" }.symmetricDifference(expected) == [])
  }

  @Test func `a file that is missing is named`() {
    let error = #expect(throws: DaemonError.self) { try ConfigurationFile.load("/nonexistent/errandd.json5") }
    #expect(error?.description == "there is no configuration /nonexistent/errandd.json5")
  }

  @Test func `the paths follow the environment`() throws {
    #expect(DefaultPaths.socket(environment: ["ERRAND_SOCKET": "/x", "XDG_RUNTIME_DIR": "/run/user/5"], uid: 5) == "/x")
    #expect(DefaultPaths.socket(environment: ["XDG_RUNTIME_DIR": "/run/user/5"], uid: 5) == "/run/user/5/errand.sock")
    #expect(DefaultPaths.socket(environment: [:], uid: 0) == "/run/errand.sock")
    #expect(DefaultPaths.socket(environment: [:], uid: 5) == "/tmp/errand-5.sock")
    #expect(try DefaultPaths.stateDirectory(environment: ["XDG_STATE_HOME": "/s"], uid: 5) == "/s/errand")
    #expect(try DefaultPaths.stateDirectory(environment: ["HOME": "/h"], uid: 5) == "/h/.local/state/errand")
    #expect(try DefaultPaths.stateDirectory(environment: ["HOME": "/h"], uid: 0) == "/var/lib/errand")
    #expect(throws: DaemonError.self) { try DefaultPaths.stateDirectory(environment: [:], uid: 5) }
  }
}
