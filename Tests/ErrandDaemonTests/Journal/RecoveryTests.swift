import Errand
import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

/// What a daemon leaves, and what the next one makes of it.
struct RecoveryTests {
  /// Runs `body` with a daemon in a directory, and kills it.
  private func killed(_ directory: TemporaryDirectory, _ arguments: [String] = [], _ body: (DaemonProcess) async throws -> Void)
    async throws
  {
    try await DaemonProcess.with(arguments, in: directory) { daemon in
      try await body(daemon)
      #expect(await daemon.end(SIGKILL) == -SIGKILL)
    }
  }

  private func submit(_ daemon: DaemonProcess, _ target: TargetServer, _ path: String, _ more: String = "") async throws -> String {
    let answer = try await daemon.call(.post, "/v1/requests", "{\"url\": \"\(target.url)\(path)\", \"delegate\": \"a\"\(more)}")
    #expect(answer.status == 202)
    return answer.json["handle"]?.string ?? ""
  }

  private func events(_ daemon: DaemonProcess, after: Int64 = 0, wait: Int = 30) async throws -> [JsonValue] {
    try await daemon.call(.get, "/v1/delegates/a/events?after=\(after)&wait=\(wait)").json["events"]?.array ?? []
  }

  @Test func `after a kill what may be repeated runs again, and what may not is unknown and is not sent twice`() async throws {
    let directory = try TemporaryDirectory()
    let target = try await TargetServer()
    var handles: [String] = []
    try await killed(directory) { daemon in
      handles.append(try await submit(daemon, target, "/held", ", \"tag\": 1"))
      handles.append(try await submit(daemon, target, "/held", ", \"method\": \"POST\", \"tag\": 2, \"key\": \"k\""))
      handles.append(
        try await submit(daemon, target, "/held", ", \"method\": \"POST\", \"tag\": 3, \"headers\": {\"Idempotency-Key\": \"i\"}"))
      try await waitUntil("the requests") { target.heldCount == 3 }
      // Killed with its requests' delegate not told of anything yet.
      #expect(try await events(daemon, wait: 0).isEmpty)
    }
    try await killed(directory) { daemon in
      try await waitUntil("those sent again") { target.heldCount == 5 }
      let shown = try await daemon.call(.get, "/v1/requests/\(handles[0])").json
      #expect(shown["recovered"]?.bool == true && shown["durability"]?.string == "journaled" && shown["state"]?.string == "waiting")
      await target.release()
      var found: [Int64: JsonValue] = [:]
      var cursor: Int64 = 0
      while found.count < 3 {
        for event in try await events(daemon, after: cursor) {
          found[event["tag"]?.int ?? 0] = event
          cursor = event.seq
        }
      }
      #expect(found[1]?["type"]?.string == "finished" && found[3]?["type"]?.string == "finished")
      #expect(found[2]?["type"]?.string == "failed" && found[2]?["error"]?["code"]?.string == "unknown")
      #expect(found[2]?["error"]?["sent"]?.string == "maybe_sent" && found[2]?["handle"]?.string == handles[1])
      #expect(found[2]?["key"]?.string == "k" && found[2]?["url"]?.string == "\(target.url)/held")
      #expect(await target.seen.count == 5)
    }
    // And once told it is not told again, though nothing was acknowledged.
    try await killed(directory) { daemon in
      let all = try await events(daemon)
      #expect(all.count == 3)
      #expect(try await daemon.call(.post, "/v1/delegates/a/ack", "{\"through\": \(all.last?.seq ?? 0)}").status == 200)
    }
    try await killed(directory) { daemon in
      let left = try await events(daemon, wait: 0)
      #expect(left.isEmpty)
      #expect(try await daemon.call(.get, "/v1/delegates/a").json["pending"]?.int == 0)
    }
    await target.close()
  }

  @Test func `a request that still waits for its turn at a kill runs, whatever its method`() async throws {
    let directory = try TemporaryDirectory()
    let target = try await TargetServer()
    let file = try directory.write("c.json5", Array("{client: {max_connections_per_host: 1}}".utf8))
    try await killed(directory, ["--config", file]) { daemon in
      _ = try await submit(daemon, target, "/held")
      try await waitUntil("the first") { target.heldCount == 1 }
      _ = try await submit(daemon, target, "/second", ", \"method\": \"POST\"")
      #expect(await target.seen == ["/held"])
    }
    await target.release()
    try await killed(directory, ["--config", file]) { daemon in
      try await waitUntil("both") { target.seen == ["/held", "/held", "/second"] }
      #expect(try await daemon.call(.get, "/v1/requests/2?wait=30").json["type"]?.string == "finished")
    }
    await target.close()
  }

