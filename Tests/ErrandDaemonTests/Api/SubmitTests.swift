import Errand
import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct SubmitTests {
  @Test func `a request is answered at once with its handle`() async throws {
    try await TestDaemon.with { test in
      let answer = try await test.submit("{\"url\": \"\(test.target.url)/json\"}")
      #expect(answer.status == 202)
      #expect(answer.json == ["handle": "1", "state": "queued"])
    }
  }

  /// Members of a submission, and what the server then gets.
  static let fields: [(members: String, received: String)] = [
    (#""params": {"q": "x y", "n": 1.50, "b": true, "l": [1, "2"]}"#, "GET /echo?a=1&q=x%20y&n=1.50&b=true&l=1&l=2\n"),
    (#""params": [["a", 2], ["a", false]]"#, "GET /echo?a=1&a=2&a=false\n"),
    (
      #""method": "PUT", "headers": {"X-One": "1", "X-Two": ["2", "3"]}, "body": "grüße""#,
      "PUT /echo?a=1\nX-One: 1\nX-Two: 2\nX-Two: 3\nContent-Type: text/plain; charset=utf-8\ngrüße"
    ),
    (#""headers": [["X-One", "1"], ["x-two", "2"], ["X-One", "3"]]"#, "GET /echo?a=1\nX-One: 1\nx-two: 2\nX-One: 3\n"),
    (#""headers": []"#, "GET /echo?a=1\n"),
    (#""json": {"b": 1, "a": [null, 1.0]}"#, "POST /echo?a=1\nContent-Type: application/json\n{\"b\":1,\"a\":[null,1.0]}"),
    (#""form": {"a b": "c&d"}"#, "POST /echo?a=1\nContent-Type: application/x-www-form-urlencoded\na+b=c%26d"),
    (#""method": "PATCH", "body_base64": "aGk=""#, "PATCH /echo?a=1\nhi"),
    (#""method": "POST", "params": {"p": 1}"#, "POST /echo?a=1\nContent-Type: application/x-www-form-urlencoded\np=1"),
    (
      #""method": null, "params": null, "tag": null, "body": null, "unix_socket": null, "json": null"#,
      "POST /echo?a=1\nContent-Type: application/json\nnull"
    ),
    (#""headers": {"Content-Type": "text/x"}, "body": "b""#, "POST /echo?a=1\nContent-Type: text/x\nb"),
  ]

  @Test func `all fields of a submission reach the server`() async throws {
    try await TestDaemon.with { test in
      for (members, received) in Self.fields {
        _ = try await test.outcome(path: "/echo?a=1", members)
        let handle = try #require(try await test.get("/v1/requests?limit=1").json["requests"]?[0]?["handle"]?.string)
        #expect(try await test.get("/v1/requests/\(handle)/body").text == received)
      }
    }
  }

  @Test func `good and bad lines of a batch are answered in order`() async throws {
    try await TestDaemon.with { test in
      let good = "{\"url\": \"\(test.target.url)/json\", \"delegate\": \"b\"}"
      let answer = try await test.batch([good, "", "{\"url\": 1}", "not json", good, "{\"url\": \"nothing\"}", good])
      #expect(answer.status == 200)
      #expect(answer.headers["Content-Type"] == "application/x-ndjson")
      let lines = answer.lines
      #expect(lines.count == 6)
      #expect(lines.map { $0["handle"] != nil } == [true, false, false, true, false, true])
      #expect(lines[1]["field"]?.string == "/url")
      #expect(lines[1]["line"]?.int == 3)
      #expect(lines[2]["type"]?.string == "urn:errand:problem:malformed_json")
      #expect(lines[2]["line"]?.int == 4)
      #expect(lines[4]["type"]?.string == "urn:errand:problem:invalid_request")
      #expect(lines[4]["line"]?.int == 6)
      let events = try await StreamReader(test, "b").next(3)
      #expect(Set(events.map { $0["handle"]?.string }) == Set([lines[0], lines[3], lines[5]].map { $0["handle"]?.string }))
    }
  }

  @Test func `a long batch is taken in turns, and answered whole and in order`() async throws {
    try await TestDaemon.with { test in
      let lines = (0..<2_345).map { "{\"url\": \"http://127.0.0.1:1/\", \"tag\": \($0 % 1_000 == 999 ? "\"no\"" : "\($0)")}" }
      async let answered = test.batch(lines)
      #expect(try await test.get("/healthz").status == 200)
      let answer = try await answered.lines
      #expect(answer.count == 2_345)
      #expect(answer.compactMap { $0["line"]?.int } == [1_000, 2_000])
      let handles = answer.compactMap { $0["handle"]?.string.flatMap(Int.init) }
      #expect(handles == handles.sorted())
      #expect(handles.count == 2_343)
    }
  }

  @Test func `a batch can't be waited for`() async throws {
    try await TestDaemon.with { test in
      let answer = try await test.call(.post, "/v1/requests?wait=1", "{}", type: "application/x-ndjson")
      #expect(answer.status == 400)
      #expect(answer.json["field"]?.string == "wait")
    }
  }

  @Test func `waiting holds until the outcome`() async throws {
    try await TestDaemon.with { test in
      async let waiting = test.outcome(path: "/held", "\"tag\": 3")
      try await waitUntil("the request") { test.target.heldCount == 1 }
      await test.target.release()
      let event = try await waiting
      #expect(event.type == "finished")
      #expect(event["tag"]?.int == 3)
      #expect(event["data"] == ["held": true])
    }
  }

  @Test func `waiting in vain answers with the state, and the request goes on`() async throws {
    try await TestDaemon.with { test in
      let answer = try await test.post("/v1/requests?wait=0.05", "{\"url\": \"\(test.target.url)/held\"}")
      #expect(answer.status == 202)
      #expect(["queued", "connecting", "sending", "waiting"].contains(answer.json["state"]?.string))
      await test.target.release()
      #expect(try await test.get("/v1/requests/\(answer.handle)?wait=30").json.type == "finished")
    }
  }

  @Test func `a waiting call that goes away does not cancel its request`() async throws {
    try await TestDaemon.with { test in
      let socket = try await TestSocket(.unix(test.daemon.socketPath))
      let body = "{\"url\": \"\(test.target.url)/held\", \"delegate\": \"w\"}"
      await socket.send("POST /v1/requests?wait=60 HTTP/1.1\r\nHost: e\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      try await waitUntil("the request") { test.target.heldCount == 1 }
      await socket.close()
      try await waitUntil("the call's end") { test.daemon.core.openCallCount == 0 }
      await test.target.release()
      #expect(try await StreamReader(test, "w").next(1).first?.type == "finished")
    }
  }

  @Test func `only the daemon's own user may have it connect to a Unix socket`() async throws {
    try await TestDaemon.with { test in
      let core = test.daemon.core
      let stranger = Owner(uid: await core.ownOwner.uid + 1)
      let refusal = await refused(core, "{\"url\": \"http://h/\", \"unix_socket\": \"/run/x.sock\"}", stranger)
      #expect(refusal?.field == "/unix_socket")
      #expect(refusal?.status == 403)
      // This process is the daemon's user: the daemon asks itself.
      let event = try await test.outcome(path: "/healthz", "\"unix_socket\": \"\(test.daemon.socketPath)\"")
      #expect(event["data"] == ["status": "ok"])
    }
  }

  @LoopActor
  private func refused(_ core: DaemonCore, _ body: String, _ owner: Owner) -> Problem? {
    do throws(Problem) {
      guard let json = try? JsonValue.parse(Array(body.utf8)) else { return nil }
      _ = try core.submitAtOnce(try SubmissionReader(rules: core.rules).read(json), for: owner)
      return nil
    } catch {
      return error
    }
  }
}
