import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct FinalDeliveryTests {
  /// Events of about 50 kB each, far more in all than the kernel and the server's buffer take.
  private func fill(_ test: TestDaemon, _ count: Int) async throws {
    let meta = String(repeating: "m", count: 50_000)
    for _ in 0..<count { _ = try await test.outcome(path: "/json", "\"delegate\": \"a\", \"meta\": \"\(meta)\"") }
  }

  @Test func `a follower that is behind gets all within the grace`() async throws {
    try await TestDaemon.with { test in
      let reader = try await StreamReader(test, "a")
      _ = try await reader.comment()
      await setReading(reader, false)
      try await fill(test, 60)
      async let stopped: Void = test.daemon.stop(grace: .seconds(30))
      try await waitUntil("the drain") { test.daemon.core.isDraining }
      await setReading(reader, true)
      #expect(try await reader.next(60).map(\.seq) == (1...60).map { $0 })
      #expect(try await reader.socket.readToEnd() == .closed)
      await stopped
    }
  }

  @Test func `a follower that takes nothing is cut when the grace is over, and what it missed is told`() async throws {
    let directory = try TemporaryDirectory()
    let descriptor = open(directory.file("log"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
    defer { close(descriptor) }
    let log = Log(descriptor: descriptor)
    try await TestDaemon.with(log: log) { test in
      let reader = try await StreamReader(test, "a")
      _ = try await reader.comment()
      await setReading(reader, false)
      try await fill(test, 60)
      await test.daemon.stop(grace: .milliseconds(50))
      await setReading(reader, true)
      let end = try await reader.socket.readToEnd()
      let text = await String(decoding: reader.socket.received, as: UTF8.self)
      #expect(end == .reset || !text.hasSuffix("\r\n0\r\n\r\n"))
    }
    log.flush()
    let text = try StateFile.read(directory.file("log")) ?? ""
    #expect(text.contains("level=warning msg=\"events were not delivered\" events="))
    #expect(text.contains("streams_cut=1"))
  }

  @Test func `a second stop ends a delivery at once`() async throws {
    try await TestDaemon.with { test in
      let reader = try await StreamReader(test, "a")
      _ = try await reader.comment()
      await setReading(reader, false)
      try await fill(test, 60)
      async let stopped: Void = test.daemon.stop(grace: .seconds(3_600))
      try await waitUntil("the drain") { test.daemon.core.isDraining }
      await test.daemon.stop(grace: .zero)
      await stopped
    }
  }

  @Test func `a poller that comes back gets page after page`() async throws {
    try await TestDaemon.with { test in
      for _ in 0..<10 { _ = try await test.outcome(path: "/json", "\"delegate\": \"a\"") }
      func page(_ after: Int64) async throws -> [Int64] {
        (try await test.get("/v1/delegates/a/events?after=\(after)&limit=2&wait=5").json["events"]?.array ?? []).map(\.seq)
      }
      #expect(try await page(0) == [1, 2])
      async let stopped: Void = test.daemon.stop(grace: .seconds(30))
      try await waitUntil("the drain") { test.daemon.core.isDraining }
      for after: Int64 in [2, 4, 6, 8] { #expect(try await page(after) == [after + 1, after + 2]) }
      await stopped
    }
  }

  @LoopActor private func setReading(_ reader: StreamReader, _ isReading: Bool) { reader.socket.isReading = isReading }
}
