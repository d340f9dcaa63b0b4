import EventLoop
import HttpServer
import HttpWire
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct RefusalTests {
  @Test func handlersAreAskedByPriorityAndThenInOrderOfRegistration() async throws {
    let handlers = [(0, "first"), (0, "second"), (5, "high"), (-1, "low"), (5, "high too")].map { priority, name in
      ClosureHandler(path: "/\(name.first == "h" ? "h" : "x")", priority: priority) { _, responder in responder.respond(text: name) }
    }
    try await serving(handlers: handlers) { _, address in
      let client = try TestSocket(address)
      #expect(try await client.exchange(get("/x")).text == "first")
      #expect(try await client.exchange(get("/h")).text == "high")
    }
  }

  @Test func whatNoHandlerKnowsIs501() async throws {
    try await serving { _, address in
      let client = try TestSocket(address)
      #expect(try await client.exchange(get("/nowhere")).status == 501)
      #expect(try await client.exchange(get("/nowhere", method: "BREW")).status == 501)
      #expect(try await client.exchange("OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n").status == 501)
      #expect(try await client.exchange(get("/hello")).text == "hello")
    }
  }

  @Test func aKnownPathUnderAnotherMethodIs405WithTheUnionOfMethods() async throws {
    let more = ClosureHandler(path: "/hello", methods: [.put, .get]) { _, responder in responder.respond(text: "put") }
    try await serving(handlers: [more]) { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange("DELETE /hello HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc")
      #expect(response.status == 405)
      #expect(response.head.headers["allow"] == "PUT, GET, HEAD")
      #expect(try await client.exchange(get("/hello?x=1")).status == 200)
    }
  }

  nonisolated static let malformed: [(request: String, status: Int)] = [
    ("hello\r\n\r\n", 400), ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: t\r\n\r\n", 400),
    (" GET / HTTP/1.1\r\nHost: t\r\n\r\n", 400),
    ("GET / HTTP/2.0\r\nHost: t\r\n\r\n", 505), ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\nHost: t\n\n", 400), ("GET / HTTP/1.1\r\nHost: t\r\nBad Name: x\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: t\r\n folded: x\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: t\r\nX: a\0b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: t\r\nNoColon\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost : t\r\n\r\n", 400),
    ("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: -1\r\n\r\n", 400),
    ("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: x\r\n\r\n", 400),
    ("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
    ("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
    ("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
    ("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\n", 400),
    ("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n11111111111111111\r\n", 400),
    ("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n", 400),
    ("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 501), ("GET /\u{7f} HTTP/1.1\r\nHost: t\r\n\r\n", 400),
    ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\r\n", 400),
    ("GET /" + String(repeating: "a", count: 20_000) + " HTTP/1.1\r\nHost: t\r\n\r\n", 414),
    ("GET / HTTP/1.1\r\nHost: t\r\nX: " + String(repeating: "a", count: 70_000) + "\r\n\r\n", 431),
    ("GET / HTTP/1.1\r\nHost: t\r\n" + String(repeating: "A: b\r\n", count: 300) + "\r\n", 431),
    ("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 16777217\r\n\r\n", 413),
  ]

  @Test(arguments: malformed) func aMalformedRequestGetsItsStatusAndTheConnectionEnds(request: String, status: Int) async throws {
    try await serving { server, address in
      let client = try TestSocket(address)
      // A kept connection must not change the verdict.
      #expect(try await client.exchange(get("/hello")).status == 200)
      let response = try await client.exchange(request)
      #expect(response.status == status)
      #expect(response.head.headers["connection"] == "close")
      #expect(!response.body.isEmpty)
      #expect(try await client.readToEnd() == .closed)
      client.close()
      try await waitUntil { server.connectionCount == 0 }
    }
  }

  @Test func theBodyOfErrorsIsTheConfiguratorsOwn() async throws {
    let problem = with(\.errorBody) { status, message in
      (["Content-Type": "application/problem+json"], Array("{\"status\":\(status),\"detail\":\"\(message)\"}".utf8))
    }
    try await serving(problem) { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange(get("/nowhere"))
      #expect(response.head.headers["content-type"] == "application/problem+json")
      #expect(response.text == "{\"status\":501,\"detail\":\"nothing here handles this request\"}")
    }
  }

  @Test func anErrorBodyThatCannotBeSentEndsTheConnection() async throws {
    try await serving(with(\.errorBody, { _, _ in (["a b": "c"], []) })) { server, address in
      let client = try TestSocket(address)
      client.send(get("/nowhere"))
      #expect(try await client.readToEnd() == .reset)
      try await waitUntil { server.connectionCount == 0 }
    }
  }

  @Test func aBodyAboveTheLimitIsRefusedWithoutBeingRead() async throws {
    try await serving(with(\.maxBodyBytes, 1_000)) { server, address in
      let declared = try TestSocket(address)
      #expect(try await declared.exchange("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1001\r\n\r\nabc").status == 413)
      #expect(try await declared.readToEnd() == .closed)
      let fits = try TestSocket(address)
      let body = String(repeating: "b", count: 1_000)
      #expect(try await fits.exchange("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n\(body)").text == body)
      let chunked = try TestSocket(address)
      chunked.send("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
      for _ in 0..<11 { chunked.send("64\r\n\(String(repeating: "c", count: 100))\r\n") }
      #expect(try await chunked.response().status == 413)
      #expect(try await chunked.readToEnd() == .closed)
      for client in [declared, fits, chunked] { client.close() }
      try await waitUntil { server.connectionCount == 0 }
    }
  }

  @Test func aClientThatStillSendsCanReadTheRefusal() async throws {
    try await serving(with(\.maxBodyBytes, 4 << 20)) { _, address in
      let client = try TestSocket(address)
      client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10000000\r\n\r\n")
      client.send([UInt8](repeating: 1, count: 3_000_000))
      let response = try await client.response()
      #expect(response.status == 413)
    }
  }

  @Test func expectContinueIsAnsweredBeforeTheBody() async throws {
    try await serving { _, address in
      let client = try TestSocket(address)
      let head = "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
      client.send(head)
      #expect(try await client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      #expect(try await client.exchange("abc").text == "abc")
      // A refusal comes in place of it, and the body, which may come or not, is not waited for.
      client.send(head.replacing("/echo", with: "/hello"))
      let refusal = try await client.response()
      #expect(refusal.interim.isEmpty)
      #expect(refusal.status == 405)
      #expect(try await client.readToEnd() == .closed)
    }
  }

  @Test func absoluteTargetsAndQueriesAreRoutedByPath() async throws {
    let handler = ClosureHandler(path: "/a%2Fb/c") { request, responder in
      let segments = (try? request.pathSegments()) ?? []
      let query = ((try? request.query()) ?? []).map { "\($0)=\($1)" }
      responder.respond(text: segments.joined(separator: "|") + " " + query.joined(separator: "&"))
    }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      #expect(try await client.exchange(get("/a%2Fb/c?x=1+2&y=%41&z")).text == "a/b|c x=1 2&y=A&z=")
      #expect(try await client.exchange(get("http://host:1/a%2Fb/c?x")).text == "a/b|c x=")
      #expect(try await client.exchange(get("http://host/hello")).text == "hello")
      #expect(try await client.exchange(get("http://host")).status == 501)
    }
  }
}
