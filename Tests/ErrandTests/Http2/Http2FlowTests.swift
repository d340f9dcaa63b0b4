import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) @LoopActor struct Http2FlowTests {
  private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

  @Test func `a body that nobody takes stops at the stream's window and goes on when taken`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.consumes = false
    pair.server.onRequest = { server, request in server.answer(request.stream, body: bytes(3_000_000)) }
    let stream = try #require(pair.submit())
    pair.run()
    #expect(pair.body(stream).count == 1_048_576)
    #expect(pair.server.heldBack == 3_000_000 - 1_048_576)
    pair.session.consume(stream, 600_000)
    pair.run()
    #expect(pair.body(stream).count == 1_648_576)
    pair.consumes = true
    pair.session.consume(stream, 1_048_576)
    pair.run()
    #expect(pair.body(stream) == bytes(3_000_000))
    #expect(pair.end(stream) == .whole)
  }

  @Test func `a body waits for the server's settings`() throws {
    let pair = Http2Pair(server: [4: 1_023])
    defer { pair.close() }
    pair.server.onRequest = { server, request in server.answer(request.stream, body: [1]) }
    let stream = try #require(pair.submit(.post, body: bytes(200_000)))
    var first: [UInt8] = []
    pair.session.gather(into: &first, upTo: 1_000_000)
    #expect(first.count < 1_000)
    #expect(pair.session.progress(stream)?.body == 0)
    pair.server.receive(first)
    pair.run()
    #expect(pair.end(stream) == .whole)
  }

  @Test func `slow consumers do not stop the others`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.consumes = false
    pair.server.onRequest = { server, request in server.answer(request.stream, body: [UInt8](repeating: 7, count: 2_000_000)) }
    let slow = try (0..<20).map { _ in try #require(pair.submit()) }
    pair.run()
    for stream in slow { #expect(pair.body(stream).count == 1_048_576) }
    pair.consumes = true
    let quick = try #require(pair.submit())
    pair.run()
    #expect(pair.end(quick) == .whole)
    for stream in slow { #expect(pair.end(stream) == nil) }
  }

  @Test func `bytes for a stream that was given up do not eat the connection's window`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.consumes = false
    pair.server.onRequest = { server, request in server.send(.headers(request.stream, [(":status", "200")])) }
    for _ in 0..<40 {
      let stream = try #require(pair.submit())
      pair.run()
      pair.session.cancel(stream)
      // Under way before the server knows.
      for _ in 0..<64 { pair.server.send(.data(stream.number, [UInt8](repeating: 1, count: 16_384))) }
      pair.run()
    }
    pair.consumes = true
    pair.server.onRequest = { server, request in server.answer(request.stream, body: bytes(100_000)) }
    let last = try #require(pair.submit())
    pair.run()
    #expect(pair.end(last) == .whole)
    #expect(pair.failure == nil)
  }

  @Test func `an upload is sent in full, as the server's windows allow`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in server.answer(request.stream) }
    let body = bytes(500_000)
    let stream = try #require(pair.submit(.post, body: body))
    pair.run()
    #expect(pair.server.requests[1]?.bodyCount == 500_000)
    #expect(pair.server.requests[1]?["content-length"] == "500000")
    #expect(pair.server.requests[1]?.body == Array(body.prefix(pair.server.requests[1]?.body.count ?? 0)))
    #expect(pair.end(stream) == .whole)
  }

  @Test func `an upload waits for a server that gives no window, and others pass it`() throws {
    let pair = Http2Pair(server: [Setting.initialWindow: 1_000])
    defer { pair.close() }
    pair.server.givesWindows = false
    pair.server.onRequest = { server, request in server.answer(request.stream) }
    pair.run()
    let upload = try #require(pair.submit(.post, body: bytes(10_000)))
    pair.run()
    #expect(pair.server.requests[upload.number]?.bodyCount == 1_000)
    #expect(pair.session.progress(upload)?.body == 1_000)
    #expect(pair.session.progress(upload)?.isWhole == false)
    let other = try #require(pair.submit())
    pair.run()
    #expect(pair.end(other) == .whole)
    pair.server.send(.windowUpdate(upload.number, 9_000))
    pair.run()
    #expect(pair.end(upload) == .whole)
  }

  @Test func `a body that is held back goes out when told`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in server.answer(request.stream) }
    pair.server.onHead = { server, request in server.send(.headers(request.stream, [(":status", "100")])) }
    let stream = try #require(pair.submit(.put, headers: ["Expect": "100-continue"], body: bytes(100), holdsBody: true))
    pair.run()
    #expect(pair.events.contains(.interim(stream, ResponseHead(version: .http2, status: 100))))
    #expect(pair.server.requests[1]?.bodyCount == 0)
    pair.session.sendHeldBody(stream)
    pair.run()
    #expect(pair.server.requests[1]?.bodyCount == 100)
    #expect(pair.end(stream) == .whole)
  }

  @Test func `what is gathered is bounded by the limit and a frame`() throws {
    let pair = Http2Pair(server: [Setting.initialWindow: 10_000_000])
    defer { pair.close() }
    pair.run()
    pair.server.send(.windowUpdate(0, 10_000_000))
    pair.run()
    _ = pair.submit(.post, body: bytes(5_000_000))
    var total = 0
    while pair.session.wantsWrite {
      var buffer: [UInt8] = []
      pair.session.gather(into: &buffer, upTo: 100_000)
      #expect(buffer.count < 120_000)
      total += buffer.count
    }
    #expect(total > 5_000_000)
  }
}
