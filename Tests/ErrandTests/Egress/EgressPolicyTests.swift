import EventLoop
import TestSupport
import Testing

@testable import Errand

/// What the rules of a policy decide, without a network.
struct EgressPolicyTests {
  private func target(_ host: String, scheme: String = "https", port: UInt16 = 443, method: String = "GET") -> EgressTarget {
    EgressTarget(scheme: scheme, host: host, port: port, method: method)
  }

  private func isRefused(_ policy: EgressPolicy, _ target: EgressTarget, at address: String? = nil) throws -> Bool {
    guard let address else { return policy.refusal(target) != nil }
    return policy.refusal(target, at: try #require(SocketAddress.ip(address, port: target.port))) != nil
  }

  @Test func `the first rule that matches decides, and what none matches is allowed`() throws {
    let policy = EgressPolicy([
      EgressRule(.allow, hosts: ["good.example.com"]), EgressRule(.deny, hosts: ["*.example.com"]), EgressRule(.deny, ports: [1...442]),
      EgressRule(.deny, schemes: ["http"]), EgressRule(.deny, methods: ["DELETE"]),
    ])
    #expect(try !isRefused(policy, target("good.example.com")))
    #expect(try isRefused(policy, target("bad.example.com")))
    #expect(try isRefused(policy, target("bad.example.com.")))
    #expect(try isRefused(policy, target("a.b.EXAMPLE.com".lowercased())))
    #expect(try !isRefused(policy, target("example.com")))
    #expect(try !isRefused(policy, target("notexample.com")))
    #expect(try isRefused(policy, target("a.test", port: 22)))
    #expect(try isRefused(policy, target("a.test", scheme: "http")))
    #expect(try isRefused(policy, target("a.test", method: "DELETE")))
    #expect(policy.refusal(target("bad.example.com")) == "the egress policy denies bad.example.com (its rule 2)")
  }

  @Test func `a rule about networks waits for the address, and those after it with it`() throws {
    let policy = EgressPolicy([
      EgressRule(.allow, networks: [try #require(IPNetwork("10.1.0.0/16"))]),
      EgressRule(.deny, networks: [try #require(IPNetwork("10.0.0.0/8"))]),
      EgressRule(.deny, hosts: ["x.test"]),
    ])
    #expect(try !isRefused(policy, target("x.test")))
    #expect(try isRefused(policy, target("x.test"), at: "192.0.2.1"))
    #expect(try !isRefused(policy, target("x.test"), at: "10.1.2.3"))
    #expect(try isRefused(policy, target("y.test"), at: "10.2.0.1"))
    #expect(try isRefused(policy, target("10.2.0.1")))
    #expect(try !isRefused(policy, target("10.1.0.1")))
  }

  @Test(arguments: [
    "169.254.169.254", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "::ffff:0:169.254.169.254", "::169.254.169.254", "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe",
    "2002:a9fe:a9fe::1", "fe80::1", "fd00:ec2::254", "100.100.100.200", "0.0.0.0", "::", "224.0.0.1", "ff02::1", "255.255.255.255",
  ])
  func `what is nobody's business is denied by default, in whatever form`(address: String) throws {
    let policy = EgressPolicy(EgressPolicy.standardRules)
    #expect(try isRefused(policy, target(address)))
    #expect(try isRefused(policy, target("name.test"), at: address))
    #expect(try !isRefused(policy, target("name.test")))
  }

  @Test(arguments: ["127.0.0.1", "::1", "10.0.0.1", "192.0.2.1", "2001:db8::1", "100.100.100.201", "2002:7f00:1::1"])
  func `everything else is allowed by default`(address: String) throws {
    #expect(try !isRefused(EgressPolicy(EgressPolicy.standardRules), target("name.test"), at: address))
  }

  @Test(arguments: ["", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/-1", "10.0.0.0/08x", "example.com", "10.0.0.0/", "10.0.0.0/0008"])
  func `what is no network is none`(text: String) {
    #expect(IPNetwork(text) == nil)
  }
}