  @Test func `results and their bodies are there after a kill, and volatile ones are not`() async throws {
    let directory = try TemporaryDirectory()
    let target = try await TargetServer()
    let file = try directory.write("c.json5", Array("{limits: {event_body_bytes: 1000}, journal: {inline_bytes: 2000}}".utf8))
    try await killed(directory, ["--config", file]) { daemon in
      for path in ["/large", "/text", "/missing"] {
        _ = try await submit(daemon, target, path, ", \"meta\": {\"a\": [1]}, \"events\": [\"started\"]")
      }
      _ = try await submit(daemon, target, "/text", ", \"durability\": \"volatile\"")
      for number in 1...4 { #expect(try await daemon.call(.get, "/v1/requests/\(number)?wait=30").status == 200) }
      #expect(try await daemon.call(.get, "/v1/requests/4").json["durability"]?.string == "volatile")
    }
    try await killed(directory, ["--config", file]) { daemon in
      #expect(try await daemon.raw("/v1/requests/1/body") == [UInt8](repeating: 0x61, count: 100_000))
      #expect(try await daemon.raw("/v1/requests/2/body") == Array("grüße\n\"quoted\"".utf8))
      let shown = try await daemon.call(.get, "/v1/requests/3").json
      #expect(shown["state"]?.string == "failed" && shown["error"]?.string == "http_status" && shown["status"]?.int == 404)
      #expect(shown["meta"]?["a"]?[0]?.int == 1 && shown["event"]?["type"]?.string == "failed" && shown["attempts"]?.int == 1)
      let steps = shown["timeline"]?.array?.compactMap { $0["event"]?.string } ?? []
      #expect(steps.first == "queued" && steps.contains("sent") && steps.last == "failed")
      #expect(try await daemon.call(.get, "/v1/requests/4").status == 404)
      let types = try await events(daemon).compactMap { $0["type"]?.string }
      #expect(types.sorted() == ["failed", "finished", "finished", "started", "started", "started"])
    }
    await target.close()
  }

  @Test func `what was cancelled stays cancelled, and a daemon that ends in peace leaves the rest to the next`() async throws {
    let directory = try TemporaryDirectory()
    let target = try await TargetServer()
    var config = DaemonConfiguration()
    config.log.level = "error"
    var daemon = try await TestDaemon.start(in: directory)
    func call(_ method: HttpMethod, _ path: String, _ body: String? = nil) async throws -> JsonValue {
      var request = HttpRequest("http://errand" + path, method: method)
      if let body { request.body = .json(Array(body.utf8)) }
      request.unixSocket = daemon.socketPath
      request.acceptStatus = Array(400...599)
      return try JsonValue.parse(try await HttpClient.shared.send(request).body)
    }
    for method in ["GET", "GET", "POST"] {
      _ = try await call(.post, "/v1/requests", "{\"url\": \"\(target.url)/held\", \"method\": \"\(method)\", \"delegate\": \"a\"}")
    }
    try await waitUntil("the requests") { target.heldCount == 3 }
    #expect(try await call(.delete, "/v1/requests/1")["result"]?.string == "cancelled")
    await daemon.stop(grace: .zero)
    daemon = try await TestDaemon.start(in: directory)
    // The second was cut off and may be repeated; the third was cut off and may not: it has ended.
    try await waitUntil("the one sent again") { target.heldCount == 4 }
    let ended = try await call(.get, "/v1/delegates/a/events?after=0&wait=30")["events"]?.array ?? []
    #expect(ended.compactMap { $0["handle"]?.string } == ["1", "3"])
    #expect(ended.compactMap { $0["type"]?.string } == ["cancelled", "cancelled"])
    #expect(ended.last?["receipt"]?["sent"]?.string == "sent")
    await target.release()
    #expect(try await call(.get, "/v1/requests/2?wait=30")["type"]?.string == "finished")
    await daemon.stop(grace: .zero)
    await target.close()
  }

  @Test func `a request that today's settings refuse ends with the reason`() async throws {
    let directory = try TemporaryDirectory()
    let target = try await TargetServer()
    let envelope = "{envelopes: [{name: \"mine\", success_pointer: \"/code\", success_values: [\"0\"]}]}"
    let file = try directory.write("c.json5", Array(envelope.utf8))
    try await killed(directory, ["--config", file]) { daemon in
      _ = try await submit(daemon, target, "/held", ", \"envelope\": \"mine\"")
    }
    try await killed(directory) { daemon in
      let event = try #require(try await events(daemon).first)
      #expect(event["type"]?.string == "failed" && event["error"]?["code"]?.string == "invalid_request")
      #expect(event["error"]?["message"]?.string?.contains("/envelope names no profile") == true)
    }
    await target.close()
  }

  @Test func `a damaged journal refuses what it would have to keep, serves the rest, says so and stays as it is`() async throws {
    let directory = try TemporaryDirectory()
    let target = try await TargetServer()
    try await killed(directory) { daemon in _ = try await daemon.outcome() }
    let garbage = [UInt8](repeating: 0x5A, count: 20_000)
    try directory.write("state/journal.db", garbage)
    unlink(directory.file("state/journal.db-wal"))
    try await killed(directory) { daemon in
      let refused = try await daemon.call(.post, "/v1/requests", "{\"url\": \"\(target.url)/json\"}")
      #expect(refused.status == 503 && refused.json["type"]?.string?.hasSuffix("journal_unavailable") == true)
      #expect(refused.json["detail"]?.string?.contains("journal.db") == true)
      let ready = try await daemon.call(.get, "/readyz")
      #expect(ready.status == 503 && ready.json["status"]?.string == "journal_unavailable")
      #expect(try await daemon.call(.get, "/healthz").status == 200)
      let served = try await daemon.call(.post, "/v1/requests?wait=30", "{\"url\": \"\(target.url)/json\", \"durability\": \"volatile\"}")
      #expect(served.json["type"]?.string == "finished")
      #expect(try await daemon.call(.get, "/v1/stats").json["journal"]?["state"]?.string == "damaged")
      try await daemon.logged("the journal is damaged")
    }
    #expect(try WholeFile.read(directory.file("state/journal.db"), limit: 100_000) == garbage)
    await target.close()
  }

  @Test func `a disk that takes nothing refuses new requests, tells outcomes, and loses none that was taken`() async throws {
    let directory = try TemporaryDirectory()
    let target = try await TargetServer()
    try await killed(directory) { daemon in
      let held = try await submit(daemon, target, "/held")
      try await waitUntil("the request") { target.heldCount == 1 }
      // From now on no file may grow, until it may again.
      #expect(try await Command.run(["prlimit", "--pid", "\(daemon.pid)", "--fsize=0:unlimited"]).status == 0)
      let refused = try await daemon.call(.post, "/v1/requests", "{\"url\": \"\(target.url)/json\", \"delegate\": \"b\"}")
      #expect(refused.status == 503 && refused.json["type"]?.string?.hasSuffix("journal_unavailable") == true)
      let batch = try await daemon.lines(
        "/v1/requests", ["{\"url\": \"\(target.url)/json\"}", "{\"url\": \"\(target.url)/text\", \"durability\": \"volatile\"}"])
      #expect(batch.map { $0["status"]?.int } == [503, nil] && batch.last?["state"]?.string == "queued")
      #expect(try await daemon.call(.get, "/readyz").status == 503)
      let served = try await daemon.call(.post, "/v1/requests?wait=30", "{\"url\": \"\(target.url)/json\", \"durability\": \"volatile\"}")
      #expect(served.json["type"]?.string == "finished")
      await target.release()
      #expect(try await events(daemon).compactMap { $0["handle"]?.string } == [held])
      #expect(try await daemon.call(.get, "/v1/stats").json["journal"]?["state"]?.string == "failing")
      #expect(try await Command.run(["prlimit", "--pid", "\(daemon.pid)", "--fsize=unlimited:unlimited"]).status == 0)
      try await daemon.logged("the journal can be written again")
      #expect(try await daemon.call(.get, "/readyz").status == 200)
      #expect(
        try await daemon.call(.get, "/v1/requests/\(try await submit(daemon, target, "/json"))?wait=30").json["type"]?.string == "finished")
    }
    try await killed(directory) { daemon in
      let all = try await events(daemon)
      #expect(all.count == 2)
      #expect(try await daemon.call(.get, "/v1/delegates/b/events").json["events"]?.array?.isEmpty == true)
    }
    await target.close()
  }

