import EventLoop
import HttpServer
import HttpWire
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct ExchangeTests {
  @Test func aRequestIsAnsweredAndTheConnectionKept() async throws {
    try await serving { server, address in
      let client = try TestSocket(address)
      for _ in 0..<3 {
        let response = try await client.exchange(get("/hello"))
        #expect(response.status == 200)
        #expect(response.text == "hello")
        #expect(response.head.headers["content-length"] == "5")
        #expect(response.head.headers["content-type"] == "text/plain")
        #expect(response.head.headers["date"]?.hasSuffix(" GMT") == true)
        #expect(response.head.headers["connection"] == nil)
      }
      #expect(server.connectionCount == 1)
    }
  }

  @Test func aBodyWithContentLengthComesWhole() async throws {
    try await serving { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nabcde")
      #expect(response.text == "abcde")
    }
  }

  @Test func aChunkedBodyComesWholeAndTrailersAreNoBody() async throws {
    try await serving { _, address in
      let client = try TestSocket(address)
      let request = "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nA: b\r\n\r\n"
      for _ in 0..<2 { #expect(try await client.exchange(request).text == "abcde") }
    }
  }

  @Test func aRequestMayComeByteByByte() async throws {
    try await serving { _, address in
      let client = try TestSocket(address)
      let request = "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + get("/hello")
      for byte in request.utf8 {
        client.send([byte])
        await pause(.zero)
      }
      #expect(try await client.response().text == "abc")
      #expect(try await client.response().text == "hello")
    }
  }

  @Test func aLargeBodyGoesBothWays() async throws {
    try await serving { _, address in
      let client = try TestSocket(address)
      let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      client.send("PUT /echo HTTP/1.1\r\nHost: t\r\nContent-Length: \(body.count)\r\n\r\n")
      client.send(body)
      let head = try await client.read(through: "\r\n\r\n")
      #expect(head.contains("Content-Length: 5000000\r\n"))
      #expect(try await client.read(body.count) == body)
      #expect(try await client.exchange(get("/hello")).text == "hello")
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrderOneAtATime() async throws {
    let journal = Journal()
    var pending: [Responder] = []
    let slow = ClosureHandler { request, responder in
      journal.note(request.path)
      pending.append(responder)
    }
    try await serving(handlers: [slow]) { _, address in
      let client = try TestSocket(address)
      client.send((0..<20).map { get("/\($0)") }.joined())
      for number in 0..<20 {
        try await waitUntil("request \(number)") { journal.lines.count == number + 1 }
        await pause(.zero)
        #expect(journal.lines.count == number + 1)
        pending.removeFirst().respond(text: journal.lines[number])
        #expect(try await client.response().text == "/\(number)")
      }
    }
  }

  @Test func aFloodOfPipelinedRequestsIsReadOnlyAsFarAsOneIsAnswered() async throws {
    var pending: Responder?
    var answersAtOnce = false
    let slow = ClosureHandler { _, responder in
      if answersAtOnce { responder.respond(status: 204) } else { pending = responder }
    }
    try await serving(with(\.sendsDate, false), handlers: [slow]) { _, address in
      let client = try TestSocket(address)
      let count = 20_000
      client.send(String(repeating: get("/x", "Filler: \(String(repeating: "f", count: 900))\r\n"), count: count))
      for _ in 0..<200 {
        try await waitUntil { pending != nil }
        let responder = pending
        pending = nil
        responder?.respond(status: 204)
      }
      // What the kernel's buffers hold is taken; the rest stays with the client.
      for _ in 0..<50 { await pause(.milliseconds(1)) }
      #expect(client.unsentCount > 5_000_000)
      answersAtOnce = true
      try await waitUntil { pending != nil }
      pending?.respond(status: 204)
      let answer = "HTTP/1.1 204 No Content\r\n\r\n"
      try await client.wait("all answers") { client.receivedCount >= count * answer.utf8.count }
      #expect(client.receivedText == String(repeating: answer, count: count))
    }
  }

  @Test func headIsAnsweredWithoutBody() async throws {
    try await serving { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange(get("/hello", method: "HEAD"), method: .head)
      #expect(response.head.headers["content-length"] == "5")
      #expect(response.body.isEmpty)
      #expect(try await client.exchange(get("/hello")).text == "hello")
    }
  }

  @Test(arguments: [204, 304]) func someStatusesHaveNoBodyWhateverTheHandlerGives(status: Int) async throws {
    let handler = ClosureHandler(path: "/none") { _, responder in responder.respond(status: status, body: [1, 2, 3]) }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange(get("/none"))
      #expect(response.status == status)
      #expect(response.head.headers["content-length"] == nil)
      #expect(try await client.exchange(get("/hello")).text == "hello")
    }
  }

  @Test(arguments: [
    ("1.1", "", false), ("1.1", "Connection: close\r\n", true), ("1.1", "Connection: TE, Close\r\n", true), ("1.0", "", true),
    ("1.0", "Connection: keep-alive\r\n", false), ("1.0", "Connection: keep-alive, close\r\n", true),
  ])
  func theConnectionEndsWhenTheRequestSaysSo(version: String, fields: String, ends: Bool) async throws {
    try await serving { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange(get("/hello", fields, version: version))
      #expect(response.text == "hello")
      if ends {
        #expect(response.head.headers.hasToken("close", in: "connection"))
        #expect(try await client.readToEnd() == .closed)
      } else {
        if version == "1.0" { #expect(response.head.headers.hasToken("keep-alive", in: "connection")) }
        #expect(try await client.exchange(get("/hello")).text == "hello")
      }
    }
  }

  @Test func aHandlerMayEndTheConnection() async throws {
    let handler = ClosureHandler(path: "/bye") { _, responder in responder.respond(status: 200, headers: ["Connection": "close"]) }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange(get("/bye"))
      #expect(response.head.headers.values("connection") == ["close"])
      #expect(try await client.readToEnd() == .closed)
    }
  }

  @Test func aResponseThatCannotBeSentBecomesA500() async throws {
    let bad: [(Int, HttpHeaders)] = [(200, ["X": "a\r\nb"]), (200, ["a b": "c"]), (100, [:]), (2_000, [:]), (200, ["Content-Length": "9"])]
    for (status, headers) in bad {
      let handler = ClosureHandler(path: "/bad") { _, responder in responder.respond(status: status, headers: headers, body: [65]) }
      try await serving(handlers: [handler]) { _, address in
        let client = try TestSocket(address)
        #expect(try await client.exchange(get("/bad")).status == 500)
        #expect(try await client.readToEnd() == .closed)
      }
    }
  }

  @Test func answeringTwiceOrLateIsHarmless() async throws {
    var kept: Responder?
    let handler = ClosureHandler(path: "/twice") { _, responder in
      responder.respond(text: "one")
      responder.respond(text: "two")
      kept = responder
    }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      #expect(try await client.exchange(get("/twice")).text == "one")
      client.send(get("/hello"))
      kept?.respond(text: "late")
      kept?.startStream(status: 200)
      kept?.write([1])
      kept?.finish()
      kept?.abort()
      #expect(kept?.takeOver() == nil)
      #expect(kept?.isOpen == false)
      #expect(try await client.response().text == "hello")
      #expect(client.received.isEmpty)
    }
  }

  @Test func aHalfClosedClientGetsAllItsAnswers() async throws {
    var pending: Responder?
    var isEndSeen = false
    let slow = ClosureHandler(path: "/slow") { _, responder in
      pending = responder
      responder.onPeerEnd = { isEndSeen = true }
    }
    try await serving(handlers: [slow]) { server, address in
      let client = try TestSocket(address)
      client.send(get("/slow") + get("/hello"))
      client.endWriting()
      try await waitUntil { isEndSeen }
      #expect(pending?.isOpen == true)
      pending?.respond(text: "slow")
      #expect(try await client.response().text == "slow")
      #expect(try await client.response().text == "hello")
      #expect(try await client.readToEnd() == .closed)
      try await waitUntil { server.connectionCount == 0 }
    }
  }

  @Test(arguments: ["", "GET", "GET / HTTP/1.1\r\nHost:", "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nab"])
  func aClientThatEndsWithinARequestIsClosed(start: String) async throws {
    try await serving { server, address in
      let client = try TestSocket(address)
      client.send(start)
      try await waitUntil { server.connectionCount == 1 }
      client.endWriting()
      #expect(try await client.readToEnd() == .closed)
      #expect(client.receivedCount == 0)
      try await waitUntil { server.connectionCount == 0 }
    }
  }

  @Test func aPeerThatResetsWhileItsAnswerIsPendingIsNoticed() async throws {
    var pending: Responder?
    var isClosed = false
    let slow = ClosureHandler(path: "/slow") { _, responder in
      pending = responder
      responder.onClose = { isClosed = true }
    }
    try await serving(handlers: [slow]) { server, address in
      let client = try TestSocket(address)
      client.send(get("/slow"))
      try await waitUntil { pending != nil }
      client.reset()
      try await waitUntil { isClosed }
      #expect(pending?.isOpen == false)
      #expect(pending?.isComplete == false)
      pending?.respond(text: "late")
      #expect(server.connectionCount == 0)
    }
  }

  @Test func abortSendsAReset() async throws {
    let handler = ClosureHandler(path: "/abort") { _, responder in responder.abort() }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      client.send(get("/abort"))
      #expect(try await client.readToEnd() == .reset)
    }
  }
}
