import ErrandDaemon
import HttpWire
import TestSupport
import Testing

struct EventFormTests {
  private func error(_ event: JsonValue) -> String { event["error"]?["code"]?.string ?? "none" }

  @Test func `a finished event has the members of the design in their order`() async throws {
    try await TestDaemon.with { test in
      let event = try await test.outcome(
        path: "/json", "\"delegate\": \"a\", \"tag\": 7, \"key\": \"k\", \"meta\": {\"any\": [1.50, \"x\"]}")
      #expect(
        event.object?.members.map(\.key)
          == [
            "seq", "type", "handle", "delegate", "tag", "key", "meta", "url", "status", "http_version", "headers", "data", "attempts",
            "timings",
          ])
      #expect(event.seq == 1)
      #expect(event["handle"]?.string == "1")
      #expect(event["delegate"]?.string == "a")
      #expect(event["meta"] == ["any": [.number(try #require(JsonNumber("1.50"))), "x"]])
      #expect(event["url"]?.string == "\(test.target.url)/json")
      #expect(event["headers"]?.array?.contains(["content-type", "application/json"]) == true)
      #expect(event["data"]?["n"] == JsonNumber("1.50").map(JsonValue.number))
      #expect(event["attempts"]?.int == 1)
      #expect(
        event["timings"]?.object?.members.map(\.key) == ["queue_us", "dns_us", "connect_us", "tls_us", "first_byte_us", "total_us"])
      #expect(event["timings"]?["total_us"]?.int ?? 0 > 0)
    }
  }

  @Test func `a body is data, text or base64, as it is`() async throws {
    try await TestDaemon.with { test in
      #expect(try await test.outcome(path: "/text")["body"]?.string == "grüße\n\"quoted\"")
      #expect(try await test.outcome(path: "/binary")["body_base64"]?.string == "AP+ABw==")
      #expect(try await test.outcome(path: "/bad")["body"]?.string == "{\"ok\": tru")
      let empty = try await test.outcome(path: "/empty")
      #expect(empty["status"]?.int == 204)
      #expect(empty["body"] == nil && empty["data"] == nil && empty["body_base64"] == nil)
    }
  }

  @Test func `a body above the limit is told by its length and link`() async throws {
    try await TestDaemon.with {
      $0.limits.eventBodyBytes = 99_999
    } _: { test in
      let event = try await test.outcome(path: "/large")
      #expect(event["body_bytes"]?.int == 100_000)
      #expect(event["body"] == nil)
      let link = try #require(event["body_url"]?.string)
      #expect(try await test.get(link).text.utf8.count == 100_000)
    }
  }

  @Test func `each kind of failure has its code, and the response that came with it`() async throws {
    try await TestDaemon.with { test in
      let status = try await test.outcome(path: "/missing")
      #expect(
        status.object?.members.map(\.key)
          == [
            "seq", "type", "handle", "delegate", "tag", "key", "meta", "url", "error", "status", "http_version", "headers", "data",
            "attempts", "timings",
          ])
      #expect(
        status["error"]?.object?.members.map(\.key) == ["code", "phase", "message", "status", "retryable", "sent", "service_code"])
      #expect(error(status) == "http_status")
      #expect(status["error"]?["status"]?.int == 404)
      #expect(status["error"]?["retryable"]?.bool == false)
      #expect(status["error"]?["sent"]?.string == "sent")
      #expect(status["data"] == ["error": "none"])
      #expect(try await test.outcome(path: "/busy")["error"]?["retryable"]?.bool == true)
      #expect(try await test.outcome(path: "/missing", "\"accept_status\": [404]").type == "finished")
      let notJson = try await test.outcome(path: "/text", "\"expect\": \"json\"")
      #expect(error(notJson) == "not_json")
      #expect(notJson["body"]?.string == "grüße\n\"quoted\"")
      #expect(error(try await test.outcome(path: "/json", "\"expect\": \"json_array\"")) == "wrong_shape")
      #expect(error(try await test.outcome(path: "/large", "\"max_body_bytes\": 10")) == "too_large")
    }
  }

  @Test func `envelopes give their data, or the service's code and message`() async throws {
    try await TestDaemon.with { test in
      #expect(try await test.outcome(path: "/envelope/good", "\"envelope\": \"code-msg-data\"")["data"] == ["a": 1])
      let bad = try await test.outcome(path: "/envelope/bad", "\"envelope\": \"code-msg-data\"")
      #expect(error(bad) == "service")
      #expect(bad["error"]?["service_code"]?.string == "17")
      #expect(bad["error"]?["message"]?.string == "no such thing")
    }
  }

  @Test func `timeouts and refused connections say so`() async throws {
    try await TestDaemon.with { test in
      let late = try await test.outcome(path: "/held", "\"timeouts\": {\"first_byte_ms\": 20}")
      #expect(error(late) == "timeout")
      #expect(late["error"]?["phase"]?.string == "first_byte")
      #expect(late["status"] == nil)
      let refused = try await test.post("/v1/requests?wait=30", "{\"url\": \"http://127.0.0.1:1/\"}").json
      #expect(error(refused) == "connect")
      #expect(refused["error"]?["sent"]?.string == "not_sent")
    }
  }
}
