import Errand
import EventLoop
import Hashing
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

/// Delegates whose events are sent to them. The driver webhooks has the rest, with a receiver in Python.
struct WebhookTests {
  private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  @Test func `a signature is that of Standard Webhooks, one for each secret`() throws {
    let key = try #require(WebhookSignature.key(secret))
    let fields = WebhookSignature.fields(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: Array("{\"test\": 2432232314}".utf8), keys: [key, key])
    #expect(fields[0] == ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek") && fields[1] == ("webhook-timestamp", "1614265330"))
    // Reckoned by another implementation.
    #expect(
      fields[2] == ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="))
    #expect(Hmac.sha256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)).prefix(4) == [0x5B, 0xDC, 0xC1, 0x46])
    for bad in ["", "whsec_", "whsec_!!!!", "whsec_c2hvcnQ=", "whsec_" + Base64.encode([UInt8](repeating: 1, count: 65))] {
      #expect(WebhookSignature.key(bad) == nil, "\(bad)")
    }
  }

  @Test(arguments: [
    ("{\"type\": \"webhook\"}", "/webhook"), ("{\"webhook\": {}}", "/webhook/url"), ("{\"webhook\": 7}", "/webhook"),
    ("{\"webhook\": {\"url\": \"ftp://e/\"}}", "/webhook/url"), ("{\"webhook\": {\"url\": \"http://u:p@e/\"}}", "/webhook/url"),
    ("{\"webhook\": {\"url\": \"http://e/\", \"secret\": \"x\"}}", "/webhook/secret"),
    ("{\"webhook\": {\"url\": \"http://e/\", \"secret\": \"secret:none\"}}", "/webhook/secret"),
    ("{\"webhook\": {\"url\": \"http://e/\", \"secret\": []}}", "/webhook/secret"),
    ("{\"webhook\": {\"url\": \"http://e/\", \"types\": [\"x\"]}}", "/webhook/types/0"),
    ("{\"webhook\": {\"url\": \"http://e/\", \"max_attempts\": 0}}", "/webhook/max_attempts"),
    ("{\"webhook\": {\"url\": \"http://e/\", \"headers\": {\"Webhook-Id\": \"1\"}}}", "/webhook/headers"),
    ("{\"webhook\": {\"url\": \"http://e/\", \"headers\": {\"A\": \"b\\r\\nc: d\"}}}", "/webhook/headers"),
    ("{\"webhook\": {\"url\": \"http://e/\", \"id\": \"1\"}}", "/webhook/id"),
    ("{\"type\": \"mailbox\", \"webhook\": {\"url\": \"http://e/\"}}", "/webhook"),
    ("{\"type\": \"pigeon\"}", "/type"),
  ])
  func `what is wrong with a declaration is told with its field, and nothing is made`(body: String, field: String) async throws {
    try await TestDaemon.with { test in
      let answer = try await test.call(.put, "/v1/delegates/a", body)
      #expect(answer.status == 400 && answer.json["field"]?.string == field, "\(answer.text)")
      #expect(try await test.get("/v1/delegates/a").status == 404)
    }
  }

  @Test func `only events of the types that were asked for are sent, and the secret is told once`() async throws {
    try await TestDaemon.with { test in
      let hook = "{\"webhook\": {\"url\": \"\(test.target.url)/hook\", \"types\": [\"failed\"], \"secret\": \"\(secret)\"}}"
      #expect(try await test.call(.put, "/v1/delegates/a", hook).json["webhook"]?["secret"]?.string == secret)
      for path in ["/json", "/missing", "/json"] { _ = try await test.outcome(path: path, "\"delegate\": \"a\"") }
      try await waitUntil("the failure") { test.target.seen.contains("/hook") && test.daemon.core.store.figures.events == 0 }
      let shown = try await test.get("/v1/delegates/a")
      #expect(shown.json["webhook"]?["delivered"]?.int == 1 && shown.json["type"]?.string == "webhook")
      #expect(!shown.text.contains("whsec_"))
      #expect(try await test.call(.put, "/v1/delegates/a").json["type"]?.string == "webhook")
      #expect(try await test.call(.put, "/v1/delegates/a", "{\"type\": \"mailbox\"}").json["type"]?.string == "mailbox")
      _ = try await test.outcome(path: "/missing", "\"delegate\": \"a\"")
      #expect(try await test.get("/v1/delegates/a").json["pending"]?.int == 1)
      #expect(try await test.call(.post, "/v1/delegates/a/redeliver").status == 409)
    }
  }

  @Test func `cancelling everything cancels no webhook, and no list shows one`() async throws {
    try await TestDaemon.with { test in
      let hook = "{\"webhook\": {\"url\": \"\(test.target.url)/held\"}}"
      _ = try await test.call(.put, "/v1/delegates/a", hook)
      _ = try await test.outcome(path: "/json", "\"delegate\": \"a\"")
      try await waitUntil("the webhook") { test.target.heldCount == 1 }
      #expect(try await test.post("/v1/cancel", "{\"all\": true}").json["cancelled"]?.int == 0)
      #expect(try await test.get("/v1/requests").json["requests"]?.array?.count == 1)
      await test.target.release()
      try await waitUntil("the acknowledgement") { test.daemon.core.store.figures.events == 0 }
    }
  }

  @Test func `a copied event has its new number and further members, and is sound JSON`() throws {
    var bytes: [UInt8] = []
    let start = EventWriter.begin(7, "finished", &bytes)
    bytes.append(",\"tag\":1")
    let copy = EventWriter.copy(EventWriter.end(start, &bytes), seq: 12, adding: Array(",\"dead_letter\":{}".utf8))
    #expect(
      String(decoding: copy.frame, as: UTF8.self)
        == "id: 12\nevent: finished\ndata: {\"seq\":12,\"type\":\"finished\",\"tag\":1,\"dead_letter\":{}}\n\n")
    let dropped = EventWriter.copy(EventWriter.dropped(from: 1, through: 3, count: 3), seq: 12, adding: [])
    let json = try JsonValue.parse(Array(dropped.jsonBytes))
    #expect(json["seq"]?.int == 12 && json["through"]?.int == 3 && json["type"]?.string == "dropped")
  }
}
