import EventLoop
import Glibc
import HttpServer
import HttpWire
import TestSupport
import Testing

/// The command line with a real daemon and a scripted service.
@LoopActor
@Suite(.timeLimit(.minutes(3))) struct CommandDaemonTests {
  @Test func aRequestGoesThroughTheDaemonAndIsKnownThere() async throws {
    let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await withDaemon([
      "/json": { $1.text("{\"a\" : [1,  2]}", headers: ["Content-Type": "application/json", "X-One": "1"]) },
      "/text": { $1.text("words") },
      "/binary": { $1.respond(status: 200, body: [0xff, 0x00, 0x0a]) },
      "/large": { $1.respond(status: 200, body: bytes) },
      "/echo": { $1.text("\($0.head.method) \($0.head.headers["Content-Type"] ?? "-") \($0.head.headers.values("X-A")) \($0.text)") },
      "/no": { $1.text("gone", status: 404) },
    ]) { daemon, base in
      // Not as the daemon wrote it anew: byte for byte as it came.
      let json = try await daemon.errand("get", "-v", base + "/json")
      #expect(json.text == "{\"a\" : [1,  2]}")
      #expect(json.errors.contains("request 1 of the daemon"))
      let binary = try await daemon.errand("get", base + "/binary")
      #expect(binary.output == [0xff, 0x00, 0x0a])
      let large = try await daemon.errand("get", base + "/large")
      #expect(large.output == bytes)
      let head = try await daemon.errand("get", "-i", base + "/text")
      #expect(head.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(head.text.hasSuffix("\r\n\r\nwords"))
      let echo = try await daemon.errand("put", base + "/echo", "--data-binary", "é\n", "-H", "X-A: 1", "-H", "X-A: 2")
      #expect(echo.text == "PUT application/x-www-form-urlencoded [\"1\", \"2\"] é\n")
      let failing = try await daemon.errand("get", "-f", base + "/no")
      #expect(failing.status == 22)
      #expect(failing.output.isEmpty)
      let plain = try await daemon.errand("get", base + "/no")
      #expect(plain.status == 0)
      #expect(plain.text == "gone")
      let notJson = try await daemon.errand("get", "--expect-json", base + "/text")
      #expect(notJson.status == 65)
      #expect(notJson.text == "words")
      let listed = try await daemon.errand("list", "--json")
      #expect(listed.lines.count == 8)
      let direct = try await daemon.errand("get", "--direct", base + "/text")
      #expect(direct.text == "words")
      let after = try await daemon.errand("list", "--json")
      #expect(after.lines.count == 8)
    }
  }

  @Test func whatIsLargerThanTheDaemonKeepsIsGotInTheProcessItself() async throws {
    let bytes = [UInt8](repeating: 0x61, count: 17 << 20)
    var requests = 0
    try await withDaemon([
      "/large": {
        requests += 1
        $1.respond(status: 200, body: bytes)
      }
    ]) { daemon, base in
      let large = try await daemon.errand("get", base + "/large")
      #expect(large.status == 0)
      #expect(large.output.count == bytes.count)
      #expect(large.errors.contains("larger than the daemon keeps"))
      #expect(requests == 2)
      // What is not safe to repeat is not repeated.
      let posted = try await daemon.errand("post", base + "/large", "-d", "x")
      #expect(posted.status == 1)
      #expect(posted.errors.contains("--direct"))
      #expect(requests == 3)
    }
  }

  @Test func aSubmittedFormHasItsFiles() async throws {
    var body = ""
    try await withDaemon([
      "/upload": {
        body = $0.text
        $1.text("yes")
      }
    ]) { daemon, base in
      let directory = try TemporaryDirectory()
      let file = try directory.write("lamp.csv", Array("a,b".utf8))
      let ended = try await daemon.errand(
        "submit", base + "/upload", "-F", "f=@\(file)", "-F", "g=@\(file);filename=x;type=a/b", "--wait=60")
      #expect(ended.status == 0, "\(ended.errors)")
      #expect(body.contains("name=\"f\"; filename=\"lamp.csv\"\r\nContent-Type: text/csv\r\n\r\na,b\r\n"), "\(body)")
      #expect(body.contains("name=\"g\"; filename=\"x\"\r\nContent-Type: a/b\r\n\r\na,b\r\n"), "\(body)")
    }
  }

  @Test(arguments: ["/wrong", "/right"]) func aFileThatFailedLeavesNothing(path: String) async throws {
    let hash = path == "/wrong" ? String(repeating: "A", count: 43) + "=" : "S/USLzRFVMU73i67jNK349FgCtYxw4Wl18ziPHeFRZo="
    let fields: HttpHeaders = ["Repr-Digest": "sha-256=:\(hash):", "Content-Disposition": "attachment; filename=\"named.bin\""]
    try await withTarget([path: { $1.respond(status: 200, headers: fields, body: [1]) }]) { base in
      for options in ["-O", "-J", "-OJ"] {
        let directory = try TemporaryDirectory()
        let program = try Programs.path("errand")
        let ended = try await Command.run([
          "sh", "-c", "cd '\(directory.path)' && '\(program)' get --direct \(options) \(base + path); ls -A",
        ])
        let expected = path == "/wrong" ? [] : [options == "-O" ? "right" : "named.bin"]
        #expect(ended.text.split(separator: "\n").filter { !$0.hasPrefix("errand:") }.map(String.init) == expected, "\(options)")
      }
    }
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func aSignalCancelsInTheDaemon(_ number: Int32, _ code: Int32) async throws {
    var arrived = false
    try await withDaemon(["/never": { _, _ in arrived = true }]) { daemon, base in
      let program = try daemon.start("get", base + "/never")
      try await waitUntil("the request") { arrived }
      program.send(number)
      // timeout(1) sends it twice: to the process and to its group.
      if number == SIGTERM { program.send(number) }
      let ended = await program.wait()
      #expect(ended.status == code)
      #expect(ended.errors.contains("cancelled 1: the request was sent"))
      let listed = try await daemon.errand("list", "--state", "cancelled")
      #expect(listed.text.contains("/never"))
      // As errand watch does, the list says what had been sent.
      #expect(listed.lines[1].split(separator: " ")[2] == "sent")
    }
  }

  @Test func aBodyThatTheDaemonDoesNotTakeIsSentByTheProcessItself() async throws {
    let directory = try TemporaryDirectory()
    let server = HttpServer()
    server.register(ClosureHandler { $1.text("\($0.body.count)") })
    let base = "http://\(try server.listen(on: .loopback(port: 0)))/"
    // What is not UTF-8 is a third longer in base64.
    let file = try directory.write("data", [UInt8](repeating: 0xff, count: 13 << 20))
    let daemon = try await RunningDaemon()
    let posted = try await daemon.errand("post", base, "--data-binary", "@" + file)
    #expect(posted.status == 0)
    #expect(posted.text == "\(13 << 20)")
    #expect(posted.errors.contains("(limit submit_bytes; ") && posted.errors.contains("): the request is made in this process"))
    let silent = try await daemon.errand("put", "-s", base, "--data-binary", "@" + file)
    #expect(silent.status == 0)
    #expect(silent.errors.isEmpty)
    let submitted = try await daemon.errand("submit", base, "--data-binary", "@" + file)
    #expect(submitted.status == 4)
    #expect(submitted.errors.contains("limit submit_bytes"))
    #expect(submitted.errors.contains("--direct"))
    await daemon.stop()
    await server.close(grace: .zero)
  }

  @Test func delegatesAreListedAndTheirEventsAcknowledged() async throws {
    try await withDaemon(["/yes": { $1.text("yes") }]) { daemon, base in
      #expect(try await daemon.errand("delegates").status == 0)
      for _ in 0..<3 { _ = try await daemon.errand("submit", base + "/yes", "--delegate", "a", "--wait") }
      func row() async throws -> [Substring] {
        let rows = try await daemon.errand("delegates").lines.map { $0.split(separator: " ") }
        return try #require(rows.first { $0.last == "a" })
      }
      #expect(try await daemon.errand("delegates").lines[0].hasPrefix("PENDING"))
      let json = try await daemon.errand("delegates", "--json")
      #expect(json.lines.contains { $0.contains("\"name\":\"a\"") && $0.contains("\"pending\":3") })
      let some = try await daemon.errand("ack", "a", "2")
      #expect(some.status == 0)
      #expect(some.text == "the events of a up to 2 are acknowledged, 1 pending\n")
      #expect(try await row()[0] == "1")
      let beyond = try await daemon.errand("ack", "a", "9")
      #expect(beyond.status == 4)
      let all = try await daemon.errand("ack", "a", "all", "--json")
      #expect(all.text.contains("\"pending\":0"))
      #expect(try await row()[0] == "0")
      let unknown = try await daemon.errand("ack", "nobody", "all")
      #expect(unknown.status == 4)
    }
  }

  @Test func topKeepsTheKeyFiguresInSightOnASmallTerminal() async throws {
    try await withDaemon([:]) { daemon, _ in
      // A terminal that does not know its size: it is taken for one of 80 by 24.
      let script = try RunningProgram(
        ["/usr/bin/script", "-qec", "\(Programs.path("errand")) top --interval 60", "/dev/null"],
        environment: ["ERRAND_SOCKET": daemon.socket])
      var lines: [String] = []
      for await line in script.lines {
        lines.append(line.replacing("\u{1B}[H", with: "").replacing("\u{1B}[K", with: "").replacing("\r", with: ""))
        if line.contains("HANDLE") { break }
      }
      script.send(SIGTERM)
      _ = await script.wait()
      #expect(lines.first?.hasPrefix("requests    in_flight 0  queued 0  ") == true, "\(lines)")
      #expect(lines.dropLast().allSatisfy { $0.count <= 80 && !$0.contains("…") })
      for name in ["body_bytes_received", "reused", "followers", "log_lines_dropped"] {
        #expect(lines.contains { $0.contains(name) }, "\(name)")
      }
    }
  }

  @Test func whatOthersWroteIsPrintedWithoutWhatSteersATerminal() async throws {
    try await withDaemon(["/yes": { $1.text("yes") }]) { daemon, base in
      let key = "one\ntwo\u{202E}three\u{2066}\u{1B}[31m"
      let meta = "{\"a\\nb\": \"c\\nd\u{202A}\"}"
      let ended = try await daemon.errand("submit", base + "/yes", "--delegate", "a", "--key", key, "--meta", meta, "--wait")
      #expect(ended.status == 0)
      let list = try await daemon.errand("list")
      #expect(list.lines.count == 2)
      let watch = try await daemon.errand("watch", "a", "--count", "1")
      #expect(watch.lines.count == 1)
      let show = try await daemon.errand("show", "1")
      #expect(show.lines.contains { $0.hasPrefix("key ") && $0.hasSuffix("three\u{FFFD}\u{FFFD}[31m") })
      #expect(show.lines.contains { $0.hasPrefix("meta.a\u{FFFD}b ") && $0.hasSuffix("c\u{FFFD}d\u{FFFD}") })
      let explain = try await daemon.errand("explain", "1")
      for output in [list, watch, show, explain] {
        #expect(!output.text.unicodeScalars.contains { ["\u{202E}", "\u{2066}", "\u{202A}", "\u{1B}"].contains($0) })
      }
      #expect(list.text.contains("one\u{FFFD}two\u{FFFD}three"))
    }
  }

  @Test func whatIsClosedOfTheStandardDescriptorsIsNotTakenByASocket() async throws {
    try await withDaemon([:]) { daemon, _ in
      let closed = { (descriptors: String) in
        try await Command.run("sh", "-c", "exec \"$0\" \"$@\" \(descriptors)", Programs.path("errand"), "stats", "--socket", daemon.socket)
      }
      // The output must not go to the daemon, as what follows the request.
      #expect(try await closed(">&- 2>&-").status == 1)
      #expect(try await closed("<&- >&- 2>&-").status == 1)
      let text = try await closed("<&- 2>&-")
      #expect(text.status == 0)
      #expect(text.text.contains("version"))
    }
  }

  @Test func delegatesAreFollowedPageAfterPage() async throws {
    try await withDaemon(["/yes": { $1.text("yes") }]) { daemon, base in
      let lines = (0..<1_001).map { "{\"url\": \"\(base)/yes\", \"delegate\": \"d\($0)\"}\n" }.joined()
      let batch = try await daemon.errand(["submit", "--ndjson", "-"], input: lines)
      #expect(batch.status == 0)
      let listed = try await daemon.errand("delegates", "--json")
      #expect(listed.lines.filter { $0.contains("\"name\":\"d") }.count == 1_001)
    }
  }

  @Test func submittedRequestsAreListedShownExplainedAndCancelled() async throws {
    var waiting = 0
    try await withDaemon(["/never": { _, _ in waiting += 1 }]) { daemon, base in
      var handles: [String] = []
      for number in 0..<4 {
        let words = [
          "submit", base + "/never", "--delegate", "a", "--tag", "\(number)", "--key", "k/\(number)", "--meta", "{\"n\":\(number)}",
        ]
        handles.append(try await daemon.errand(words).lines[0])
      }
      try await waitUntil("the requests") { waiting == 4 }
      let list = try await daemon.errand("list", "--delegate", "a", "--key-prefix", "k/", "--state", "waiting")
      #expect(list.lines.count == 5)
      #expect(list.lines[0].contains("HANDLE"))
      let one = try await daemon.errand("list", "--tag", "2", "--json")
      #expect(one.lines.count == 1)
      #expect(one.text.contains("\"key\":\"k/2\""))
      let page = try await daemon.errand("list", "--limit", "3", "--json")
      #expect(page.lines.count == 3)
      #expect(page.errors.contains("--cursor"))
      let all = try await daemon.errand("list", "--limit", "3", "--all", "--json")
      #expect(all.lines.count == 4)

      let shown = try await daemon.errand("show", handles[0])
      for word in ["waiting", base + "/never", "TIME", "connected"] { #expect(shown.text.contains(word), "\(word)") }
      let explained = try await daemon.errand("explain", handles[0])
      #expect(explained.text.contains("connected"))
      let sentence = try await daemon.errand("explain", handles[0], "--json")
      #expect(sentence.text.contains("\"explanation\":\""))
      let unknown = try await daemon.errand("show", "999999")
      #expect(unknown.status == 5)
      let noBody = try await daemon.errand("show", handles[0], "--body")
      #expect(noBody.status == 4)

      let top = try await daemon.errand("top", "--once")
      #expect(top.text.contains("/never"))
      let figures = try await daemon.errand("stats", "--json")
      #expect(figures.text.contains("\"in_flight\":4"))

      let first = try await daemon.errand("cancel", handles[0], "999999", "--json")
      #expect(first.status == 5)
      #expect(first.lines.count == 1)
      #expect(first.text.contains("\"result\":\"cancelled\",\"sent\":\"sent\""))
      let again = try await daemon.errand("cancel", handles[0])
      #expect(again.status == 0)
      #expect(again.text.contains("already finished"))
      let scope = try await daemon.errand("cancel", "--delegate", "a", "--key-prefix", "k/", "--json")
      #expect(scope.lines.count == 3)
      let rest = try await daemon.errand("cancel", "--all")
      #expect(rest.status == 0)
      #expect(rest.errors.contains("nothing matched"))

      let watched = try await daemon.errand("watch", "a", "--count", "4", "--json")
      #expect(watched.lines.count == 4)
      #expect(watched.lines.allSatisfy { $0.contains("\"type\":\"cancelled\"") })
    }
  }

  @Test func waitingPrintsTheOutcomeAndItsExitCode() async throws {
    try await withDaemon([
      "/yes": { $1.text("{\"n\":1}", headers: ["Content-Type": "application/json"]) }, "/no": { $1.text("", status: 503) },
      "/never": { _, _ in },
    ]) { daemon, base in
      let yes = try await daemon.errand("submit", base + "/yes", "--wait", "--meta", "[1]")
      #expect(yes.status == 0)
      #expect(yes.text.contains("\"data\":{\"n\":1}"))
      #expect(yes.text.contains("\"meta\":[1]"))
      let no = try await daemon.errand("submit", base + "/no", "--wait=20")
      #expect(no.status == 22)
      #expect(no.text.contains("\"code\":\"http_status\""))
      let judged = try await daemon.errand("get", "--expect-json", base + "/no")
      #expect(judged.status == 22)
      let never = try await daemon.errand("submit", base + "/never", "--wait=0.02")
      #expect(never.status == 28)
      #expect(never.errors.contains("the request goes on"))
      let running = try await daemon.errand("list", "--state", "running", "--json")
      #expect(running.lines.count == 1)
    }
  }

  @Test func ndjsonIsAnsweredLineByLineAndWatchTellsTheOutcomes() async throws {
    try await withDaemon(["/yes": { $1.text("yes") }]) { daemon, base in
      let program = try daemon.start("watch", "many", "--count", "50")
      let lines = (0..<50).map { "{\"url\":\"\(base)/yes\",\"delegate\":\"many\",\"tag\":\($0)}\n" }.joined()
      let submitted = try await daemon.errand(["submit", "--ndjson", "-"], input: lines + "{\"uri\":1}\n")
      #expect(submitted.status == 4)
      #expect(submitted.lines.count == 51)
      #expect(submitted.lines[0].contains("\"handle\":\"1\""))
      #expect(submitted.lines[50].contains("uri"))
      let watched = await program.wait()
      #expect(watched.status == 0)
      #expect(watched.lines.count == 50)
      for tag in 0..<50 { #expect(watched.lines.contains { $0.contains("tag=\(tag) ") }) }
    }
  }

  @Test func furtherEventsAreAskedForAndWatched() async throws {
    try await withDaemon([
      "/from": { $1.text("", status: 302, headers: ["Location": "/to"]) }, "/to": { $1.text("there") },
    ]) { daemon, base in
      let submitted = try await daemon.errand(
        "submit", base + "/from", "--delegate", "a", "--tag", "7", "--location", "--events", "started,redirected,progress", "--wait")
      #expect(submitted.status == 0 && submitted.text.contains("\"type\":\"finished\""))
      let json = try await daemon.errand("watch", "a", "--count", "3", "--json")
      #expect(json.lines.count == 3)
      for (line, type) in zip(json.lines, ["started", "redirected", "finished"]) { #expect(line.contains("\"type\":\"\(type)\"")) }
      let words = try await daemon.errand("watch", "a", "--count", "3")
      #expect(words.lines[0].contains("started") && words.lines[0].contains("tag=7"))
      #expect(words.lines[1].contains("redirected") && words.lines[1].contains("302"))
      #expect(words.lines[1].contains("\(base)/from -> GET \(base)/to"))
      let unknown = try await daemon.errand("submit", base + "/to", "--events", "begun")
      #expect(unknown.status == 4 && unknown.errors.contains("/events/0 must be one of started, redirected, progress"))
    }
  }

  @Test func watchGoesOnWhenTheDaemonComesBack() async throws {
    try await withDaemon(["/yes": { $1.text("yes") }]) { daemon, base in
      let program = try daemon.start("watch", "a", "--json", "--count", "2")
      var lines = program.lines.makeAsyncIterator()
      _ = try await daemon.errand("submit", base + "/yes", "--delegate", "a")
      #expect(await lines.next()?.contains("\"seq\":1") == true)
      try await daemon.restart()
      // Events that are kept in memory are numbered anew: one that comes before the follower is back must not pass for one it has seen.
      _ = try await daemon.errand("submit", base + "/yes", "--delegate", "a")
      #expect(await lines.next()?.contains("\"type\":\"finished\"") == true)
      let ended = await program.wait()
      #expect(ended.status == 0)
      #expect(ended.errors.contains("connecting again, after event 1"))
      #expect(ended.errors.contains("the daemon was started anew"))
      #expect(ended.errors.contains("connected again"))
    }
  }

  @Test func aRefusalOfTheDaemonNamesTheFieldAndIs4() async throws {
    try await withDaemon([:]) { daemon, base in
      let refused = try await daemon.errand("submit", base + "/", "--delegate", "no spaces")
      #expect(refused.status == 4)
      #expect(refused.errors.contains("/delegate"))
      let envelope = try await daemon.errand("get", base + "/", "--envelope", "none-such")
      #expect(envelope.status == 4)
      #expect(envelope.errors.contains("/envelope"))
      let state = try await daemon.errand("list", "--state", "nonsense")
      #expect(state.status == 4)
      #expect(state.errors.contains("state must be one of"))
    }
  }

  /// A daemon with a socket and a state directory of its own, and a scripted service.
  private func withDaemon(
    _ routes: [String: @LoopActor (ServerRequest, Responder) -> Void], _ body: @LoopActor (RunningDaemon, String) async throws -> Void
  ) async throws {
    try await withTarget(routes) { base in
      let daemon = try await RunningDaemon()
      do {
        try await body(daemon, base)
      } catch {
        await daemon.stop()
        throw error
      }
      await daemon.stop()
    }
  }
}
