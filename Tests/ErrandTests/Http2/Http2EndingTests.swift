import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) @LoopActor struct Http2EndingTests {
  @Test func `a cancel sends CANCEL, ends the events of its stream and no other's`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    let one = try #require(pair.submit())
    let other = try #require(pair.submit())
    pair.run()
    pair.server.send(.headers(one.number, [(":status", "200")]), .data(one.number, [1, 2]))
    pair.run()
    pair.session.cancel(one)
    pair.session.cancel(one)
    // Comes late.
    pair.server.send(.data(one.number, [3, 4], endStream: true))
    pair.server.answer(other.number, body: [5])
    pair.run()
    #expect(pair.body(one) == [1, 2])
    #expect(pair.end(one) == nil)
    #expect(pair.server.resets(one.number) == [8])
    #expect(pair.end(other) == .whole)
    #expect(pair.session.openCount == 0)
    #expect(pair.failure == nil)
  }

  @Test func `a request that is cancelled before it was written never reaches the server`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in server.answer(request.stream) }
    let streams = try (0..<10).map { try #require(pair.submit(.get, "/\($0)")) }
    for stream in streams where stream.number % 4 == 3 { pair.session.cancel(stream) }
    pair.run()
    #expect(pair.server.order == streams.map(\.number).filter { $0 % 4 != 3 })
    #expect(pair.server.frames(.reset) == [])
    #expect(pair.session.openCount == 0)
  }

  @Test func `a stale name of a stream does nothing`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in if request.stream == 1 { server.answer(request.stream) } }
    let old = try #require(pair.submit())
    pair.run()
    let new = try #require(pair.submit())
    #expect(new.slot == old.slot)
    pair.session.cancel(old)
    pair.session.consume(old, 10)
    pair.run()
    #expect(pair.session.isLive(new))
    #expect(pair.server.frames(.reset) == [])
  }

  @Test func `a refused stream is not processed`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in server.send(.reset(request.stream, 7)) }
    let stream = try #require(pair.submit(.post, body: [1]))
    pair.run()
    #expect(pair.end(stream) == .notProcessed("the server refused the stream"))
  }

  @Test(arguments: [UInt32(0), 1, 2, 8, 13, 99])
  func `a reset by the server is told with its code`(code: UInt32) throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in server.send(.reset(request.stream, code)) }
    let stream = try #require(pair.submit())
    pair.run()
    #expect(pair.end(stream) == .reset(Http2ErrorCode(rawValue: code)))
    #expect(pair.failure == nil)
  }

  @Test func `a reset after the whole response takes nothing from it`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.givesWindows = false
    pair.server.onHead = { server, request in
      server.answer(request.stream, status: 413, body: [1, 2])
      server.send(.reset(request.stream, 0))
    }
    let stream = try #require(pair.submit(.post, body: [UInt8](repeating: 0, count: 1_000_000)))
    pair.run()
    #expect(pair.head(stream)?.status == 413)
    #expect(pair.body(stream) == [1, 2])
    #expect(pair.end(stream) == .whole)
    #expect(pair.session.openCount == 0)
  }

  @Test func `a response before the end of the upload ends the upload`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.givesWindows = false
    pair.server.onHead = { server, request in server.answer(request.stream, status: 413) }
    let stream = try #require(pair.submit(.post, body: [UInt8](repeating: 0, count: 1_000_000)))
    pair.run()
    #expect(pair.end(stream) == .whole)
    #expect(pair.server.resets(stream.number) == [0])
    #expect(pair.session.openCount == 0)
  }

  @Test func `streams above a GOAWAY's last one are not processed, the others end as they do`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    let streams = try (0..<4).map { _ in try #require(pair.submit(.post, body: [1])) }
    pair.run()
    pair.server.send(.goAway(last: 3, 0, "maintenance"))
    let late = pair.submit()
    pair.run()
    #expect(pair.events.contains(.goAway(.noError, "\"maintenance\"")))
    for stream in streams[2...] { #expect(pair.end(stream) == .notProcessed("the server goes away")) }
    if let late { #expect(pair.end(late) == .notProcessed("the server goes away")) }
    #expect(!pair.session.mayOpen)
    #expect(pair.submit() == nil)
    for stream in streams[..<2] {
      #expect(pair.end(stream) == nil)
      pair.server.answer(stream.number, body: [9])
    }
    pair.run()
    for stream in streams[..<2] { #expect(pair.end(stream) == .whole) }
    #expect(pair.session.isFinished)
    #expect(pair.failure == nil)
  }

  @Test func `a GOAWAY in two steps loses nothing`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    let streams = try (0..<3).map { _ in try #require(pair.submit()) }
    pair.run()
    pair.server.send(.goAway(last: .max))
    pair.run()
    #expect(streams.allSatisfy { pair.end($0) == nil })
    pair.server.send(.goAway(last: 5))
    for stream in streams { pair.server.answer(stream.number) }
    pair.run()
    #expect(streams.allSatisfy { pair.end($0) == .whole })
  }

  @Test func `a goodbye of our own is written`() {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.run()
    pair.session.terminate()
    pair.run()
    #expect(pair.server.frames(.goAway).map(\.errorCode) == [0])
    #expect(pair.session.isFinished)
    #expect(pair.failure == nil)
  }

  @Test func `a header that is too large to send fails its request alone`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in server.answer(request.stream) }
    let large = try #require(pair.submit(headers: ["X": String(repeating: "x", count: 70_000)]))
    let other = try #require(pair.submit())
    pair.run()
    guard case .failed(let error)? = pair.end(large) else { return #expect(Bool(false), "\(pair.events)") }
    #expect(error.kind == .invalid)
    #expect(error.message == "the request's header fields are larger than 65536 bytes")
    #expect(pair.end(other) == .whole)
    #expect(pair.session.openCount == 0)
  }
}
