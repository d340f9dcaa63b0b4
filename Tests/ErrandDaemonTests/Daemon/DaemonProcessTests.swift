import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct DaemonProcessTests {
  private func limit(_ daemon: DaemonProcess) async throws -> Int64? {
    let answer = try await daemon.call(.post, "/v1/requests", "{\"url\": \"http://127.0.0.1:1/\", \"meta\": \"0123456789\"}")
    #expect(answer.json["limit"]?.string == "meta_bytes")
    return answer.json["limit_value"]?.int
  }

  @Test func `SIGHUP takes over a good file, and keeps the settings over a bad one`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("c.json5", Array("{limits: {meta_bytes: 5}}".utf8))
    try await DaemonProcess.with(["--config", file], in: directory) { daemon in
      #expect(try await limit(daemon) == 5)
      try directory.write("c.json5", Array("{limits: {meta_bytes: 6}, client: {max_queued: 9}, grace_ms: 7}".utf8))
      daemon.send(SIGHUP)
      #expect(try await daemon.logged("configuration read").hasSuffix("needs_restart=client"))
      #expect(try await limit(daemon) == 6)
      try directory.write("c.json5", Array("{limits: {\n  meta_bytes: 7,\n  meta: 1}}".utf8))
      daemon.send(SIGHUP)
      #expect(try await daemon.logged("configuration kept as it was").contains("c.json5:3: limits.meta is not a known setting"))
      #expect(try await limit(daemon) == 6)
      unlink(file)
      daemon.send(SIGHUP)
      try await daemon.logged("there is no configuration")
      #expect(try await limit(daemon) == 6)
      #expect(await daemon.end(SIGTERM) == 0)
      // The grace is the reloaded one.
      #expect(daemon.log.contains("msg=ending grace_ms=7"))
    }
  }

  @Test func `a first SIGTERM waits for requests under way, and a second one ends at once`() async throws {
    let directory = try TemporaryDirectory()
    let target = try await TargetServer()
    let file = try directory.write("c.json5", Array("{grace_ms: 3600000}".utf8))
    try await DaemonProcess.with(["--config", file], in: directory) { daemon in
      _ = try await daemon.call(.post, "/v1/requests", "{\"url\": \"\(target.url)/held\"}")
      try await waitUntil("the request") { target.heldCount == 1 }
      daemon.send(SIGTERM)
      try await daemon.logged("msg=ending grace_ms=3600000")
      #expect(try await daemon.call(.get, "/v1/requests/1").json["state"]?.string == "waiting")
      #expect(await daemon.end(SIGTERM) == 0)
      #expect(daemon.log.contains("msg=ended"))
      #expect(try StateFile.read(directory.file("state/handles")) == "1\n")
    }
    await target.close()
  }

  @Test func `what is closed of the standard descriptors is not taken by a socket or file`() async throws {
    let directory = try TemporaryDirectory()
    try await DaemonProcess.with(closing: [0, 1, 2], ["--log-level", "debug"], in: directory) { daemon in
      _ = try await daemon.outcome()
      for descriptor in 0...2 {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/\(daemon.pid)/fd/\(descriptor)", &buffer, 64)
        #expect(buffer[..<max(0, count)].map { UInt8(bitPattern: $0) } == Array("/dev/null".utf8))
      }
      #expect(await daemon.end(SIGTERM) == 0)
    }
  }

  @Test func `it ends though its log is a full pipe`() async throws {
    let directory = try TemporaryDirectory()
    let pipe = directory.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    // Both ends, so that it does not break, and so small that the daemon's first lines fill it.
    let descriptor = open(pipe, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    try await DaemonProcess.with(log: pipe, ["--log-level", "debug"], in: directory) { daemon in
      let filler = [UInt8](repeating: 0x78, count: 4_096)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      while write(descriptor, filler, filler.count) > 0 {}
      _ = fcntl(descriptor, F_SETFL, 0)
      _ = try await daemon.outcome()
      #expect(await daemon.end(SIGTERM) == 0)
    }
  }

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
      #expect(try await daemon.call(.get, "/v1/requests/3").json["recovered"]?.bool == true)
      let problem = try await daemon.call(.get, "/v1/requests/4")
      #expect(problem.status == 404)
      #expect(
        problem.json["detail"]?.string
          == "the handle \"4\" is from before this daemon's start: it was not journaled, or its result is no longer kept")
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

  @Test(arguments: [
    (["--listen", "0.0.0.0:8377"], "only loopback is served"), (["--listen", "127.0.0.1:0"], "listen: needs a token"),
    (["--listen", "here"], "is not of the form HOST:PORT"), (["--socket", "/nonexistent/x.sock"], "socket: there is no directory"),
    (["--socket", "/" + String(repeating: "x", count: 107)], "File name too long"), (["--socket", "/etc/passwd"], "is no socket"),
    (["--state-dir", "/etc/passwd/state"], "state_dir: /etc/passwd is no directory"), (["--log-level", "loud"], "--log-level must be"),
  ]) func `--check-config checks what a start would, the command line's part too`(arguments: [String], fault: String) async throws {
    let directory = try TemporaryDirectory()
    let given = ["--check-config", "--socket", directory.file("s"), "--state-dir", directory.file("state")] + arguments
    let ended = try await DaemonProcess.run(given)
    #expect(ended.status == 2)
    #expect(ended.errors.contains(fault), "\(ended.errors)")
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
