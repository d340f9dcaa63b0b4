internal import HttpWire

/// Allows or denies what matches each of its parts; a part that is empty matches everything.
public struct EgressRule: Sendable, Hashable {
  /// What becomes of what matches.
  public enum Action: String, Sendable, Hashable, CaseIterable {
    case allow
    case deny
  }

  public var action: Action
  /// `http`, `https`.
  public var schemes: Set<String>
  /// Names as URLs have them, in lower case: `example.com` is that name, `*.example.com` each one below it, `*` any. A dot at the end makes no difference.
  public var hosts: [String]
  public var ports: [ClosedRange<UInt16>]
  /// Networks of the address that is connected to. A rule with some is decided when the address is known; one that denies also counts for the IPv4 address
  /// that an IPv6 address stands for (mapped, RFC 4291 section 2.5.5; translated, RFC 6052; 6to4, RFC 3056).
  public var networks: [IPNetwork]
  /// Case-sensitive.
  public var methods: Set<String>

  public init(
    _ action: Action, schemes: Set<String> = [], hosts: [String] = [], ports: [ClosedRange<UInt16>] = [], networks: [IPNetwork] = [],
    methods: Set<String> = []
  ) {
    self.action = action
    self.schemes = schemes
    self.hosts = hosts.map { EgressRule.canonical($0.lowercased()) }
    self.ports = ports
    self.networks = networks
    self.methods = methods
  }

  /// Whether all parts but the networks match.
  func matches(_ target: EgressTarget) -> Bool {
    if !schemes.isEmpty, !schemes.contains(target.scheme) { return false }
    if !methods.isEmpty, target.method.map(methods.contains) != true { return false }
    if !ports.isEmpty, !ports.contains(where: { $0.contains(target.port) }) { return false }
    return hosts.isEmpty || hosts.contains { EgressRule.matches(target.host, $0) }
  }

  func matches(octets: [UInt8]) -> Bool {
    if networks.contains(where: { $0.contains(octets) }) { return true }
    guard action == .deny else { return false }
    return IPNetwork.embedded(in: octets).contains { inner in networks.contains { $0.contains(inner) } }
  }

  private static func matches(_ host: String, _ pattern: String) -> Bool {
    let host = canonical(host)
    if pattern == "*" || pattern == host { return true }
    return pattern.hasPrefix("*.") && host.hasSuffix(pattern.dropFirst()) && host.utf8.count > pattern.utf8.count - 1
  }

  private static func canonical(_ host: String) -> String { host.hasSuffix(".") ? String(host.dropLast()) : host }
}

/// What a rule is asked about.
struct EgressTarget {
  let scheme: String
  /// Without brackets, in lower case.
  let host: String
  let port: UInt16
  /// nil where no rule is about methods.
  let method: String?
}
