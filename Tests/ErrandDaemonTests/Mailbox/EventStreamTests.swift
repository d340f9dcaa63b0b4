import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct EventStreamTests {
  private func run(_ test: TestDaemon, _ count: Int, _ delegate: String, path: String = "/json") async throws {
    let line = "{\"url\": \"\(test.target.url)\(path)\", \"delegate\": \"\(delegate)\"}"
    let answer = try await test.batch(Array(repeating: line, count: count))
    #expect(answer.lines.count == count)
  }

  @Test func `a follower gets what is there and what comes, in the form of an event stream`() async throws {
    try await TestDaemon.with { test in
      try await run(test, 1, "a")
      let reader = try await StreamReader(test, "a")
      let head = try await reader.head()
      #expect(head.hasPrefix("HTTP/1.1 200"))
      #expect(head.lowercased().contains("content-type: text/event-stream\r\n"))
      #expect(head.lowercased().contains("cache-control: no-store\r\n"))
      let frame = try await reader.socket.read(through: "id: 1\nevent: finished\ndata: {\"seq\":1,")
      #expect(frame.contains(": following a after 0\n"))
      _ = try await reader.socket.read(through: "}\n\n")
      try await run(test, 2, "a")
      #expect(try await reader.next(2).map(\.seq) == [2, 3])
    }
  }

  @Test func `several delegates are followed at once, each its own`() async throws {
    try await TestDaemon.with { test in
      let (a, b) = (try await StreamReader(test, "a"), try await StreamReader(test, "b"))
      let second = try await StreamReader(test, "a")
      async let one: Void = run(test, 50, "a")
      async let two: Void = run(test, 50, "b")
      _ = try await (one, two)
      let events = try await a.next(50)
      #expect(events.map(\.seq) == Array(1...50))
      #expect(events.allSatisfy { $0["delegate"]?.string == "a" })
      #expect(try await b.next(50).allSatisfy { $0["delegate"]?.string == "b" })
      #expect(try await second.next(50) == events)
      #expect(try await test.get("/v1/delegates/a").json["followers"]?.int == 2)
    }
  }

  @Test func `a follower that is cut off goes on from its cursor, with nothing lost or doubled`() async throws {
    try await TestDaemon.with { test in
      try await run(test, 20, "a")
      let first = try await StreamReader(test, "a")
      var seen = try await first.next(7).map(\.seq)
      await first.socket.reset()
      try await run(test, 20, "a")
      for _ in 0..<3 {
        let reader = try await StreamReader(test, "a", lastEventID: "\(try #require(seen.last))")
        seen += try await reader.next(11).map(\.seq)
        await reader.close()
      }
      #expect(seen == Array(1...40))
      try await waitUntil("the followers' end") { test.daemon.core.store.figures.followers == 0 }
    }
  }

  @Test func `without a cursor a follower starts after what was acknowledged`() async throws {
    try await TestDaemon.with { test in
      try await run(test, 5, "a")
      #expect(try await StreamReader(test, "a").next(5).map(\.seq) == Array(1...5))
      let state = try await test.post("/v1/delegates/a/ack", "{\"through\": 3}").json
      #expect(state["acked"]?.int == 3)
      #expect(state["pending"]?.int == 2)
      #expect(try await StreamReader(test, "a").next(2).map(\.seq) == [4, 5])
      #expect(try await StreamReader(test, "a", lastEventID: "1").next(2).map(\.seq) == [4, 5])
      #expect(try await StreamReader(test, "a", query: "?after=4").next(1).map(\.seq) == [5])
      #expect(try await StreamReader(test, "a", lastEventID: "4", query: "?after=0").next(1).map(\.seq) == [5])
      // A number from before a restart, when events were counted anew.
      #expect(try await StreamReader(test, "a", lastEventID: "900").next(2).map(\.seq) == [4, 5])
    }
  }

  @Test func `what was dropped is told to those who missed it`() async throws {
    try await TestDaemon.with {
      $0.mailbox.count = 10
    } _: { test in
      for _ in 0..<25 { _ = try await test.outcome(path: "/json", "\"delegate\": \"a\"") }
      let events = try await StreamReader(test, "a").next(11)
      #expect(events[0] == ["type": "dropped", "from": 1, "through": 15, "count": 15])
      #expect(events.dropFirst().map(\.seq) == Array(16...25))
      let resumed = try await StreamReader(test, "a", lastEventID: "12").next(2)
      #expect(resumed[0] == ["type": "dropped", "from": 13, "through": 15, "count": 3])
      #expect(try await StreamReader(test, "a", lastEventID: "15").next(1).map(\.seq) == [16])
      let polled = try await test.get("/v1/delegates/a/events?after=0&limit=2").json
      #expect(polled["events"]?.array?.map(\.type) == ["dropped", "finished"])
      #expect(polled["next"]?.int == 16)
      #expect(try await test.get("/v1/delegates/a").json["dropped"]?.int == 15)
      #expect(try await test.stats()["events"]?["dropped"]?.int == 15)
    }
  }

  @Test func `a follower that never reads is not fed, hurts nobody, and gets all once it reads`() async throws {
    try await TestDaemon.with { test in
      let stuck = try await StreamReader(test, "a")
      _ = try await stuck.head()
      await hang(stuck)
      let good = try await StreamReader(test, "a")
      let count = 60
      try await run(test, count, "a", path: "/large")
      #expect(try await good.next(count).map(\.seq) == Array(1...Int64(count)))
      let sent = await fed(stuck)
      // What the kernel holds, and the high-water mark; 6 MB were produced.
      #expect(sent < 3_000_000)
      await resume(stuck)
      #expect(try await stuck.next(count).map(\.seq) == Array(1...Int64(count)))
    }
  }

  @LoopActor private func hang(_ reader: StreamReader) { reader.socket.isReading = false }
  @LoopActor private func resume(_ reader: StreamReader) { reader.socket.isReading = true }
  @LoopActor private func fed(_ reader: StreamReader) -> Int { reader.socket.receivedCount }

  @Test func `a quiet stream says that it is alive`() async throws {
    try await TestDaemon.with { test in
      await shortenKeepAlive(test.daemon.core)
      let reader = try await StreamReader(test, "a")
      #expect(try await reader.comment() == ": following a after 0")
      #expect(try await reader.comment() == ": keep-alive")
      #expect(try await reader.comment() == ": keep-alive")
    }
  }

  @LoopActor private func shortenKeepAlive(_ core: DaemonCore) { core.limits.keepAlive = .milliseconds(10) }
}
