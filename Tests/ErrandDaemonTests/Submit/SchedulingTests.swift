import Errand
import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

/// Requests that wait for their time, or for the end of a pause, and those that must be done by a time.
struct SchedulingTests {
  private func milliseconds(in duration: Duration) -> Int64 {
    WallTime.now().microseconds / 1_000 + duration.wholeNanoseconds / 1_000_000
  }

  @Test func `a request begins no earlier than it says, and can be seen and cancelled before`() async throws {
    try await TestDaemon.with { test in
      let later = try await test.submit(path: "/json", "\"not_before\": \(milliseconds(in: .seconds(3_600)))")
      let soon = milliseconds(in: .milliseconds(300))
      let event = try await test.outcome(path: "/text", "\"not_before\": \(soon)")
      #expect(event["type"]?.string == "finished")
      #expect(WallTime.now().microseconds / 1_000 >= soon)
      let shown = try await test.get("/v1/requests/\(later)").json
      #expect(shown["state"]?.string == "held" && shown["explanation"]?.string?.contains("waits for its time") == true)
      #expect(try await test.get("/v1/requests?state=held").json["requests"]?.array?.count == 1)
      #expect(try await test.call(.delete, "/v1/requests/\(later)").json["sent"]?.string == "not_sent")
      #expect(await test.target.seen == ["/text"])
    }
  }

  @Test func `what is not done by its deadline fails, whatever it waits for`() async throws {
    try await TestDaemon.with {
      $0.client.maxConnectionsPerHost = 1
    } _: { test in
      let deadline = "\"deadline\": \(milliseconds(in: .milliseconds(300)))"
      let held = try await test.submit(path: "/held", deadline)
      try await waitUntil("the first") { test.target.heldCount == 1 }
      let queued = try await test.submit(path: "/json", deadline)
      let scheduled = try await test.submit(path: "/json", "\"timeouts\": {\"total_ms\": 0}, \(deadline)")
      for (handle, sent) in [(held, "sent"), (queued, "not_sent"), (scheduled, "not_sent")] {
        let error = try await test.get("/v1/requests/\(handle)?wait=30").json["error"]
        #expect(error?["code"]?.string == "timeout" && error?["phase"]?.string == "deadline" && error?["sent"]?.string == sent)
      }
      for bad in ["1", "\"2020-01-01T00:00:00Z\"", "\"soon\"", "true", "-1"] {
        let answer = try await test.submit("{\"url\": \"\(test.target.url)/json\", \"deadline\": \(bad)}")
        #expect(answer.status == 400 && answer.text.contains("/deadline"), "\(bad)")
      }
      let before =
        "{\"url\": \"http://e/\", \"not_before\": \(milliseconds(in: .seconds(9))), \"deadline\": \(milliseconds(in: .seconds(8)))}"
      #expect(try await test.submit(before).text.contains("must be after /not_before"))
    }
  }

  @Test func `a paused scope holds what waits and what comes, and nothing else, until it is resumed`() async throws {
    try await TestDaemon.with {
      $0.client.maxConnectionsPerHost = 1
    } _: { test in
      _ = try await test.submit(path: "/held", "\"delegate\": \"a\"")
      try await waitUntil("the first") { test.target.heldCount == 1 }
      let waiting = try await test.submit(path: "/one", "\"delegate\": \"a\"")
      let both = try await test.submit(path: "/two", "\"delegate\": \"a\", \"tag\": 5")
      #expect(try await test.post("/v1/pause", "{\"delegate\": \"a\"}").json["held"]?.int == 2)
      #expect(try await test.post("/v1/pause", "{\"tag\": 5}").json["held"]?.int == 0)
      let later = try await test.submit(path: "/three", "\"delegate\": \"a\"")
      await test.target.release()
      _ = try await test.outcome(path: "/other", "\"delegate\": \"b\"")
      #expect(await test.target.seen == ["/held", "/other"])
      for handle in [waiting, both, later] {
        #expect(try await test.get("/v1/requests/\(handle)").json["state"]?.string == "held")
      }
      #expect(try await test.post("/v1/resume", "{\"delegate\": \"x\"}").status == 409)
      #expect(try await test.post("/v1/resume", "{\"delegate\": \"a\"}").json["resumed"]?.int == 2)
      for handle in [waiting, later] { #expect(try await test.get("/v1/requests/\(handle)?wait=30").json["type"]?.string == "finished") }
      #expect(try await test.get("/v1/requests/\(both)").json["state"]?.string == "held")
      #expect(try await test.call(.delete, "/v1/requests/\(both)").json["result"]?.string == "cancelled")
      #expect(await test.target.seen == ["/held", "/other", "/one", "/three"])
    }
  }

  @Test func `a changed priority changes the turn of what waits`() async throws {
    try await TestDaemon.with {
      $0.client.maxConnectionsPerHost = 1
    } _: { test in
      let first = try await test.submit(path: "/held")
      try await waitUntil("the first") { test.target.heldCount == 1 }
      let handles = [try await test.submit(path: "/a"), try await test.submit(path: "/b"), try await test.submit(path: "/c")]
      #expect(try await test.call(.patch, "/v1/requests/\(handles[2])", "{\"priority\": 5}").status == 200)
      #expect(try await test.call(.patch, "/v1/requests/\(handles[0])", "{\"priority\": -1}").status == 200)
      #expect(try await test.call(.patch, "/v1/requests/\(first)", "{\"priority\": 5}").status == 409)
      for bad in ["{}", "{\"priority\": 128}", "{\"url\": \"x\"}"] {
        #expect(try await test.call(.patch, "/v1/requests/\(handles[0])", bad).status == 400)
      }
      await test.target.release()
      for handle in handles { _ = try await test.get("/v1/requests/\(handle)?wait=30") }
      #expect(await test.target.seen == ["/held", "/c", "/b", "/a"])
    }
  }

  @Test func `held requests hold up no end of the daemon`() async throws {
    try await TestDaemon.with { test in
      _ = try await test.submit(path: "/json", "\"not_before\": \(milliseconds(in: .seconds(3_600))), \"durability\": \"volatile\"")
      _ = try await test.submit(path: "/json", "\"not_before\": \(milliseconds(in: .seconds(3_600)))")
      let begun = Instant.now()
      await test.daemon.stop(grace: .seconds(60))
      #expect(begun.duration(to: .now()) < .seconds(30))
      #expect(await test.target.seen.isEmpty)
    }
  }
}
