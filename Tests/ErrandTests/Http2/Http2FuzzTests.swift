import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// A server's bytes, random or damaged: whatever they are, the session gives typed ends and nothing else.
@Suite(.timeLimit(.minutes(5))) @LoopActor struct Http2FuzzTests {
  private static let streams = 4

  /// Conversations without a fault, for requests on the streams 1, 3, 5 and 7.
  private func conversations() -> [[Http2Frame]] {
    let ok = [(":status", "200"), ("content-type", "text/plain")]
    let body = Array("some bytes of a body".utf8)
    return [
      [.settings(), .headers(1, ok), .data(1, body), .data(1, [], endStream: true), .headers(3, ok, endStream: true)],
      [
        .settings([Setting.maxStreams: 2, Setting.headerTableSize: 0]), .headers(1, [(":status", "103"), ("link", "</a>")]),
        .headers(1, ok + [("content-length", "20")]), .data(1, body, endStream: true), Http2Frame(.ping, Array(1...8)),
      ],
      [
        .settings([Setting.initialWindow: 100]), .headers(5, ok), .data(5, body), .headers(5, [("x-sum", "1")], endStream: true),
        .windowUpdate(0, 1_000), .windowUpdate(7, 500), .reset(7, 8), .goAway(last: 5, 0, "bye"),
      ],
      [
        .settings(), Http2Frame(.headers, stream: 3, Hpack.literals(ok)),
        Http2Frame(.continuation, flags: Http2Frame.endHeaders, stream: 3, Hpack.literals([("a", "b")])),
        Http2Frame(.data, flags: 8 | 1, stream: 3, [3, 1, 2, 3, 0, 0, 0]), .goAway(last: 1, 2),
      ],
      [
        .settings(), Http2Frame(.headers, flags: Http2Frame.endHeaders, stream: 1, [0x88, 0x40, 1, 0x61, 1, 0x62, 0xbe]),
        Http2Frame(.headers, flags: Http2Frame.endHeaders | 1, stream: 3, [0x3f, 0xe1, 0x0f, 0x88, 0xbe]), .data(1, body, endStream: true),
      ],
    ]
  }

  private func damage(_ frames: [Http2Frame], _ random: inout SeededGenerator) -> [UInt8] {
    var frames = frames
    switch Int.random(in: 0..<8, using: &random) {
    case 0: frames.shuffle(using: &random)
    case 1: frames.remove(at: Int.random(in: 0..<frames.count, using: &random))
    case 2: frames.append(frames[Int.random(in: 0..<frames.count, using: &random)])
    case 3: frames[Int.random(in: 0..<frames.count, using: &random)].stream = Int32.random(in: 0...9, using: &random)
    case 4: frames[Int.random(in: 0..<frames.count, using: &random)].flags = UInt8.random(in: 0...255, using: &random)
    case 5: frames[Int.random(in: 0..<frames.count, using: &random)].kind = UInt8.random(in: 0...12, using: &random)
    default: break
    }
    var bytes = frames.flatMap(\.bytes)
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 2: bytes.remove(at: place)
      default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      }
    }
    return bytes
  }

  /// Feeds the bytes to a session with requests on it, in pieces, and holds what it tells against the order of events.
  private func feed(_ bytes: [UInt8], _ random: inout SeededGenerator) throws {
    let pair = Http2Pair()
    defer { pair.close() }
    pair.server.output = []
    pair.consumes = Bool.random(using: &random)
    let cancelsAt = Int.random(in: 0..<40, using: &random)
    let streams = (0..<Self.streams).compactMap { index in
      pair.submit(index == 1 ? .head : index == 3 ? .post : .get, body: index == 3 ? [UInt8](repeating: 1, count: 70_000) : [])
    }
    pair.onEvent = { pair, event in
      if pair.events.count == cancelsAt { pair.session.cancel(streams[0]) }
      if case .failed = event { pair.session.terminate() }
    }
    var buffer: [UInt8] = []
    pair.session.gather(into: &buffer, upTo: 65_536)
    var offset = 0
    while offset < bytes.count {
      let count = min(bytes.count - offset, Bool.random(using: &random) ? Int.random(in: 1...30, using: &random) : 4_096)
      bytes.withUnsafeBytes { pair.session.receive(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]), at: pair.now) }
      offset += count
      if Int.random(in: 0..<3, using: &random) == 0 { pair.session.gather(into: &buffer, upTo: 65_536 + buffer.count) }
    }
    pair.session.gather(into: &buffer, upTo: 200_000 + buffer.count)
    try checkOrder(of: pair.events)
  }

  private func checkOrder(of events: [Http2Pair.Event]) throws {
    var stages: [Http2Stream: Int] = [:]
    func enter(_ stream: Http2Stream, _ stage: Int, from allowed: ClosedRange<Int>) throws {
      try #require(allowed.contains(stages[stream] ?? 0), "\(events)")
      stages[stream] = stage
    }
    var failures = 0
    for event in events {
      switch event {
      case .interim(let stream, _): try enter(stream, 0, from: 0...0)
      case .head(let stream, let head, _):
        try enter(stream, 1, from: 0...0)
        try #require((200...999).contains(head.status))
      case .body(let stream, _): try enter(stream, 1, from: 1...1)
      case .trailers(let stream, _): try enter(stream, 2, from: 1...1)
      case .end(let stream, .whole): try enter(stream, 3, from: 1...2)
      case .end(let stream, _): try enter(stream, 3, from: 0...2)
      case .failed:
        failures += 1
        try #require(failures == 1)
      case .goAway, .settings, .ping: break
      }
    }
  }

  @Test func `40,000 damaged conversations trap nothing and end each stream at most once`() async throws {
    var random = SeededGenerator(seed: 2_024)
    let conversations = conversations()
    let before = Http2SessionTable.count
    for round in 0..<40_000 {
      try feed(damage(conversations[round % conversations.count], &random), &random)
    }
    #expect(Http2SessionTable.count == before)
  }

  @Test func `10,000 streams of random bytes trap nothing`() async throws {
    var random = SeededGenerator(seed: 9_113)
    let before = Http2SessionTable.count
    for round in 0..<10_000 {
      var bytes: [UInt8] = round % 2 == 0 ? Http2Frame.settings().bytes : []
      if round % 3 == 0 {
        // Frames of a right form with random contents.
        for _ in 0..<8 {
          let payload = (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
          bytes +=
            Http2Frame(
              kind: UInt8.random(in: 0...10, using: &random), flags: UInt8.random(in: 0...255, using: &random),
              stream: Int32.random(in: 0...9, using: &random), payload
            ).bytes
        }
      } else {
        bytes += (0..<Int.random(in: 0..<300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      try feed(bytes, &random)
    }
    #expect(Http2SessionTable.count == before)
  }
}
