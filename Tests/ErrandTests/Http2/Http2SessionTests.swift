import CNghttp2
import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) @LoopActor struct Http2SessionTests {
  @Test func `a request and its response`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in
      server.answer(request.stream, [("content-type", "text/plain"), ("content-length", "5")], body: Array("hello".utf8))
    }
    let stream = try #require(pair.submit(.get, "/a?b", headers: ["Accept": "text/plain", "Connection": "close"]))
    pair.run()
    let request = try #require(pair.server.requests[1])
    #expect(request.fields.map(\.name) == [":method", ":scheme", ":path", ":authority", "accept"])
    #expect(request.path == "/a?b")
    #expect(
      pair.head(stream)
        == ResponseHead(version: .http2, status: 200, headers: ["content-type": "text/plain", "content-length": "5"]))
    #expect(pair.events.contains { if case .head(_, _, contentLength: 5) = $0 { true } else { false } })
    #expect(pair.body(stream) == Array("hello".utf8))
    #expect(pair.end(stream) == .whole)
    #expect(pair.session.openCount == 0)
  }

  @Test func `the greeting forbids push and states the windows`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.run()
    let settings = try #require(pair.server.frames(.settings).first)
    var values: [UInt16: UInt32] = [:]
    for start in stride(from: 0, to: settings.payload.count, by: 6) {
      let bytes = settings.payload[start..<start + 6].map(UInt32.init)
      values[UInt16(bytes[1])] = bytes[2] << 24 | bytes[3] << 16 | bytes[4] << 8 | bytes[5]
    }
    #expect(
      values == [
        Setting.headerTableSize: 4_096, Setting.enablePush: 0, Setting.initialWindow: 1_048_576, Setting.maxHeaderListSize: 65_536,
      ])
    #expect(pair.server.frames(.windowUpdate).map(\.number) == [16 * 1_048_576 - 65_535])
  }

  @Test func `many requests at once go out in one piece and keep their answers apart`() throws {
    let pair = Http2Pair(server: [Setting.maxStreams: 1_000])
    defer { pair.close() }
    pair.run()
    pair.server.onRequest = { server, request in server.answer(request.stream, body: Array(request.path.utf8)) }
    let streams = try (0..<500).map { try #require(pair.submit(.get, "/\($0)")) }
    var buffer: [UInt8] = []
    pair.session.gather(into: &buffer, upTo: 1_048_576)
    #expect(!pair.session.wantsWrite)
    var told = 0
    pair.session.takeWritten { _, progress in told += progress.isWhole ? 1 : 0 }
    #expect(told == 500)
    pair.server.receive(buffer)
    pair.run()
    for (index, stream) in streams.enumerated() {
      #expect(pair.body(stream) == Array("/\(index)".utf8))
      #expect(pair.end(stream) == .whole)
    }
    #expect(pair.session.openCount == 0)
  }

  @Test func `interim responses, trailers, and a body without Content-Length`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in
      server.send(.headers(request.stream, [(":status", "103"), ("link", "</a.css>")]))
      server.send(.headers(request.stream, [(":status", "102")]))
      server.answer(request.stream, body: [1, 2, 3], trailers: [("x-sum", "6")])
    }
    let stream = try #require(pair.submit())
    pair.run()
    #expect(
      pair.events.filter { $0 != .settings } == [
        .interim(stream, ResponseHead(version: .http2, status: 103, headers: ["link": "</a.css>"])),
        .interim(stream, ResponseHead(version: .http2, status: 102)),
        .head(stream, ResponseHead(version: .http2, status: 200), contentLength: nil),
        .body(stream, [1, 2, 3]),
        .trailers(stream, ["x-sum": "6"]),
        .end(stream, .whole),
      ])
  }

  @Test(arguments: [(HttpMethod.head, 200), (.get, 204), (.get, 304)])
  func `responses without a body may state a length`(method: HttpMethod, status: Int) throws {
    let pair = Http2Pair()
    defer { pair.close() }
    let fields = status == 204 ? [] : [("content-length", "1234")]
    pair.server.onRequest = { server, request in server.answer(request.stream, status: status, fields) }
    let stream = try #require(pair.submit(method))
    pair.run()
    #expect(pair.head(stream)?.status == status)
    #expect(pair.end(stream) == .whole)
  }

  @Test func `the server's limit of streams holds, as it changes`() throws {
    let pair = Http2Pair(server: [Setting.maxStreams: 2])
    defer { pair.close() }
    #expect(pair.session.maxStreams == 100)
    pair.run()
    #expect(pair.events == [.settings])
    #expect(pair.session.maxStreams == 2)
    let first = try #require(pair.submit())
    #expect(pair.session.mayOpen)
    _ = pair.submit()
    #expect(!pair.session.mayOpen)
    pair.run()
    pair.server.send(.settings([Setting.maxStreams: 3]))
    pair.run()
    #expect(pair.session.mayOpen)
    pair.server.send(.settings([Setting.maxStreams: 1]))
    pair.server.answer(first.number)
    pair.run()
    #expect(pair.session.openCount == 1)
    #expect(!pair.session.mayOpen)
  }

  @Test func `a ping is answered, and one's own is told`() {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.session.ping(0x0102_0304_0506_0708)
    pair.server.send(Http2Frame(.ping, Array(1...8)))
    pair.run()
    #expect(pair.events.contains(.ping(0x0102_0304_0506_0708)))
    let pings = pair.server.frames(.ping)
    #expect(pings.contains { $0.has(Http2Frame.ack) && $0.payload == Array(1...8) })
    #expect(pings.contains { !$0.has(Http2Frame.ack) && $0.payload == Array(1...8) })
  }

  @Test func `secrets are kept out of the compression's memory`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in server.answer(request.stream) }
    for _ in 0..<2 { _ = pair.submit(headers: ["Authorization": "Bearer 0123456789", "X-Plain": "0123456789abcdef"]) }
    pair.run()
    let sections = pair.server.frames(.headers).map(\.payload)
    // A field that is indexed costs one byte the second time; the secret is written out again.
    #expect(sections[0].count - sections[1].count > 15)
    #expect(sections[1].count > 16)
    #expect(sections[1].contains(0x1f), "the never-indexed form with a name of the static table")
  }

  @Test func `a closed session does nothing and holds nothing`() throws {
    let before = Http2SessionTable.count
    weak var kept: Http2Session?
    do {
      let pair = Http2Pair()
      kept = pair.session
      let stream = try #require(pair.submit())
      pair.run()
      pair.close()
      pair.close()
      #expect(pair.submit() == nil)
      pair.session.cancel(stream)
      pair.session.consume(stream, 5)
      pair.session.ping(1)
      #expect(!pair.session.mayOpen)
      #expect(pair.session.isFinished)
      pair.run()
    }
    #expect(kept == nil)
    #expect(Http2SessionTable.count == before)
  }

  @Test func `closing in the middle of an event ends all events`() throws {
    let before = Http2SessionTable.count
    let pair = Http2Pair()
    pair.server.onRequest = { server, request in server.answer(request.stream, body: [1]) }
    pair.onEvent = { pair, event in if case .head = event { pair.close() } }
    for _ in 0..<3 { _ = pair.submit() }
    pair.run()
    #expect(pair.events.count { $0 != .settings } == 1)
    #expect(Http2SessionTable.count == before)
  }

  @Test func `a request may be made while an answer is told`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in server.answer(request.stream, body: Array(request.path.utf8)) }
    pair.onEvent = { pair, event in
      if case .end(let stream, .whole) = event, stream.number < 19 { _ = pair.submit(.get, "/next") }
    }
    _ = pair.submit(.get, "/first")
    pair.run()
    #expect(pair.events.count { if case .end(_, .whole) = $0 { true } else { false } } == 10)
    #expect(pair.session.slotCount <= 2)
  }

  @Test func `when the stream numbers are used up the session takes no more`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    // The last number that a connection has.
    nghttp2_session_set_next_stream_id(pair.session.native, .max)
    #expect(pair.submit() != nil)
    #expect(pair.submit() == nil)
    #expect(!pair.session.mayOpen)
  }
}
