import Errand
import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

/// Where the daemon's requests may go.
struct EgressTests {
  private func deny(_ configuration: inout DaemonConfiguration, _ rules: String) throws {
    configuration.egress = try ConfigurationFile.parse("{egress: \(rules)}", name: "test").egress
  }

  @Test func `a denied target is refused at once where its URL tells, and fails where its address does`() async throws {
    var configuration = DaemonConfiguration()
    try deny(&configuration, "{rules: [{action: \"deny\", networks: [\"127.0.0.0/8\", \"::1\"]}]}")
    let egress = configuration.egress
    try await TestDaemon.with {
      $0.egress = egress
    } _: { test in
      let refused = try await test.submit("{\"url\": \"\(test.target.url)/json\"}")
      #expect(refused.status == 403 && refused.json["type"]?.string == "urn:errand:problem:denied")
      #expect(refused.json["field"]?.string == "/url" && refused.json["detail"]?.string?.contains("its rule 1") == true)
      // Known at once, as it stands in the hosts file.
      let port = test.target.port
      #expect(try await test.submit("{\"url\": \"http://localhost:\(port)/json\"}").status == 403)
      #expect(await test.target.seen.isEmpty)
      // And live again.
      var open = DaemonConfiguration()
      open.egress.rules = []
      await test.daemon.reload(open)
      #expect(try await test.outcome(path: "/json")["type"]?.string == "finished")
    }
  }

  @Test func `an owner's own rules go before those of all`() async throws {
    var configuration = DaemonConfiguration()
    try deny(
      &configuration, "{rules: [{action: \"deny\", hosts: [\"*\"]}], owners: {\"uid:0\": [{action: \"allow\", ports: [\"1-65535\"]}]}}")
    let policies = EgressPolicies(configuration.egress)
    #expect(policies.policy(of: Owner(uid: 0))?.rules.map(\.action) == [.allow, .deny])
    #expect(policies.policy(of: Owner(uid: 7))?.rules.map(\.action) == [.deny])
    configuration.egress.rules = []
    #expect(EgressPolicies(configuration.egress).policy(of: Owner(uid: 7)) == nil)
  }

  @Test func `a webhook goes where its owner's requests may go`() async throws {
    var configuration = DaemonConfiguration()
    try deny(&configuration, "{rules: [{action: \"deny\", methods: [\"POST\"]}]}")
    let egress = configuration.egress
    try await TestDaemon.with {
      $0.egress = egress
    } _: { test in
      #expect(try await test.call(.put, "/v1/delegates/a", "{\"webhook\": {\"url\": \"\(test.target.url)/hook\"}}").status == 201)
      _ = try await test.outcome(path: "/json", "\"delegate\": \"a\"")
      try await waitUntil("a failed try") { test.daemon.core.webhooks.all.contains { $0.lastError != nil } }
      #expect(try await test.get("/v1/delegates/a").json["webhook"]?["last_error"]?.string?.contains("egress policy") == true)
      #expect(await test.target.seen == ["/json"])
    }
  }

  @Test(arguments: [
    ("{rules: [{}]}", "action"), ("{rules: [{action: \"maybe\"}]}", "action"),
    ("{rules: [{action: \"deny\", networks: [\"10.0.0.0/99\"]}]}", "networks"),
    ("{rules: [{action: \"deny\", ports: [\"9-1\"]}]}", "ports"), ("{rules: [{action: \"deny\", ports: [\"-\"]}]}", "ports"),
    ("{rules: [{action: \"deny\", hosts: [\"a*b\"]}]}", "hosts"), ("{rules: [{action: \"deny\", schemes: [\"ftp\"]}]}", "schemes"),
    ("{rules: [{action: \"deny\", methods: [\"a b\"]}]}", "methods"), ("{owners: {root: []}}", "owners"),
    ("{rules: [{action: \"deny\", host: []}]}", "host"),
  ])
  func `a wrong rule is told by its name`(text: String, name: String) throws {
    let error = #expect(throws: DaemonError.self) { try ConfigurationFile.parse("{egress: \(text)}", name: "test") }
    #expect(error?.description.contains(name) == true, "\(String(describing: error))")
  }
}
