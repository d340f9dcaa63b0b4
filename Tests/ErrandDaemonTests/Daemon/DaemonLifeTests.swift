import Errand
import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct DaemonLifeTests {
  @Test func `handles go on after a restart and are never given twice`() async throws {
    let directory = try TemporaryDirectory()
    var seen: [UInt64] = []
    for _ in 0..<3 {
      let daemon = try await TestDaemon.start(in: directory)
      seen.append(try await submitted(daemon.core))
      await daemon.stop(grace: .zero)
    }
    #expect(seen == [1, 2, 3])
    #expect(try StateFile.read(directory.file("state/handles")) == "3\n")
  }

  @Test func `what was not given goes back at a clean end, and only then`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("handles")
    let reserve = try HandleReserve(path: path, block: 10)
    #expect(await reserve.covers(1))
    #expect(await reserve.covers(2))
    // A crash here: the block is used up.
    let second = try HandleReserve(path: path, block: 10)
    #expect(second.first == 11)
    #expect(await second.covers(11))
    #expect(try StateFile.read(path) == "20\n")
    await second.giveBack()
    #expect(try StateFile.read(path) == "11\n")
    #expect(await !second.covers(12))
    // A crash while the file was being exchanged.
    try directory.write("handles.new", Array("3".utf8))
    let third = try HandleReserve(path: path, block: 10)
    #expect(third.first == 12)
    #expect(try StateFile.read(path) == "21\n")
    // None given.
    await third.giveBack()
    #expect(try StateFile.read(path) == "11\n")
    // A later call must not write: the directory may be another daemon's by then.
    let fourth = try HandleReserve(path: path, block: 10)
    await third.giveBack()
    #expect(fourth.first == 12)
    #expect(try StateFile.read(path) == "21\n")
  }

  @Test func `what is given back comes after a block that is being reserved`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("handles")
    for given: UInt64 in 1...20 {
      unlink(path)
      let reserve = try HandleReserve(path: path, block: 20)
      #expect(await reserve.covers(given))
      await reserve.giveBack()
      #expect(try StateFile.read(path) == "\(given)\n")
    }
  }

  @Test func `if the disk can't be written at the end, the gap stays and is told`() async throws {
    let directory = try TemporaryDirectory()
    let reserve = try HandleReserve(path: directory.file("handles"), block: 10)
    #expect(mkdir(directory.file("handles.new"), 0o700) == 0)
    let failure = Locked<SystemError?>(nil)
    await watch(reserve) { error in failure.withLock { $0 = error } }
    #expect(await reserve.covers(1))
    await reserve.giveBack()
    #expect(failure.withLock { $0 } != nil)
    #expect(try StateFile.read(directory.file("handles")) == "10\n")
  }

  @Test func `a cursor from before a restart misses nothing`() async throws {
    let directory = try TemporaryDirectory()
    for run in 0..<3 {
      let daemon = try await TestDaemon.start(in: directory)
      for name in ["a", "a", "b"] { _ = try await submitted(daemon.core, name) }
      try await waitUntil("the outcomes") { daemon.core.store.figures.events == 3 }
      #expect(await seqs(daemon.core, "a") == [run * 3 + 1, run * 3 + 2])
      #expect(await seqs(daemon.core, "b") == [run * 3 + 1])
      await daemon.stop(grace: .zero)
    }
  }

  @Test func `a cursor from before a restart misses nothing where requests had more events than one`() async throws {
    let directory = try TemporaryDirectory()
    let target = try await TargetServer()
    var last = 0
    for _ in 0..<3 {
      let daemon = try await TestDaemon.start(in: directory)
      _ = try await submitted(daemon.core, "a", [.started], "\(target.url)/json")
      try await waitUntil("the events") { daemon.core.store.figures.events == 2 }
      let seqs = await seqs(daemon.core, "a")
      #expect(seqs.count == 2 && seqs[0] > last, "\(seqs) after \(last)")
      last = seqs.last ?? 0
      await daemon.stop(grace: .zero)
    }
    await target.close()
  }

  @Test func `the numbers of events are reserved as handles are`() async throws {
    let directory = try TemporaryDirectory()
    let reserve = try HandleReserve(path: directory.file("handles"), block: 10)
    #expect(await reserve.covers(1))
    await reserve.note(event: 9)
    try await waitUntil("the next block") { reserve.limit == 20 }
    await reserve.giveBack()
    #expect(try HandleReserve(path: directory.file("handles"), block: 10).first == 10)
  }

  @LoopActor private func seqs(_ core: DaemonCore, _ name: String) -> [Int] {
    guard let mailbox = core.store.mailbox(DelegateID(owner: core.ownOwner, name: name)) else { return [] }
    return (mailbox.firstSeq...mailbox.lastSeq).map(Int.init)
  }

  @LoopActor private func submitted(
    _ core: DaemonCore, _ delegate: String = "default", _ events: WantedEvents = [], _ url: String = "http://127.0.0.1:1/"
  )
    throws -> UInt64
  {
    var submission = Submission()
    submission.events = events
    submission.delegate = delegate
    submission.request.url = url
    return try core.submitAtOnce(submission, for: core.ownOwner).handle.id
  }

  @Test func `the next block of handles is on disk long before the current one is used up`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("handles")
    let reserve = try HandleReserve(path: path, block: 10)
    #expect(reserve.first == 1)
    #expect(await reserve.covers(5))
    #expect(try StateFile.read(path) == "10\n")
    #expect(await reserve.covers(6))
    try await waitUntil("the next block") { reserve.limit == 20 }
    #expect(try StateFile.read(path) == "20\n")
    #expect(await reserve.covers(20))
  }

  @Test func `no handle is given that is not on disk`() async throws {
    let directory = try TemporaryDirectory()
    let reserve = try HandleReserve(path: directory.file("handles"), block: 10)
    // A directory in the way of the temporary file: as a disk that can't be written.
    #expect(mkdir(directory.file("handles.new"), 0o700) == 0)
    let failures = Locked(0)
    await watch(reserve) { _ in failures.withLock { $0 += 1 } }
    #expect(await reserve.covers(10))
    try await waitUntil("the failure") { failures.withLock { $0 } == 1 }
    // Told once, however often it is tried.
    for _ in 0..<5 {
      #expect(await !reserve.covers(11))
      try await waitUntil("the try") { !reserve.isExtending }
    }
    #expect(rmdir(directory.file("handles.new")) == 0)
    await reserve.retry()
    try await waitUntil("the repair") { reserve.limit == 20 }
    #expect(await reserve.covers(11))
    #expect(await !reserve.isFailing)
    #expect(failures.withLock { $0 } == 1)
  }

  @LoopActor private func watch(_ reserve: HandleReserve, _ body: @escaping @Sendable (SystemError) -> Void) { reserve.onFailure = body }

  @Test func `a broken handle file is not taken for an empty one`() throws {
    let directory = try TemporaryDirectory()
    for text in ["", "12", "x\n", "-5\n", "18446744073709551615\n"] {
      try directory.write("handles", Array(text.utf8))
      #expect(throws: DaemonError.self, "\(text)") { try HandleReserve(path: directory.file("handles")) }
    }
  }

  @Test func `a second daemon on the same state or socket is refused`() async throws {
    let directory = try TemporaryDirectory()
    let first = try await TestDaemon.start(in: directory)
    let state = await #expect(throws: DaemonError.self) { _ = try await TestDaemon.start(in: directory) }
    #expect(state?.description.contains("another errandd (pid \(getpid())) uses the state directory") == true)
    let socket = await #expect(throws: DaemonError.self) {
      _ = try await TestDaemon.start(in: directory) { $0.stateDir = directory.file("other") }
    }
    #expect(socket?.description.contains("another process serves the socket") == true)
    // What can't start takes no numbers.
    #expect(try StateFile.read(directory.file("other/handles")) == "0\n")
    await first.stop(grace: .zero)
    let next = try await TestDaemon.start(in: directory)
    await next.stop(grace: .zero)
    #expect(access(directory.file("errand.sock"), F_OK) != 0)
  }

  @Test func `listening on TCP needs a token of some length`() async throws {
    let directory = try TemporaryDirectory()
    for token in [nil, "short", "fifteen-letters", "sixteen letters  "] {
      await #expect(throws: DaemonError.self) {
        _ = try await TestDaemon.start(in: directory) {
          $0.listen = "127.0.0.1:0"
          $0.token = token
        }
      }
    }
    let file = try directory.write("token", Array("sixteen-letters-\n".utf8))
    let daemon = try await TestDaemon.start(in: directory) {
      $0.listen = "127.0.0.1:0"
      $0.tokenFile = file
    }
    #expect(daemon.listenAddress?.port ?? 0 > 0)
    await daemon.stop(grace: .zero)
  }

  @Test func `the socket has the permission of the settings`() async throws {
    try await TestDaemon.with {
      $0.socketMode = "0620"
    } _: { test in
      var status = stat()
      #expect(lstat(test.daemon.socketPath, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o620)
    }
  }

  @Test func `an ending daemon lets requests end, tells followers, and takes no more`() async throws {
    try await TestDaemon.with { test in
      let reader = try await StreamReader(test, "a")
      _ = try await reader.comment()
      _ = try await test.submit(path: "/held", "\"delegate\": \"a\"")
      try await waitUntil("the request") { test.target.heldCount == 1 }
      let kept = try await TestSocket(.unix(test.daemon.socketPath))
      #expect(try await kept.exchange("GET /readyz HTTP/1.1\r\nHost: e\r\n\r\n").status == 200)
      async let stopped: Void = test.daemon.stop(grace: .seconds(30))
      try await waitUntil("the drain") { test.daemon.core.isDraining }
      let body = "{\"url\": \"http://127.0.0.1:1/\"}"
      let refused = try await kept.exchange("POST /v1/requests HTTP/1.1\r\nHost: e\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      #expect(refused.status == 503)
      #expect(try await kept.exchange("GET /readyz HTTP/1.1\r\nHost: e\r\n\r\n").status == 503)
      await kept.close()
      await test.target.release()
      #expect(try await reader.next(1).first?.type == "finished")
      #expect(try await reader.socket.readToEnd() == .closed)
      await stopped
    }
  }

  @Test func `when the grace is over the rest is cancelled, and told`() async throws {
    try await TestDaemon.with { test in
      let reader = try await StreamReader(test, "a")
      _ = try await reader.comment()
      _ = try await test.submit(path: "/held", "\"delegate\": \"a\", \"durability\": \"volatile\"")
      await test.daemon.stop(grace: .milliseconds(50))
      #expect(try await reader.next(1).first?.type == "cancelled")
    }
  }

  @Test func `what can change while it runs is taken over, and the rest named`() async throws {
    try await TestDaemon.with { test in
      for _ in 0..<4 { _ = try await test.outcome(path: "/json") }
      var new = DaemonConfiguration()
      new.socket = test.daemon.socketPath
      new.stateDir = test.directory.file("state")
      new.results.count = 2
      new.limits.metaBytes = 3
      new.client.maxConnections = 5
      new.envelopes = []
      #expect(await test.daemon.reload(new) == ["client"])
      #expect(try await test.get("/v1/requests").json["requests"]?.array?.count == 2)
      #expect(try await test.submit("{\"url\": \"http://h/\", \"meta\": \"long\"}").json["limit"]?.string == "meta_bytes")
      #expect(try await test.submit("{\"url\": \"http://h/\", \"envelope\": \"status-info\"}").json["field"]?.string == "/envelope")
    }
  }

  @Test func `health, readiness, figures and the page`() async throws {
    try await TestDaemon.with { test in
      #expect(try await test.get("/healthz").json == ["status": "ok"])
      #expect(try await test.get("/readyz").json == ["status": "ready"])
      _ = try await test.outcome(path: "/json")
      let stats = try await test.stats()
      #expect(stats["version"]?.string == Daemon.version)
      #expect(stats["requests"]?["finished"]?.int == 1)
      #expect(stats["connections"]?["opened"]?.int == 1)
      #expect(stats["events"]?["appended"]?.int == 1)
      let page = try await test.get("/")
      #expect(page.headers["Content-Type"] == "text/plain; charset=utf-8")
      #expect(page.text.contains("/v1/requests"))
      let delegates = try await test.get("/v1/delegates").json["delegates"]?.array ?? []
      #expect(delegates.map { $0["name"]?.string } == ["default"])
      #expect(delegates.first?["last_seq"]?.int == 1)
    }
  }
}
