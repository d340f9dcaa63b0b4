import EventLoop
import HttpServer
import HttpWire
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct StreamTests {
  @Test func aStreamIsChunkedAndTheConnectionKept() async throws {
    let handler = ClosureHandler(path: "/stream") { _, responder in
      responder.startStream(status: 200, headers: ["Content-Type": "text/event-stream"])
      responder.write(Array("one".utf8))
      responder.write([])
      responder.write(Array("two".utf8))
      responder.finish()
    }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      client.send(get("/stream"))
      let text = try await client.read(through: "0\r\n\r\n")
      #expect(text.hasSuffix("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"))
      #expect(text.contains("Transfer-Encoding: chunked\r\n"))
      #expect(try await client.exchange(get("/stream")).text == "onetwo")
      let head = try await client.exchange(get("/stream", method: "HEAD"), method: .head)
      #expect(head.status == 200)
      #expect(try await client.exchange(get("/hello")).text == "hello")
    }
  }

  @Test func aStreamForHttp10EndsWithTheConnection() async throws {
    let handler = ClosureHandler(path: "/stream") { _, responder in
      responder.startStream(status: 200)
      responder.write(Array("until close".utf8))
      responder.finish()
    }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange(get("/stream", "Connection: keep-alive\r\n", version: "1.0"))
      #expect(response.text == "until close")
      #expect(response.head.headers["transfer-encoding"] == nil)
      #expect(response.head.headers["connection"] == "close")
      #expect(client.end == .closed)
    }
  }

  @Test func aStreamOfKnownLengthHasContentLengthAndMustKeepIt() async throws {
    let handler = ClosureHandler { request, responder in
      responder.startStream(status: 200, length: 6)
      responder.write(Array("abc".utf8))
      if request.path == "/long" { responder.write(Array("defg".utf8)) }
      if request.path == "/right" { responder.write(Array("def".utf8)) }
      responder.finish()
    }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange(get("/right"))
      #expect(response.head.headers["content-length"] == "6")
      #expect(response.text == "abcdef")
      for path in ["/short", "/long"] {
        let client = try TestSocket(address)
        client.send(get(path))
        #expect(try await client.readToEnd() == .reset)
      }
    }
  }

  @Test func aStreamOfKnownLengthEndsThoughItsLastWriteWentOutAtOnce() async throws {
    let handler = ClosureHandler(path: "/stream") { _, responder in
      responder.startStream(status: 200, length: 2_000)
      responder.write([UInt8](repeating: 1, count: 2_000))
      responder.finish()
    }
    try await serving(with(\.highWaterBytes, 1_000), handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      for _ in 0..<2 { #expect(try await client.exchange(get("/stream")).body.count == 2_000) }
    }
  }

  @Test func aReaderThatNeverReadsHoldsAtMostTheMarkAndOneWrite() async throws {
    let piece = [UInt8](repeating: 1, count: 10_000)
    var most = 0
    var stream: Responder?
    var drains = 0
    let handler = ClosureHandler(path: "/stream") { _, responder in
      stream = responder
      responder.startStream(status: 200)
      let fill = {
        while responder.write(piece) { most = max(most, responder.bufferedBytes) }
        most = max(most, responder.bufferedBytes)
      }
      responder.onDrain = {
        drains += 1
        #expect(responder.bufferedBytes <= 50_000)
        if drains < 20 { fill() } else { responder.finish() }
      }
      fill()
    }
    try await serving(with(\.highWaterBytes, 100_000), handlers: [handler]) { server, address in
      let client = try TestSocket(address)
      client.isReading = false
      client.send(get("/stream"))
      try await waitUntil { stream != nil }
      for _ in 0..<50 { await pause(.milliseconds(1)) }
      #expect(drains < 20)
      #expect(stream?.isOpen == true)
      #expect(most <= 100_000 + 10_020)
      client.isReading = true
      let response = try await client.response()
      #expect(drains == 20)
      #expect(response.body.count % 10_000 == 0)
      #expect(response.body.count > 1_000_000)
      #expect(most <= 100_000 + 10_020)
      #expect(try await client.exchange(get("/hello")).text == "hello")
    }
  }

  @Test(arguments: [false, true]) func aStreamNoticesThatItsPeerIsGoneWithoutWriting(byReset: Bool) async throws {
    var closes = 0
    var stream: Responder?
    let handler = ClosureHandler(path: "/stream") { _, responder in
      stream = responder
      responder.onClose = { closes += 1 }
      responder.startStream(status: 200)
      responder.write([65])
    }
    try await serving(handlers: [handler]) { server, address in
      let client = try TestSocket(address)
      client.send(get("/stream"))
      _ = try await client.read(through: "A\r\n")
      if byReset { client.reset() } else { client.close() }
      try await waitUntil { closes == 1 }
      #expect(stream?.isOpen == false)
      #expect(stream?.isComplete == false)
      #expect(stream?.write([66]) == false)
      stream?.finish()
      #expect(server.connectionCount == 0)
      await pause(.milliseconds(5))
      #expect(closes == 1)
    }
  }

  @Test func onCloseComesOnceWhenAStreamIsComplete() async throws {
    var closes = 0
    var stream: Responder?
    let handler = ClosureHandler(path: "/stream") { _, responder in
      stream = responder
      responder.onClose = { closes += 1 }
      responder.startStream(status: 200)
      responder.write([65])
      responder.finish()
      #expect(closes == 0)
    }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      #expect(try await client.exchange(get("/stream")).text == "A")
      try await waitUntil { closes == 1 }
      #expect(stream?.isComplete == true)
      client.close()
      await pause(.milliseconds(5))
      #expect(closes == 1)
    }
  }

  @Test func manyWritesOfOneTurnGoOutTogether() async throws {
    var stream: Responder?
    let handler = ClosureHandler(path: "/stream") { _, responder in
      stream = responder
      responder.startStream(status: 200)
    }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      client.send(get("/stream"))
      _ = try await client.read(through: "\r\n\r\n")
      for _ in 0..<100 { stream?.write([65]) }
      #expect(stream?.bufferedBytes == 600)
      try await client.wait { client.received.count > 0 }
      // One read gave all of them.
      #expect(client.received.count == 600)
    }
  }

  @Test func aStreamedBodyIsToldAsItComes() async throws {
    let journal = Journal()
    let handler = ClosureHandler(path: "/up", wantsStreamedBody: true) { request, responder in
      journal.note("head")
      request.onBody = { bytes in journal.note(String(decoding: bytes, as: UTF8.self)) }
      request.onEnd = {
        journal.note("end")
        responder.respond(text: "thanks")
      }
    }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      client.send("POST /up HTTP/1.1\r\nHost: t\r\nContent-Length: 6\r\n\r\n")
      try await waitUntil { journal.lines == ["head"] }
      client.send("abc")
      try await waitUntil { journal.lines == ["head", "abc"] }
      client.send("def")
      #expect(try await client.response().text == "thanks")
      #expect(journal.lines == ["head", "abc", "def", "end"])
      #expect(try await client.exchange(get("/hello")).text == "hello")
    }
  }

  @Test func anAnswerBeforeTheBodysEndEndsTheConnection() async throws {
    let handler = ClosureHandler(path: "/up", wantsStreamedBody: true) { _, responder in responder.respond(status: 403) }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange("POST /up HTTP/1.1\r\nHost: t\r\nContent-Length: 600000\r\n\r\nabc")
      #expect(response.status == 403)
      #expect(response.head.headers["connection"] == "close")
      #expect(try await client.readToEnd() == .closed)
    }
  }

  @Test func aFaultInAStreamedBodyEndsTheResponderAndIsAnswered() async throws {
    var isClosed = false
    let handler = ClosureHandler(path: "/up", wantsStreamedBody: true) { _, responder in responder.onClose = { isClosed = true } }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange("POST /up HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n")
      #expect(response.status == 400)
      try await waitUntil { isClosed }
    }
  }
}
