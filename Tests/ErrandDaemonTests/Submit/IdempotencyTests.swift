import Errand
import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

/// The same request handed over more than once.
struct IdempotencyTests {
  private func body(_ test: TestDaemon, _ key: String, _ path: String = "/json", _ more: String = "") -> String {
    "{\"url\": \"\(test.target.url)\(path)\", \"idempotency_key\": \"\(key)\"\(more)}"
  }

  @Test(arguments: ["journaled", "volatile"]) func `the same request under a key is taken once, and another one is refused`(
    durability: String
  ) async throws {
    try await TestDaemon.with {
      $0.journal.durability = durability
    } _: { test in
      let first = try await test.submit(body(test, "k"))
      #expect(first.status == 202 && first.json["repeated"] == nil)
      #expect(try await test.get("/v1/requests/\(first.handle)?wait=30").json["type"]?.string == "finished")
      let again = try await test.submit(body(test, "k"))
      #expect(again.status == 202 && again.handle == first.handle)
      #expect(again.json["repeated"]?.bool == true && again.json["state"]?.string == "finished")
      let waited = try await test.post("/v1/requests?wait=30", body(test, "k"))
      #expect(waited.status == 200 && waited.handle == first.handle)
      let reordered = "{\"idempotency_key\":\"k\",   \"url\":\"\(test.target.url)/json\"}"
      #expect(try await test.submit(reordered).handle == first.handle)
      let other = try await test.submit(body(test, "k", "/text"))
      #expect(other.status == 409 && other.json["type"]?.string?.hasSuffix("idempotency_conflict") == true)
      #expect(other.json["detail"]?.string?.contains(first.handle) == true)
      #expect(try await test.submit(body(test, "k2")).handle != first.handle)
      #expect(await test.target.seen.count == 2)
    }
  }

  @Test func `lines of one batch under the same key are one request`() async throws {
    try await TestDaemon.with { test in
      let answers = try await test.batch([body(test, "a"), body(test, "b"), body(test, "a"), body(test, "a", "/text")]).lines
      #expect(answers[0]["handle"] == answers[2]["handle"] && answers[2]["repeated"]?.bool == true)
      #expect(answers[0]["handle"] != answers[1]["handle"])
      #expect(answers[3]["status"]?.int == 409 && answers[3]["line"]?.int == 4)
      _ = try await test.outcome(path: "/json")
      #expect(await test.target.seen.count == 3)
    }
  }

  @Test func `a request that was refused leaves its key free`() async throws {
    try await TestDaemon.with {
      $0.client.maxQueued = 1
      $0.client.maxConnectionsPerHost = 1
    } _: { test in
      _ = try await test.submit(path: "/held")
      try await waitUntil("the first") { test.target.heldCount == 1 }
      _ = try await test.submit(path: "/held")
      #expect(try await test.submit(body(test, "k")).status == 503)
      await test.target.release()
      try await waitUntil("room") { test.daemon.core.store.figures.running == 0 }
      #expect(try await test.submit(body(test, "k", "/text")).status == 202)
    }
  }

  @Test func `keys hold over a restart, for their window, and are bounded`() async throws {
    let directory = try TemporaryDirectory()
    let target = try await TargetServer()
    func run(_ change: (inout DaemonConfiguration) -> Void = { _ in }, _ body: (DaemonCore) async throws -> Void) async throws {
      let daemon = try await TestDaemon.start(in: directory, change)
      try await body(daemon.core)
      await daemon.stop(grace: .zero)
    }
    let json = "{\"url\": \"\(target.url)/json\", \"idempotency_key\": \"k\"}"
    try await run { core in
      let taken = try await submit(core, json)
      #expect(!taken.isRepeated)
    }
    try await run { core in
      let taken = try await submit(core, json)
      #expect(taken.isRepeated && taken.handle.id == 1)
      await expire(core)
      #expect(try await submit(core, json).isRepeated == false)
    }
    try await run {
      $0.limits.idempotencyKeysPerOwner = 1
    } _: { core in
      let problem = await #expect(throws: Problem.self) { try await submit(core, json.replacing("\"k\"", with: "\"l\"")) }
      #expect(problem?.status == 429 && problem?.limit == "idempotency_keys_per_owner")
    }
    await target.close()
  }

  @LoopActor private func expire(_ core: DaemonCore) {
    core.keys.window = .zero
    core.keys.sweep()
    core.keys.window = .seconds(60)
  }

  @LoopActor private func submit(_ core: DaemonCore, _ json: String) async throws -> TakenRequest {
    var submission = try SubmissionReader(rules: core.rules).read(try JsonValue.parse(Array(json.utf8)))
    submission.stored = StoredSubmission(json: Array(json.utf8))
    return try await withCheckedContinuation { continuation in
      core.submit(submission, for: core.ownOwner) { continuation.resume(returning: $0) }
    }.get()
  }
}
