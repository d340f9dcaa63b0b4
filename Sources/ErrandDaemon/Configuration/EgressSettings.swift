internal import Errand
internal import HttpWire

/// Where requests may go, by owner.
public struct EgressSettings: Codable, Sendable, Equatable {
  public var rules = [EgressRuleSettings(.deny, networks: EgressPolicy.standardNetworks)]
  /// Rules that go before those of all, by owner.
  public var owners: [String: [EgressRuleSettings]] = [:]

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case rules, owners
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.read(.rules, &rules)
    try reader.read(.owners, &owners)
    for name in owners.keys where Owner(name) == nil {
      throw reader.failure(.owners, "has the name \(name.debugDescription): write an owner as uid:1000")
    }
  }
}

/// One rule; what is left out matches everything.
public struct EgressRuleSettings: Codable, Sendable, Equatable {
  public var action = ""
  public var schemes: [String] = []
  public var hosts: [String] = []
  public var ports: [String] = []
  public var networks: [String] = []
  public var methods: [String] = []

  init(_ action: EgressRule.Action, networks: [String]) {
    self.action = action.rawValue
    self.networks = networks
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case action, schemes, hosts, ports, networks, methods
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.choice(.action, &action, EgressRule.Action.allCases.map(\.rawValue))
    try reader.read(.schemes, &schemes)
    if let bad = schemes.first(where: { $0 != "http" && $0 != "https" }) {
      throw reader.failure(.schemes, "has \(bad.debugDescription): use http and https")
    }
    try reader.read(.hosts, &hosts)
    for host in hosts where host != "*" && !ClientSettings.isHost(host.hasPrefix("*.") ? String(host.dropFirst(2)) : host) {
      throw reader.failure(.hosts, "has \(host.debugDescription): use a name, *. and a name, or *; addresses go into networks")
    }
    try reader.read(.ports, &ports)
    if let bad = ports.first(where: { EgressRuleSettings.range($0) == nil }) {
      throw reader.failure(.ports, "has \(bad.debugDescription): use \"443\" or \"8000-8999\"")
    }
    try reader.read(.networks, &networks)
    if let bad = networks.first(where: { IPNetwork($0) == nil }) {
      throw reader.failure(.networks, "has \(bad.debugDescription): use an address, or a network such as 10.0.0.0/8")
    }
    try reader.read(.methods, &methods)
    for method in methods { do throws(WireError) { _ = try HttpMethod(method) } catch { throw reader.failure(.methods, error.message) } }
  }

  private static func range(_ text: String) -> ClosedRange<UInt16>? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
    guard let first = parts.first, let first, parts.count <= 2, let last = parts.last, let last, first <= last else { return nil }
    return first...last
  }

  var rule: EgressRule {
    EgressRule(
      action == "allow" ? .allow : .deny, schemes: Set(schemes), hosts: hosts, ports: ports.compactMap(EgressRuleSettings.range),
      networks: networks.compactMap { IPNetwork($0) }, methods: Set(methods))
  }
}

/// The policies of all owners, one object each, so that those of one policy share connections.
struct EgressPolicies: Sendable {
  private let general: EgressPolicy?
  private let owners: [String: EgressPolicy]

  init(_ settings: EgressSettings) {
    let rules = settings.rules.map(\.rule)
    general = rules.isEmpty ? nil : EgressPolicy(rules)
    owners = settings.owners.mapValues { EgressPolicy($0.map(\.rule) + rules) }
  }

  func policy(of owner: Owner) -> EgressPolicy? { owners[owner.description] ?? general }
}
