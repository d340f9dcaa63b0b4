import EventLoop
import HttpWire
import Testing

@testable import Errand

/// What a server may not send: in one response it fails that alone; against the framing it ends the session.
@Suite(.timeLimit(.minutes(2))) @LoopActor struct Http2MalformedTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let frames: [Http2Frame]

    init(_ name: String, _ frames: Http2Frame...) {
      self.name = name
      self.frames = frames
    }

    var testDescription: String { name }
  }

  nonisolated static let ok: [(String, String)] = [(":status", "200")]

  nonisolated static let responses: [Case] = [
    Case("a body shorter than Content-Length", .headers(1, ok + [("content-length", "5")]), .data(1, [1, 2, 3], endStream: true)),
    Case("a body longer than Content-Length", .headers(1, ok + [("content-length", "2")]), .data(1, [1, 2, 3], endStream: true)),
    Case("Content-Length without a body", .headers(1, ok + [("content-length", "5")], endStream: true)),
    Case("two Content-Lengths", .headers(1, ok + [("content-length", "1"), ("content-length", "2")]), .data(1, [1], endStream: true)),
    Case("a Content-Length that is no number", .headers(1, ok + [("content-length", "+1")])),
    Case("no status", .headers(1, [("server", "x")], endStream: true)),
    Case("two statuses", .headers(1, ok + ok, endStream: true)),
    Case("a status of two digits", .headers(1, [(":status", "20")], endStream: true)),
    Case("a status that is no number", .headers(1, [(":status", "2x0")], endStream: true)),
    Case("status 101", .headers(1, [(":status", "101")])),
    Case("status 099", .headers(1, [(":status", "099")])),
    Case("an upper-case name", .headers(1, ok + [("Server", "x")], endStream: true)),
    Case("a name with a space", .headers(1, ok + [("a b", "x")], endStream: true)),
    Case("an empty name", .headers(1, ok + [("", "x")], endStream: true)),
    Case("a line break in a value", .headers(1, ok + [("a", "x\r\nb: c")], endStream: true)),
    Case("NUL in a value", .headers(1, ok + [("a", "x\0")], endStream: true)),
    Case("a pseudo field after others", .headers(1, [("a", "b")] + ok, endStream: true)),
    Case("an unknown pseudo field", .headers(1, ok + [(":reason", "x")], endStream: true)),
    Case("a pseudo field of requests", .headers(1, ok + [(":path", "/")], endStream: true)),
    Case("Connection", .headers(1, ok + [("connection", "close")], endStream: true)),
    Case("Transfer-Encoding", .headers(1, ok + [("transfer-encoding", "chunked")], endStream: true)),
    Case("an interim response that ends the stream", .headers(1, [(":status", "103")], endStream: true)),
    Case("a body after an interim response", .headers(1, [(":status", "103")]), .data(1, [1])),
    Case("trailers that do not end the stream", .headers(1, ok), .headers(1, [("a", "b")])),
    Case("a pseudo field in trailers", .headers(1, ok), .headers(1, ok, endStream: true)),
    Case("a body for HEAD", .headers(3, ok), .data(3, [1], endStream: true)),
    Case("a body with 204", .headers(1, [(":status", "204")]), .data(1, [1], endStream: true)),
  ]

  @Test(arguments: responses)
  func `a malformed response fails its request and no other`(wrong: Case) throws {
    let pair = Http2Pair()
    defer { pair.close() }
    let get = try #require(pair.submit(.post, body: [UInt8](repeating: 0, count: 100_000)))
    let head = try #require(pair.submit(.head))
    let other = try #require(pair.submit())
    pair.server.givesWindows = false
    pair.run()
    for frame in wrong.frames { pair.server.send(frame) }
    pair.server.answer(other.number, body: [1])
    pair.run()
    let victim = wrong.frames[0].stream == head.number ? head : get
    guard case .failed(let error)? = pair.end(victim) else { return #expect(Bool(false), "\(pair.events)") }
    #expect(error.kind == .malformed)
    #expect(!pair.server.resets(victim.number).isEmpty)
    #expect(pair.end(other) == .whole)
    #expect(pair.failure == nil)
  }

  nonisolated static let sessions: [Case] = [
    Case("a stream that nobody opened", .headers(9, ok, endStream: true)),
    Case("a stream of the server's own", .headers(2, ok, endStream: true)),
    Case("data on stream 0", .data(0, [1])),
    Case("a body before the head", .data(1, [1])),
    Case("a window update of zero", .windowUpdate(1, 0)),
    Case("data on a stream that nobody opened", .data(99, [1])),
    Case("a frame above the largest size", .data(1, [UInt8](repeating: 0, count: 16_385))),
    Case(
      "a pushed stream",
      Http2Frame(.pushPromise, flags: Http2Frame.endHeaders, stream: 1, Http2Frame.bytes(2) + Hpack.literals([(":method", "GET")]))),
    Case("a setting out of range", .settings([Setting.initialWindow: 0x8000_0000])),
    Case("a maximal frame size out of range", .settings([Setting.maxFrameSize: 1])),
    Case("SETTINGS of an odd length", Http2Frame(.settings, [1, 2, 3])),
    Case("more settings than are read", Http2Frame(.settings, [UInt8](repeating: 0x77, count: 33 * 6))),
    Case("PING of an odd length", Http2Frame(.ping, [1])),
    Case("RST_STREAM on a stream that nobody opened", .reset(99, 8)),
    Case("a window that overflows", .windowUpdate(0, 0x7fff_ffff)),
    Case("CONTINUATION of nothing", Http2Frame(.continuation, flags: Http2Frame.endHeaders, stream: 1)),
    Case("a frame within a header section", Http2Frame(.headers, stream: 1, Hpack.literals(ok)), Http2Frame(.ping, Array(1...8))),
    Case(
      "a header section that is no HPACK",
      Http2Frame(.headers, flags: Http2Frame.endHeaders, stream: 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
    Case("an index beyond the table", Http2Frame(.headers, flags: Http2Frame.endHeaders, stream: 1, [0xbe])),
    Case(
      "a table size above ours",
      Http2Frame(.headers, flags: Http2Frame.endHeaders, stream: 1, Hpack.integer(8_192, prefix: 5, first: 0x20) + Hpack.literals(ok))),
    Case("padding longer than its frame", Http2Frame(.data, flags: 8, stream: 1, [200, 1])),
    Case("a GOAWAY that takes back what it allowed", .goAway(last: 1), .goAway(last: 5)),
  ]

  @Test(arguments: sessions)
  func `a server that breaks the protocol loses the connection, and is told`(wrong: Case) throws {
    let pair = Http2Pair()
    defer { pair.close() }
    let stream = try #require(pair.submit())
    pair.run()
    for frame in wrong.frames { pair.server.send(frame) }
    pair.run()
    let error = try #require(pair.failure, "\(pair.events)")
    #expect(error.kind == .malformed)
    #expect(error.message.contains("HTTP/2"))
    #expect(pair.server.frames(.goAway).contains { $0.errorCode != 0 })
    #expect(pair.events.count { if case .failed = $0 { true } else { false } } == 1)
    #expect(!pair.session.mayOpen)
    if let end = pair.end(stream) { #expect(end != .whole) }
  }

  @Test func `a stream that was pushed before the server knew better is refused, and the others go on`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    let stream = try #require(pair.submit())
    var greeting: [UInt8] = []
    pair.session.gather(into: &greeting, upTo: 65_536)
    let promise = Http2Frame.bytes(2) + Hpack.literals([(":method", "GET"), (":scheme", "https"), (":authority", "a"), (":path", "/b")])
    pair.server.send(
      Http2Frame(.pushPromise, flags: Http2Frame.endHeaders, stream: 1, promise), .headers(2, Self.ok), .data(2, [1, 2], endStream: true),
      .headers(1, Self.ok), .data(1, [3], endStream: true))
    pair.server.receive(greeting)
    pair.run()
    #expect(pair.body(stream) == [3])
    #expect(pair.end(stream) == .whole)
    #expect(pair.failure == nil)
    #expect(pair.server.resets(2) == [7] || pair.server.resets(2) == [8])
  }

  @Test func `a peer that does not speak HTTP/2 fails the session`() throws {
    for text in ["HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", String(repeating: "\0", count: 100)] {
      let pair = Http2Pair()
      defer { pair.close() }
      _ = pair.submit()
      pair.server.output = Array(text.utf8)
      pair.run()
      #expect(pair.failure != nil)
    }
  }

  @Test func `headers above the limits are too large, and the connection goes on`() throws {
    var limits = WireLimits()
    limits.headBytes = 1_000
    limits.headerCount = 10
    limits.trailerBytes = 200
    limits.interimResponses = 3
    let pair = Http2Pair(limits: limits)
    defer { pair.close() }
    let long = [("x", String(repeating: "y", count: 2_000))]
    let many = (0..<11).map { ("x\($0)", "1") }
    let streams = try (0..<5).map { _ in try #require(pair.submit()) }
    pair.run()
    pair.server.answer(streams[0].number, Self.ok.dropFirst() + long)
    pair.server.answer(streams[1].number, many)
    pair.server.answer(streams[2].number, body: [1], trailers: [("x", String(repeating: "y", count: 300))])
    for _ in 0..<4 { pair.server.send(.headers(streams[3].number, [(":status", "103")])) }
    pair.server.answer(streams[4].number, body: [2])
    pair.run()
    for (stream, limit) in zip(streams, ["headBytes", "headerCount", "trailerBytes", "interimResponses"]) {
      guard case .failed(let error)? = pair.end(stream) else { return #expect(Bool(false), "\(pair.events)") }
      #expect(error.kind == .tooLarge)
      #expect(error.limit == limit)
      #expect(pair.server.resets(stream.number) == [8])
    }
    #expect(pair.end(streams[4]) == .whole)
    #expect(pair.failure == nil)
  }

  @Test func `a small section that unpacks into a large one is too large at the limit`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    let stream = try #require(pair.submit())
    pair.run()
    // A field of 4,000 bytes enters the table, and is named 10,000 times.
    let entry = [0x40] + Hpack.text("x") + Hpack.text(String(repeating: "y", count: 4_000))
    let section = Hpack.literals(Self.ok) + entry + [UInt8](repeating: 0xbe, count: 10_000)
    pair.server.send(Http2Frame(.headers, flags: Http2Frame.endHeaders, stream: stream.number, section))
    pair.run()
    guard case .failed(let error)? = pair.end(stream) else { return #expect(Bool(false), "\(pair.events)") }
    #expect(error.limit == "headBytes")
    #expect(pair.failure == nil)
  }

  @Test func `blanks around a value are no fault`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in server.answer(request.stream, [("a", " b\t"), ("c", "  "), ("d", "")]) }
    let stream = try #require(pair.submit())
    pair.run()
    #expect(pair.head(stream)?.headers == ["a": "b", "c": "", "d": ""])
  }
}
