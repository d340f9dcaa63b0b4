import Errand
import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct CancelTests {
  @Test func `cancelling gives a receipt, and followers an event`() async throws {
    try await TestDaemon.with { test in
      let handle = try await test.submit(path: "/held", "\"delegate\": \"c\", \"tag\": 5, \"meta\": \"m\"")
      try await waitUntil("the request") { test.target.heldCount == 1 }
      let receipt = try await test.call(.delete, "/v1/requests/\(handle)")
      #expect(receipt.status == 200)
      #expect(receipt.json["handle"]?.string == handle)
      #expect(receipt.json["result"]?.string == "cancelled")
      #expect(receipt.json["sent"]?.string == "sent")
      #expect(receipt.json["bytes_written"]?.int ?? 0 > 0)
      #expect(receipt.json["connection"]?.string == "closed")
      let event = try #require(try await StreamReader(test, "c").next(1).first)
      #expect(event.type == "cancelled")
      #expect(event["tag"]?.int == 5)
      #expect(event["meta"]?.string == "m")
      #expect(event["receipt"] == receipt.json)
      let again = try await test.call(.delete, "/v1/requests/\(handle)")
      #expect(again.status == 200)
      #expect(again.json["result"]?.string == "already_finished")
      #expect(again.json["sent"]?.string == "sent")
      #expect(again.json["bytes_written"] == receipt.json["bytes_written"])
    }
  }

  @Test func `a cancel that comes too late says what had been sent`() async throws {
    try await TestDaemon.with { test in
      _ = try await test.outcome(path: "/json")
      let late = try await test.call(.delete, "/v1/requests/1").json
      #expect(late["result"]?.string == "already_finished")
      #expect(late["sent"]?.string == "sent")
      #expect(late["bytes_written"]?.int ?? 0 > 40)
      let shown = try await test.get("/v1/requests/1").json
      #expect(shown["bytes_written"] == late["bytes_written"])
      let events = shown["timeline"]?.array?.compactMap { $0["event"]?.string }
      #expect(events == ["queued", "slot", "resolved", "connected", "sent", "head", "finished"])
      _ = try await test.post("/v1/requests?wait=30", "{\"url\": \"http://127.0.0.1:1/\"}")
      let unsent = try await test.call(.delete, "/v1/requests/2").json
      #expect(unsent == ["handle": "2", "result": "already_finished", "sent": "not_sent", "bytes_written": 0, "connection": "none"])
    }
  }

  @Test func `a scope cancels what matches all of its parts`() async throws {
    try await TestDaemon.with { test in
      for (delegate, tag, key) in [("a", 1, "x/1"), ("a", 2, "x/2"), ("b", 1, "x/3"), ("b", 2, "y/1")] {
        _ = try await test.submit(path: "/held", "\"delegate\": \"\(delegate)\", \"tag\": \(tag), \"key\": \"\(key)\"")
      }
      func cancelled(_ scope: String) async throws -> [String] {
        let answer = try await test.post("/v1/cancel", scope).json
        let receipts = answer["receipts"]?.array ?? []
        #expect(answer["cancelled"]?.int == Int64(receipts.count))
        return receipts.compactMap { $0["handle"]?.string }
      }
      #expect(try await cancelled("{\"delegate\": \"a\", \"tag\": 2}") == ["2"])
      #expect(try await cancelled("{\"host\": \"example.com\"}") == [])
      #expect(try await cancelled("{\"key_prefix\": \"x/\"}") == ["1", "3"])
      #expect(try await cancelled("{\"key\": \"y/2\"}") == [])
      #expect(try await cancelled("{\"host\": \"127.0.0.1\"}") == ["4"])
      _ = try await test.submit(path: "/held")
      #expect(try await cancelled("{\"all\": true}") == ["5"])
      #expect(try await test.stats()["requests"]?["in_flight"]?.int == 0)
    }
  }

  @Test func `an owner sees and cancels its own requests only, and root all`() async throws {
    try await TestDaemon.with { test in
      try await onLoop(test)
    }
  }

  @LoopActor
  private func onLoop(_ test: TestDaemon) throws {
    let core = test.daemon.core
    let (one, two, root) = (Owner(uid: 1_001), Owner(uid: 1_002), Owner(uid: 0))
    var submission = Submission()
    submission.request.url = test.target.url + "/held"
    let record = try core.submitAtOnce(submission, for: one)
    let handle = record.handle.description
    #expect(try core.record(handle, for: one) === record)
    #expect(throws: Problem.unknownHandle(handle)) { try core.record(handle, for: two) }
    #expect(try core.record(handle, for: root) === record)
    #expect(core.store.mailboxes(two, after: nil, limit: 9).mailboxes.isEmpty)
    #expect(core.store.mailboxes(root, after: nil, limit: 9).mailboxes.count == 1)
    #expect(core.store.page(before: nil, limit: 10, scan: 10) { two.sees($0.owner) }.records.isEmpty)
    #expect(core.client.cancelOnLoop(try scope("{\"all\": true}", two)).isEmpty)
    #expect(core.client.cancelOnLoop(try scope("{\"delegate\": \"default\"}", two)).isEmpty)
    #expect(core.client.cancelOnLoop(try scope("{\"all\": true}", one)).count == 1)
  }

  @LoopActor
  private func scope(_ json: String, _ owner: Owner) throws -> CancelScope {
    try ScopeReader.read(try JsonValue.parse(Array(json.utf8)), owner: owner)
  }
}
