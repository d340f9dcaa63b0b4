import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) @LoopActor struct Http2FloodTests {
  struct Flood: Sendable, CustomTestStringConvertible {
    let name: String
    let frame: Http2Frame
    var testDescription: String { name }
  }

  nonisolated static let floods = [
    Flood(name: "RST_STREAM", frame: .reset(1, 8)),
    Flood(name: "PING", frame: Http2Frame(.ping, flags: Http2Frame.ack, Array(1...8))),
    Flood(name: "SETTINGS", frame: .settings()),
    Flood(name: "empty DATA", frame: .data(3, [])),
    Flood(name: "PRIORITY", frame: Http2Frame(.priority, stream: 3, [0, 0, 0, 0, 1])),
    Flood(name: "WINDOW_UPDATE", frame: .windowUpdate(0, 1)),
    Flood(name: "GOAWAY", frame: .goAway(last: .max)),
  ]

  /// A session with stream 1 over and stream 3 in the middle of its body.
  private func open() -> Http2Pair {
    let pair = Http2Pair()
    pair.server.onRequest = { server, request in
      server.send(.headers(request.stream, [(":status", "200")], endStream: request.stream == 1))
    }
    _ = pair.submit()
    _ = pair.submit()
    pair.run()
    return pair
  }

  @Test func `header sections of streams that were given up are borne up to a limit`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    let stream = try #require(pair.submit())
    pair.run()
    pair.session.cancel(stream)
    pair.run()
    func send(_ count: Int) {
      for _ in 0..<count { pair.server.send(.headers(stream.number, [(":status", "103"), ("link", "</a>")])) }
      pair.run()
    }
    send(900)
    #expect(pair.failure == nil)
    send(3_000)
    let error = try #require(pair.failure)
    #expect(error.message.hasSuffix(" belated frames"))
  }

  @Test(arguments: floods)
  func `frames that carry nothing are borne up to their limit`(flood: Flood) throws {
    let pair = open()
    defer { pair.close() }
    for _ in 0..<900 { pair.server.send(flood.frame) }
    pair.run()
    #expect(pair.failure == nil)
    for _ in 0..<200 { pair.server.send(flood.frame) }
    pair.run()
    let error = try #require(pair.failure)
    #expect(error.message == "the server floods the connection: \(error.message.split(separator: " ")[5]) \(flood.name) frames")
    #expect(pair.server.frames(.goAway).map(\.errorCode) == [11])
  }

  @Test(arguments: floods)
  func `the count starts anew with each period`(flood: Flood) {
    let pair = open()
    defer { pair.close() }
    for _ in 0..<5 {
      pair.now = pair.now + .seconds(10)
      for _ in 0..<900 { pair.server.send(flood.frame) }
      pair.run()
    }
    #expect(pair.failure == nil)
  }

  @Test func `pings and settings to be answered are limited by the same rule`() throws {
    for frame in [Http2Frame(.ping, Array(1...8)), .settings()] {
      let pair = open()
      defer { pair.close() }
      for _ in 0..<1_500 { pair.server.send(frame) }
      pair.run()
      #expect(pair.failure != nil)
    }
  }

  @Test func `window updates that follow an upload are no flood`() throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.onRequest = { server, request in server.answer(request.stream) }
    let stream = try #require(pair.submit(.post, body: [UInt8](repeating: 0, count: 60_000_000)))
    pair.run()
    #expect(pair.server.frames(.data).count > 3_000)
    #expect(pair.end(stream) == .whole)
    #expect(pair.failure == nil)
  }

  @Test func `resets of a thousand requests are no flood`() throws {
    let pair = Http2Pair(server: [Setting.maxStreams: 3_000])
    defer { pair.close() }
    pair.run()
    pair.server.onRequest = { server, request in server.send(.reset(request.stream, 7)) }
    for _ in 0..<3 {
      for _ in 0..<900 { _ = pair.submit() }
      pair.run()
    }
    #expect(pair.failure == nil)
    #expect(pair.events.count { if case .end(_, .notProcessed) = $0 { true } else { false } } == 2_700)
  }

  @Test func `CONTINUATION frames are bounded for one section and in all`() throws {
    let pair = open()
    defer { pair.close() }
    pair.server.send(Http2Frame(.headers, stream: 3, Hpack.literals([("x", "1")])))
    for _ in 0..<20 { pair.server.send(Http2Frame(.continuation, stream: 3, Hpack.literals([("y", "1")]))) }
    pair.run()
    #expect(pair.failure != nil)
  }
}
