internal import EventLoop
internal import HttpWire

/// Where requests may go: the first rule that matches decides, and what none matches is allowed.
///
/// It is asked about the URL before anything is done, again for each redirect, and about each address before it is connected to, so that no name, no answer of a name
/// server that changes, no spelling of an address and no kept connection leads around it. What is refused fails with `denied`. Requests under different
/// policies share no connections. Behind a proxy the name counts, and the proxy's own address only where the request itself chose the proxy; addresses
/// that are resolved here for a SOCKS proxy count. Unix sockets are not asked about.
public final class EgressPolicy: Sendable, Hashable {
  public let rules: [EgressRule]
  let hasMethods: Bool

  public init(_ rules: [EgressRule]) {
    self.rules = rules
    hasMethods = rules.contains { !$0.methods.isEmpty }
  }

  /// Link-local addresses, among them those where clouds give out credentials to whoever asks, and such that are nobody's.
  public static let standardRules: [EgressRule] = [
    EgressRule(.deny, networks: standardNetworks.compactMap { IPNetwork($0) })
  ]

  /// The networks of ``standardRules``.
  public static let standardNetworks = [
    "0.0.0.0/8", "169.254.0.0/16", "100.100.100.200", "224.0.0.0/4", "255.255.255.255", "::", "fe80::/10", "fd00:ec2::254", "ff00::/8",
  ]

  public static func == (left: EgressPolicy, right: EgressPolicy) -> Bool { left === right || left.rules == right.rules }
  /// Of most clients there is one, whose rules nobody wants to go through for each request.
  public func hash(into hasher: inout Hasher) { hasher.combine(rules.count) }

  /// Why a request may not go there, as far as its URL tells; nil if it may, or its address has to be known first.
  func refusal(_ target: EgressTarget) -> String? {
    let octets = ipOctets(target.host)
    for (index, rule) in rules.enumerated() where rule.matches(target) {
      if !rule.networks.isEmpty {
        // What a name stands for is not known yet.
        guard let octets else { return nil }
        guard rule.matches(octets: octets) else { continue }
      }
      return rule.action == .allow ? nil : words(target.host, index)
    }
    return nil
  }

  /// Why an address may not be connected to; nil if it may.
  func refusal(_ target: EgressTarget, at address: SocketAddress) -> String? {
    guard let literal = address.literal, let octets = ipOctets(literal) else { return nil }
    for (index, rule) in rules.enumerated() where rule.matches(target) {
      if !rule.networks.isEmpty, !rule.matches(octets: octets) { continue }
      return rule.action == .allow ? nil : words(literal, index)
    }
    return nil
  }

  private func words(_ what: String, _ index: Int) -> String { "the egress policy denies \(what) (its rule \(index + 1))" }
}
