import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct LongPollTests {
  private func events(_ test: TestDaemon, _ query: String) async throws -> (seqs: [Int64], next: Int64?) {
    let json = try await test.get("/v1/delegates/a/events\(query)").json
    return ((json["events"]?.array ?? []).map(\.seq), json["next"]?.int)
  }

  @Test func `a poll gives what is there, by cursor and limit`() async throws {
    try await TestDaemon.with { test in
      for _ in 0..<5 { _ = try await test.outcome(path: "/json", "\"delegate\": \"a\"") }
      #expect(try await events(test, "") == ([1, 2, 3, 4, 5], 5))
      #expect(try await events(test, "?after=2&limit=2") == ([3, 4], 4))
      #expect(try await events(test, "?after=5") == ([], 5))
      _ = try await test.post("/v1/delegates/a/ack", "{\"through\": 4}")
      #expect(try await events(test, "") == ([5], 5))
      #expect(try await events(test, "?after=1") == ([5], 5))
    }
  }

  @Test func `a cursor that was never given starts after what was acknowledged`() async throws {
    try await TestDaemon.with { test in
      for _ in 0..<3 { _ = try await test.outcome(path: "/json", "\"delegate\": \"a\"") }
      _ = try await test.post("/v1/delegates/a/ack", "{\"through\": 1}")
      #expect(try await events(test, "?after=4") == ([2, 3], 3))
      #expect(try await events(test, "?after=18446744073709551615") == ([2, 3], 3))
    }
  }

  @Test func `a poll waits for the next event, or until its time is up`() async throws {
    try await TestDaemon.with { test in
      #expect(try await events(test, "?wait=0.02") == ([], 0))
      async let polled = events(test, "?wait=30")
      try await waitUntil("the poll") { test.daemon.core.openCallCount == 1 }
      _ = try await test.submit(path: "/json", "\"delegate\": \"a\"")
      #expect(try await polled == ([1], 1))
      try await waitUntil("the poll's end") { test.daemon.core.openCallCount == 0 }
    }
  }

  @Test func `a poll whose caller goes away is forgotten`() async throws {
    try await TestDaemon.with { test in
      let socket = try await TestSocket(.unix(test.daemon.socketPath))
      await socket.send("GET /v1/delegates/a/events?wait=60 HTTP/1.1\r\nHost: e\r\n\r\n")
      try await waitUntil("the poll") { test.daemon.core.openCallCount == 1 }
      await socket.close()
      try await waitUntil("the poll's end") { test.daemon.core.openCallCount == 0 }
    }
  }
}
