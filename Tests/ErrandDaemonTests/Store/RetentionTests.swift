import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct RetentionTests {
  private func known(_ test: TestDaemon) async throws -> [String] {
    (try await test.get("/v1/requests?limit=1000").json["requests"]?.array ?? []).compactMap { $0["handle"]?.string }
  }

  @Test func `the oldest results go first when there are too many`() async throws {
    try await TestDaemon.with {
      $0.results.count = 3
    } _: { test in
      for _ in 0..<5 { _ = try await test.outcome(path: "/json") }
      #expect(try await known(test) == ["5", "4", "3"])
      #expect(try await test.get("/v1/requests/2").status == 404)
      let results = try await test.stats()["results"]
      #expect(results?["kept"]?.int == 3)
      #expect(results?["dropped"]?.int == 2)
    }
  }

  @Test func `acknowledged results go before others`() async throws {
    try await TestDaemon.with {
      $0.results.count = 3
    } _: { test in
      for delegate in ["a", "b", "a"] { _ = try await test.outcome(path: "/json", "\"delegate\": \"\(delegate)\"") }
      _ = try await test.post("/v1/delegates/a/ack", "{\"through\": 2}")
      #expect(try await known(test) == ["3", "2", "1"])
      for _ in 0..<2 { _ = try await test.outcome(path: "/json", "\"delegate\": \"b\"") }
      #expect(try await known(test) == ["5", "4", "2"])
      #expect(try await test.stats()["results"]?["released"]?.int == 2)
      #expect(try await test.stats()["results"]?["dropped"]?.int == 0)
    }
  }

  @Test func `results are bounded by bytes and by age`() async throws {
    try await TestDaemon.with {
      $0.results.bytes = 500_000
    } _: { test in
      for _ in 0..<6 { _ = try await test.outcome(path: "/large") }
      #expect(try await known(test) == ["6", "5"])
      let bytes = try await test.stats()["results"]?["bytes"]?.int ?? 0
      #expect(bytes > 400_000 && bytes <= 500_000)
      await sweepTomorrow(test.daemon.core)
      #expect(try await known(test) == [])
      #expect(try await test.stats()["results"]?["bytes"]?.int == 0)
    }
  }

  @Test func `events are bounded by bytes and by age, and running requests are kept`() async throws {
    try await TestDaemon.with {
      $0.mailbox.bytes = 250_000
    } _: { test in
      _ = try await test.submit(path: "/held")
      for _ in 0..<5 { _ = try await test.outcome(path: "/large", "\"delegate\": \"a\"") }
      let state = try await test.get("/v1/delegates/a").json
      #expect(state["pending"]?.int == 2)
      #expect(state["dropped"]?.int == 3)
      #expect(state["pending_bytes"]?.int ?? 0 <= 250_000)
      await sweepTomorrow(test.daemon.core)
      #expect(try await test.get("/v1/delegates/a").json["dropped"]?.int == 5)
      #expect(try await known(test) == ["1"])
    }
  }

  @Test func `a delegate that nobody has used for long is forgotten, one in use is not`() async throws {
    try await TestDaemon.with { test in
      _ = try await test.submit(path: "/held", "\"delegate\": \"running\"")
      _ = try await test.outcome(path: "/json", "\"delegate\": \"unread\"")
      _ = try await test.outcome(path: "/json", "\"delegate\": \"done\"")
      _ = try await test.post("/v1/delegates/done/ack", "{\"through\": 1}")
      let reader = try await StreamReader(test, "followed")
      _ = try await reader.comment()
      await sweepTomorrow(test.daemon.core)
      let delegates = try await test.get("/v1/delegates").json["delegates"]?.array ?? []
      #expect(delegates.compactMap { $0["name"]?.string } == ["followed", "running", "unread"])
      #expect(try await test.stats()["events"]?["appended"]?.int == 2)
    }
  }

  @LoopActor private func sweepTomorrow(_ core: DaemonCore) { core.store.sweep(.now() + .seconds(100_000)) }

  @Test func `a queue gives back what it was given, in order, however it grows and shrinks`() {
    var queue = FifoQueue<Int>()
    var (next, expected) = (0, 0)
    for round in 0..<3_000 {
      for _ in 0..<(round % 7) {
        queue.append(next)
        next += 1
      }
      for _ in 0..<(round % 5) where !queue.isEmpty {
        #expect(queue.first == expected)
        #expect(queue[queue.count - 1] == next - 1)
        #expect(queue.popFirst() == expected)
        expected += 1
      }
      #expect(queue.count == next - expected)
    }
    #expect(queue[-1] == nil)
    #expect(queue[queue.count] == nil)
  }
}
