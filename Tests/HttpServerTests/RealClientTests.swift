import EventLoop
import HttpServer
import HttpWire
import TestSupport
import Testing

/// The clients that people use: curl and Python's standard library.
@LoopActor
@Suite(.oneAtATime) struct RealClientTests {
  @Test func curlTalksOverTcpAndUnixAndKeepsItsConnection() async throws {
    let directory = try TemporaryDirectory()
    try await serving { server, address in
      let url = "http://\(address)"
      let first = try await Command.run("curl", "-sS", "-v", "\(url)/hello", "\(url)/hello")
      #expect(first.status == 0)
      #expect(first.text.contains("Re-using existing connection"))
      #expect(try await Command.run("curl", "-sS", "--http1.0", "\(url)/hello").text == "hello")
      #expect(try await Command.run("curl", "-sSI", "\(url)/hello").text.contains("Content-Length: 5"))
      let path = directory.file("s")
      try server.listen(on: .unix(path), mode: 0o600)
      #expect(try await Command.run("curl", "-sS", "--unix-socket", path, "http://localhost/hello").text == "hello")
    }
  }

  @Test func curlUploadsWithLengthWithExpectAndInChunks() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("up", [UInt8](repeating: UInt8(ascii: "u"), count: 2_000_000))
    try await serving { _, address in
      let url = "http://\(address)/echo"
      for extra in [[], ["-H", "Expect: 100-continue"], ["-H", "Transfer-Encoding: chunked"]] {
        let result = try await Command.run(
          ["curl", "-sS", "--expect100-timeout", "20", "-m", "15", "-T", file, "-o", directory.file("down"), "-w", "%{http_code}"] + extra
            + [url])
        #expect(result.text == "200")
        #expect(try await Command.run("cmp", file, directory.file("down")).status == 0)
      }
    }
  }

  @Test func curlReadsTheRefusalOfALongUpload() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("up", [UInt8](repeating: 1, count: 3_000_000))
    try await serving(with(\.maxBodyBytes, 1_000_000)) { _, address in
      for extra in [["-H", "Expect:"], ["-H", "Expect: 100-continue"], ["-H", "Transfer-Encoding: chunked"]] {
        let result = try await Command.run(
          ["curl", "-sS", "-m", "15", "-T", file, "-w", " %{http_code}"] + extra + ["http://\(address)/echo"])
        #expect(result.text.contains(" 413"))
      }
    }
  }

  @Test func curlFollowsAStream() async throws {
    let handler = ClosureHandler(path: "/stream") { _, responder in
      responder.startStream(status: 200, headers: ["Content-Type": "text/event-stream"])
      for number in 0..<1_000 { responder.write(Array("data: \(number)\n\n".utf8)) }
      responder.finish()
    }
    try await serving(handlers: [handler]) { _, address in
      let expected = (0..<1_000).map { "data: \($0)\n\n" }.joined()
      for version in ["--http1.1", "--http1.0"] {
        let result = try await Command.run("curl", "-sSN", version, "http://\(address)/stream")
        #expect(result.text == expected)
      }
    }
  }

  @Test func pythonsHttpClientKeepsOneConnectionForManyRequests() async throws {
    let script = """
      import http.client, sys
      c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
      for i in range(50):
          c.request("POST", "/echo", body="x" * i)
          r = c.getresponse()
          assert r.status == 200 and r.read() == b"x" * i
          c.request("POST", "/echo", body=iter([b"a" * i, b"b"]), encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
          r = c.getresponse()
          assert r.status == 200 and r.read() == b"a" * i + b"b"
          c.request("HEAD", "/hello")
          r = c.getresponse()
          assert r.status == 200 and r.getheader("Content-Length") == "5" and r.read() == b""
      c.request("DELETE", "/hello")
      r = c.getresponse()
      assert r.status == 405 and r.getheader("Allow") == "GET, HEAD", r.status
      print("ok")
      """
    try await serving { server, address in
      let result = try await Command.run("python3", "-c", script, "\(address.port ?? 0)")
      #expect(result.text == "ok\n")
    }
  }
}