  @Test func `a full journal refuses with its limit's name, and takes requests again when there is room`() async throws {
    try await TestDaemon.with {
      $0.journal.maxBytes = 1 << 20
    } _: { test in
      let meta = String(repeating: "m", count: 50_000)
      var refused: TestDaemon.Answer?
      for _ in 0..<60 where refused == nil {
        let answer = try await test.submit("{\"url\": \"\(test.target.url)/json\", \"delegate\": \"a\", \"meta\": \"\(meta)\"}")
        if answer.status != 202 { refused = answer }
      }
      #expect(refused?.status == 503)
      #expect(refused?.json["type"]?.string?.hasSuffix("journal_full") == true && refused?.json["limit"]?.string == "journal.max_bytes")
      #expect(try await test.get("/readyz").json["status"]?.string == "journal_full")
      try await waitUntil("the outcomes") { test.daemon.core.store.figures.running == 0 }
      let last = try await test.get("/v1/delegates/a").json["last_seq"]?.int ?? 0
      #expect(try await test.post("/v1/delegates/a/ack", "{\"through\": \(last)}").status == 200)
      #expect(try await test.submit("{\"url\": \"\(test.target.url)/json\"}").status == 202)
    }
  }

  @Test func `without a journal requests are volatile, and one that must not be is refused`() async throws {
    try await TestDaemon.with {
      $0.journal.enabled = false
    } _: { test in
      #expect(try await test.outcome(path: "/json")["type"]?.string == "finished")
      let refused = try await test.submit("{\"url\": \"\(test.target.url)/json\", \"durability\": \"journaled\"}")
      #expect(refused.status == 503 && refused.text.contains("journal.enabled"))
      #expect(try await test.get("/readyz").status == 200)
      var status = stat()
      #expect(stat(test.directory.file("state/journal.db"), &status) != 0)
      #expect(try await test.submit("{\"url\": \"http://e/\", \"durability\": \"maybe\"}").status == 400)
    }
  }
}
