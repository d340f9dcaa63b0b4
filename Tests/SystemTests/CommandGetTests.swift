import EventLoop
import Glibc
import HttpServer
import HttpWire
import TestSupport
import Testing

/// `errand get` and its kin on the library in the process itself.
@LoopActor
@Suite(.timeLimit(.minutes(2))) struct CommandGetTests {
  @Test func theBodyIsPrintedByteForByte() async throws {
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await withTarget(["/b": { $1.respond(status: 200, body: bytes) }]) { base in
      let ended = try await errand("get", "--direct", base + "/b")
      #expect(ended.status == 0)
      #expect(ended.output == bytes)
      #expect(ended.errors.isEmpty)
    }
  }

  @Test func aPieceOfTheBodyIsPrintedWhenItComes() async throws {
    var responder: Responder?
    try await withTarget([
      "/s": {
        responder = $1
        $1.startStream(status: 200)
        $1.write(Array("one\n".utf8))
      }
    ]) { base in
      let program = try RunningProgram([Programs.path("errand"), "get", "--direct", base + "/s"])
      var lines = program.lines.makeAsyncIterator()
      #expect(await lines.next() == "one")
      responder?.write(Array("two\n".utf8))
      #expect(await lines.next() == "two")
      responder?.finish()
      #expect(await program.wait().status == 0)
    }
  }

  @Test func aFailingStatusPrintsItsBodyAndWithFailItDoesNot() async throws {
    try await withTarget(["/no": { $1.text("gone", status: 404) }]) { base in
      let plain = try await errand("get", "--direct", base + "/no")
      #expect(plain.status == 0)
      #expect(plain.text == "gone")
      let failing = try await errand("get", "--direct", "-f", base + "/no")
      #expect(failing.status == 22)
      #expect(failing.output.isEmpty)
      #expect(failing.errors.contains("404"))
      let silent = try await errand("get", "--direct", "-sf", base + "/no")
      #expect(silent.status == 22)
      #expect(silent.errors.isEmpty)
    }
  }

  @Test func includeWritesTheHeadAndHeadWritesNothingElse() async throws {
    try await withTarget(["/h": { $1.text("body", headers: ["X-One": "1"]) }]) { base in
      let included = try await errand("get", "--direct", "-i", base + "/h")
      #expect(included.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(included.text.contains("X-One: 1\r\n"))
      #expect(included.text.hasSuffix("\r\n\r\nbody"))
      let head = try await errand("head", "--direct", base + "/h")
      #expect(head.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(head.text.contains("Content-Length: 4\r\n"))
      #expect(head.text.hasSuffix("\r\n\r\n"))
    }
  }

  @Test func theBodyGoesToAFile() async throws {
    let directory = try TemporaryDirectory()
    try await withTarget(["/f": { $1.text("in the file") }, "/empty": { $1.respond(status: 204) }]) { base in
      let file = directory.file("out")
      let ended = try await errand("get", "--direct", "--output=" + file, base + "/f")
      #expect(ended.status == 0)
      #expect(ended.output.isEmpty)
      #expect(try await Command.run("cat", file).text == "in the file")
      #expect(try await errand("get", "--direct", "-o", file, base + "/empty").status == 0)
      #expect(try await Command.run("cat", file).text == "")
      let impossible = try await errand("get", "--direct", "-o", "/nonexistent/x", base + "/f")
      #expect(impossible.status == 1)
      #expect(impossible.errors.contains("/nonexistent/x: No such file or directory"))
    }
  }

  @Test func headersParamsAndAgentAreSent() async throws {
    try await withTarget([
      "/p": { request, responder in
        let headers = request.head.headers
        responder.text(
          "\(request.head.target)|\(headers.values("X-A").joined(separator: "+"))|\(headers["User-Agent"] ?? "")|\(headers["X-E"] ?? "none")"
        )
      }
    ]) { base in
      let ended = try await errand(
        "get", "--direct", "-H", "X-A: 1", "-HX-A: 2", "-H", "X-E;", "-A", "tester", "-q", "a=b c", "--param", "d=&=", base + "/p?z=1#part")
      #expect(ended.text == "/p?z=1&a=b%20c&d=%26%3D|1+2|tester|")
      let bare = try await errand("get", "--direct", "-q", "b c", "-q", "d=", base + "/p")
      #expect(bare.text.hasPrefix("/p?b%20c&d=|"))
      // What looks like a scheme in the query is none.
      let schemeless = try await errand("get", "--direct", base.dropFirst("http://".count) + "/p?u=ftp://x")
      #expect(schemeless.text.hasPrefix("/p?u=ftp://x|"))
    }
  }

  @Test func bodiesOfEveryKindAreSent() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("data", Array("one\ntwo\r\n".utf8))
    try await withTarget([
      "/e": { request, responder in
        responder.text("\(request.head.method) \(request.head.headers["Content-Type"] ?? "-") \(request.text)")
      }
    ]) { base in
      let form = "application/x-www-form-urlencoded"
      let cases: [([String], String)] = [
        (["post", "-d", "a=1", "-d", "b=2"], "POST \(form) a=1&b=2"),
        (["post", "-d@" + file], "POST \(form) onetwo"),
        (["put", "--data-binary", "@" + file], "PUT \(form) one\ntwo\r\n"),
        (["put", "--data-binary", "@-", "-H", "Content-Type: a/b"], "PUT a/b in"),
        (["post", "--json", "{\"a\":1}"], "POST application/json {\"a\":1}"),
        (["post", "--data-urlencode", "a=b c", "--data-urlencode", "d=é"], "POST \(form) a=b+c&d=%C3%A9"),
        (["patch", "--json", "{}"], "PATCH application/json {}"),
        (["delete"], "DELETE - "),
        (["post", "-q", "x=1"], "POST - "),
      ]
      for (words, expected) in cases {
        let ended = try await errand(words + ["--direct", base + "/e"], input: "in")
        #expect(ended.text == expected, "\(words)")
      }
    }
  }

  @Test func aBodyThatIsNotAsItShouldBeIs65AndIsPrinted() async throws {
    try await withTarget([
      "/bad": { $1.text("not json") },
      "/no": { $1.text("{\"code\":\"17\",\"msg\":\"no lamp\",\"data\":null}") },
      "/yes": { $1.text("{\"code\":\"0\",\"msg\":\"\",\"data\":[1]}") },
    ]) { base in
      let bad = try await errand("get", "--direct", "--expect-json", base + "/bad")
      #expect(bad.status == 65)
      #expect(bad.text == "not json")
      #expect(bad.errors.contains("not_json"))
      let no = try await errand("get", "--direct", "--envelope", "code-msg-data", base + "/no")
      #expect(no.status == 65)
      #expect(no.errors.contains("no lamp"))
      #expect(no.errors.contains("17"))
      let yes = try await errand("get", "--direct", "--envelope=code-msg-data", base + "/yes")
      #expect(yes.status == 0)
      #expect(yes.text == "{\"code\":\"0\",\"msg\":\"\",\"data\":[1]}")
    }
  }

  @Test func aFailingStatusIs22WhereJsonIsExpected() async throws {
    try await withTarget([
      "/no": { $1.text("{\"detail\":\"gone\"}", status: 404, headers: ["Content-Type": "application/json"]) }
    ]) { base in
      for option in ["--expect-json", "--envelope=code-msg-data"] {
        let ended = try await errand("get", "--direct", option, base + "/no")
        #expect(ended.status == 22, "\(option)")
        #expect(ended.text == "{\"detail\":\"gone\"}")
        #expect(ended.errors.contains("404"))
        let failing = try await errand("get", "--direct", "--fail", option, base + "/no")
        #expect(failing.status == 22)
        #expect(failing.output.isEmpty)
      }
    }
  }

  @Test func timeConnectionAndNameHaveTheirExitCodes() async throws {
    try await withTarget(["/never": { _, _ in }, "/cut": { $1.abort() }]) { base in
      let never = try await errand("get", "--direct", "-m", "0.05", base + "/never")
      #expect(never.status == 28)
      let cut = try await errand("post", "--direct", base + "/cut", "-d", "x")
      #expect(cut.status == 52)
    }
    let closed = try Socket.listen(on: .loopback(port: 0))
    let address = try #require(Socket.localAddress(closed))
    Socket.close(closed)
    let refused = try await errand("get", "--direct", "http://\(address)/")
    #expect(refused.status == 7)
    #expect(refused.errors.contains("Connection refused"))
    // Names under onion are never asked for (RFC 7686), so that no network is needed to fail.
    #expect(try await errand("get", "--direct", "http://nowhere.onion/").status == 6)
  }

  @Test func onlyTheLastAnswerOfSeveralTriesIsPrinted() async throws {
    var tries = 0
    try await withTarget([
      "/r": {
        tries += 1
        $1.text("try \(tries)", status: tries < 3 ? 503 : 200, headers: ["Retry-After": "0"])
      }
    ]) { base in
      let ended = try await errand("get", "--direct", "--retry", "5", "-v", base + "/r")
      #expect(ended.text == "try 3")
      #expect(ended.errors.contains("3 attempts"))
      tries = -10
      let last = try await errand("get", "--direct", "--retry", "1", base + "/r")
      #expect(last.text == "try -8")
    }
  }

  @Test func aUnixSocketIsATarget() async throws {
    let directory = try TemporaryDirectory()
    let server = HttpServer()
    server.register(ClosureHandler { $1.text("over \($0.head.headers["Host"] ?? "")") })
    try server.listen(on: .unix(directory.file("s")))
    let ended = try await errand("get", "--direct", "--unix-socket", directory.file("s"), "http://name/")
    #expect(ended.text == "over name")
    await server.close(grace: .zero)
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func aSignalCancelsAndTellsWhatWasSent(_ number: Int32, _ code: Int32) async throws {
    var arrived = false
    var isClosed = false
    try await withTarget([
      "/never": {
        arrived = true
        $1.onClose = { isClosed = true }
        $1.onPeerEnd = { isClosed = true }
      }
    ]) { base in
      let program = try RunningProgram([Programs.path("errand"), "post", "--direct", base + "/never", "-d", "x"])
      try await waitUntil("the request") { arrived }
      program.send(number)
      let ended = await program.wait()
      #expect(ended.status == code)
      #expect(ended.errors.contains("cancelled: the request was sent"))
      #expect(ended.errors.contains("bytes written"))
      try await waitUntil("the end of the connection") { isClosed }
    }
  }

  @Test func aReaderThatHasSeenEnoughIsNoFailure() async throws {
    let bytes = [UInt8](repeating: 0x61, count: 4_000_000)
    try await withTarget(["/b": { $1.respond(status: 200, body: bytes) }]) { base in
      let program = try RunningProgram([Programs.path("errand"), "get", "--direct", base + "/b"], outputIsClosed: true)
      let ended = await program.wait()
      #expect(ended.status == 0)
      #expect(ended.errors.isEmpty)
    }
  }

  @Test func redirectsArePrintedAndFollowedOnlyWhereAskedFor() async throws {
    try await withTarget(["/r": { $1.text("elsewhere", status: 302, headers: ["Location": "/x"]) }, "/x": { $1.text("there") }]) { base in
      let ended = try await errand("get", "--direct", "-i", base + "/r")
      #expect(ended.status == 0)
      #expect(ended.text.hasPrefix("HTTP/1.1 302 Found\r\n"))
      #expect(ended.text.hasSuffix("elsewhere"))
      let followed = try await errand("get", "--direct", "-L", base + "/r")
      #expect(followed.text == "there")
      let limited = try await errand("get", "--direct", "-L", "--max-redirs", "0", base + "/r")
      #expect(limited.errors.contains("too_many_redirects"))
    }
  }

  @Test func aUrlWithoutASchemeIsAnHttpOneAndWithoutADaemonNoFlagIsNeeded() async throws {
    try await withTarget(["/x": { $1.text("here") }]) { base in
      let ended = try await errand("get", "-v", String(base.dropFirst("http://".count)) + "/x")
      #expect(ended.text == "here")
      #expect(ended.errors.contains("no daemon on"))
      #expect(ended.errors.contains("total"))
    }
  }
}
