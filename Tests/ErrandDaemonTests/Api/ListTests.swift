import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct ListTests {
  private func handles(_ answer: TestDaemon.Answer) -> [String] {
    (answer.json["requests"]?.array ?? []).compactMap { $0["handle"]?.string }
  }

  @Test func `the list has running and ended requests, and filters them`() async throws {
    try await TestDaemon.with { test in
      let held = try await test.submit(path: "/held", "\"delegate\": \"a\", \"tag\": 1, \"key\": \"job/1\"")
      _ = try await test.outcome(path: "/json", "\"delegate\": \"a\", \"tag\": 2, \"key\": \"job/2\"")
      _ = try await test.outcome(path: "/missing", "\"delegate\": \"b\", \"tag\": 1, \"key\": \"other\"")
      try await waitUntil("the request") { test.target.heldCount == 1 }
      #expect(handles(try await test.get("/v1/requests")) == ["3", "2", "1"])
      for (query, expected) in [
        ("delegate=a", ["2", "1"]), ("tag=1", ["3", "1"]), ("key=job/2", ["2"]), ("key_prefix=job/", ["2", "1"]),
        ("host=127.0.0.1", ["3", "2", "1"]), ("host=example.com", []), ("state=finished", ["2"]), ("state=failed", ["3"]),
        ("state=waiting", ["1"]), ("state=running", [held]), ("state=ended", ["3", "2"]), ("delegate=a&tag=1&state=running", ["1"]),
        ("delegate=none", []),
      ] {
        #expect(handles(try await test.get("/v1/requests?\(query)")) == expected, "\(query)")
      }
      let rows = try await test.get("/v1/requests").json["requests"]?.array ?? []
      #expect(rows[0]["error"]?.string == "http_status")
      #expect(rows[0]["status"]?.int == 404)
      #expect(rows[1]["total_us"]?.int ?? 0 > 0)
      #expect(rows[2]["state"]?.string == "waiting")
      #expect(rows[2]["age_us"]?.int ?? 0 > 0)
      #expect(rows[2]["key"]?.string == "job/1")
    }
  }

  @Test func `pages go on with the cursor, and are not disturbed by new requests`() async throws {
    try await TestDaemon.with { test in
      for tag in 1...7 { _ = try await test.outcome(path: "/json", "\"tag\": \(tag)") }
      let first = try await test.get("/v1/requests?limit=3")
      #expect(handles(first) == ["7", "6", "5"])
      let cursor = try #require(first.json["next"]?.string)
      _ = try await test.outcome(path: "/json")
      let second = try await test.get("/v1/requests?limit=3&cursor=\(cursor)")
      #expect(handles(second) == ["4", "3", "2"])
      let third = try await test.get("/v1/requests?limit=3&cursor=\(try #require(second.json["next"]?.string))")
      #expect(handles(third) == ["1"])
      #expect(third.json["next"] == .null)
    }
  }

  @Test func `credentials in a URL are sent and show nowhere`() async throws {
    try await TestDaemon.with { test in
      let url = test.target.url.replacing("http://", with: "http://me:secret@")
      let answer = try await test.submit("{\"url\": \"\(url)/held\"}")
      #expect(answer.status == 202)
      #expect(try await !test.get("/v1/requests").text.contains("secret"))
    }
  }

  @Test func `a running request is shown with timeline and explanation`() async throws {
    try await TestDaemon.with { test in
      let handle = try await test.submit(path: "/held", "\"meta\": {\"m\": [1, {\"x\": null}]}")
      try await waitUntil("the request") { test.target.heldCount == 1 }
      let detail = try await test.get("/v1/requests/\(handle)").json
      #expect(detail["state"]?.string == "waiting")
      #expect(detail["meta"] == ["m": [1, ["x": nil]]])
      #expect(detail["explanation"]?.string?.contains("waits for the response") == true)
      #expect(detail["timeline"]?.array?.compactMap { $0["event"]?.string }.prefix(2) == ["queued", "slot"])
      #expect(detail["connection"]?["address"]?.string == "127.0.0.1:\(test.target.port)")
      #expect(try await test.get("/v1/requests/\(handle)/body").json["type"]?.string == "urn:errand:problem:no_body")
    }
  }

  @Test func `an ended request is shown with its event, and its body byte for byte`() async throws {
    try await TestDaemon.with { test in
      let event = try await test.outcome(path: "/json", "\"key\": \"k\"")
      let detail = try await test.get("/v1/requests/1").json
      #expect(detail["state"]?.string == "finished")
      #expect(detail["event"] == event)
      #expect(detail["explanation"]?.string?.hasPrefix("finished with status 200") == true)
      #expect(detail["timeline"]?.array?.last?["event"]?.string == "finished")
      let body = try await test.get("/v1/requests/1/body")
      #expect(body.text == "{\"ok\":\n true, \"n\": 1.50}")
      #expect(body.headers["Content-Type"] == "application/json")
      #expect(try await test.call(.head, "/v1/requests/1/body").headers["Content-Length"] == "24")
      _ = try await test.post("/v1/requests?wait=30", "{\"url\": \"http://127.0.0.1:1/\"}")
      #expect(try await test.get("/v1/requests/2/body").status == 404)
    }
  }
}
