import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

/// The limits of the configuration, as the API shows them at work.
struct TransportLimitTests {
  private func with(_ client: String, _ body: (TestDaemon) async throws -> Void) async throws {
    let settings = try ConfigurationFile.parse("{client: {\(client)}}", name: "test").client
    try await TestDaemon.with({ $0.client = settings }, body)
  }

  private func explanation(_ handle: String, _ test: TestDaemon) async throws -> String {
    try await test.get("/v1/requests/\(handle)").json["explanation"]?.string ?? ""
  }

  @Test func `an owner's requests wait at its limit`() async throws {
    try await with("max_in_flight_per_owner: 1") { test in
      _ = try await test.submit(path: "/held")
      let second = try await test.submit(path: "/held")
      try await waitUntil("the first") { test.target.heldCount == 1 }
      #expect(try await explanation(second, test).contains("1 of 1 requests in flight"))
      await test.target.release()
      #expect(try await test.get("/v1/requests/\(second)?wait=30").json["type"] == "finished")
    }
  }

  @Test func `requests to a host wait at its rate`() async throws {
    try await with("rate_limits: {'127.0.0.1': {per_second: 0.001}}") { test in
      #expect(try await test.outcome(path: "/json")["type"] == "finished")
      let second = try await test.submit(path: "/json")
      #expect(try await explanation(second, test).contains("the rate of 127.0.0.1"))
      #expect(try await test.get("/v1/requests/\(second)").json["state"] == "queued")
    }
  }

  @Test func `a queue that is full at its host or owner is told by the name of the limit`() async throws {
    for (client, limit) in [("max_queued_per_host: 0", "max_queued_per_host"), ("max_queued_per_owner: 0", "max_queued_per_owner")] {
      try await with("max_connections_per_host: 1, " + client) { test in
        _ = try await test.submit(path: "/held")
        let refused = try await test.submit("{\"url\": \"\(test.target.url)/held\"}")
        #expect(refused.status == 503, "\(limit): \(refused.text)")
        #expect(refused.json["limit"]?.string == limit, "\(refused.text)")
      }
    }
  }

  @Test func `a breaker refuses what goes to a server that fails, and is counted`() async throws {
    try await with("circuit_breaker: {enabled: true, failures: 1, failure_ratio: null}") { test in
      let body = "{\"url\": \"http://127.0.0.1:1/\"}"
      #expect(try await test.post("/v1/requests?wait=30", body).json["error"]?["code"] == "connect")
      let refused = try await test.submit(body)
      #expect(refused.status == 503)
      #expect(refused.json["detail"]?.string?.contains("circuit breaker of 127.0.0.1:1 is open") == true, "\(refused.text)")
      // Of the 30 s for which it is open.
      #expect((5...30).contains(refused.headers["Retry-After"].flatMap { Int($0) } ?? 0))
      #expect(try await test.outcome(path: "/json")["type"] == "finished")
      let stats = try await test.stats()
      #expect(stats["requests"]?["refused_by_breaker"] == 1)
      #expect(stats["connections"]?["open_breakers"] == 1)
    }
  }

  @Test func `retries that the budget does not allow are counted`() async throws {
    try await with("retry_budget: {ratio: 0, minimum: 1, cap: 0}") { test in
      let event = try await test.outcome(path: "/busy", "\"retry\": {\"max\": 5, \"base_delay_ms\": 0}")
      #expect(event["error"]?["code"] == "http_status")
      #expect(event["attempts"] == 2)
      #expect(try await test.stats()["requests"]?["retries_withheld"] == 1)
    }
  }
}
