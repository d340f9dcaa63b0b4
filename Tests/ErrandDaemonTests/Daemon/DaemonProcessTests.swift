import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct DaemonProcessTests {
  @Test func `numbers go on after a clean end, and leave a gap after a kill`() async throws {
    let directory = try TemporaryDirectory()
    func run(_ ending: Int32, _ body: (DaemonProcess) async throws -> Void) async throws {
      try await DaemonProcess.with(in: directory) { daemon in
        try await body(daemon)
        #expect(await daemon.end(ending) == (ending == SIGTERM ? 0 : -ending))
      }
    }
    func check(_ daemon: DaemonProcess, _ number: Int64) async throws {
      let event = try await daemon.outcome()
      #expect(event["handle"]?.string == String(number))
      #expect(event.seq == number)
    }
    try await run(SIGTERM) { try await check($0, 1) }
    try await run(SIGTERM) { try await check($0, 2) }
    try await run(SIGTERM) { _ in }
    try await run(SIGKILL) { daemon in
      try await check(daemon, 3)
      // As a daemon leaves it that is killed while it writes.
      try directory.write("state/handles.new", Array("1".utf8))
    }
    try await run(SIGTERM) { daemon in
      try await check(daemon, 1_000_003)
      let problem = try await daemon.call(.get, "/v1/requests/3")
      #expect(problem.status == 404)
      #expect(
        problem.json["detail"]?.string == "the handle \"3\" is from before this daemon's start; this version keeps requests in memory")
      #expect(try await daemon.call(.get, "/v1/requests/1000004").json["detail"]?.string?.hasPrefix("no request") == true)
    }
    try await run(SIGTERM) { try await check($0, 1_000_004) }
  }

  @Test func `the debug log has each request's start and outcome`() async throws {
    let directory = try TemporaryDirectory()
    let target = try await TargetServer()
    try await DaemonProcess.with(["--log-level", "debug"], in: directory) { daemon in
      _ = try await daemon.outcome(", \"delegate\": \"d\"")
      _ = try await daemon.call(.post, "/v1/requests?wait=30", "{\"url\": \"\(target.url)/busy\"}")
      _ = try await daemon.call(.post, "/v1/requests", "{\"url\": \"\(target.url)/held\"}")
      _ = try await daemon.call(.delete, "/v1/requests/3")
      #expect(
        try await daemon.logged("msg=ended handle=1").contains("delegate=d type=failed error=connect sent=not_sent attempts=1 total_us="))
      #expect(
        try await daemon.logged("msg=ended handle=2").contains("type=failed status=503 error=http_status sent=sent attempts=1 total_us="))
      #expect(try await daemon.logged("msg=ended handle=3").contains("type=cancelled sent="))
    }
    await target.close()
  }

  @Test func `--check-config finds no fault where there is none, and makes nothing`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("c.json5", Array("{token: '0123456789abcdef'}".utf8))
    let ended = try await DaemonProcess.run([
      "--check-config", "--config", file, "--socket", directory.file("s"), "--state-dir", directory.file("state/deep"), "--listen",
      "localhost:0",
    ])
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(access(directory.file("state"), F_OK) != 0)
    #expect(access(directory.file("s"), F_OK) != 0)
  }
}
