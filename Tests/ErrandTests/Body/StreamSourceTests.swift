import EventLoop
import TestSupport
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) struct StreamSourceTests {
  /// Gives pieces, and tells how many it was asked for and when it was let go.
  struct Pieces: AsyncSequence, Sendable {
    struct OutOfPaper: Error, CustomStringConvertible { let description = "out of paper" }

    let pieces: [[UInt8]]
    var fails = false
    /// Waits here for ever, or until it is cancelled.
    var hangsAtEnd = false
    let asked = Record<Int>("pieces asked for")
    let ended = Record<Bool>("ends of iterations")

    struct Iterator: AsyncIteratorProtocol {
      let pieces: Pieces
      let life: Life
      var index = 0

      mutating func next() async throws -> [UInt8]? {
        pieces.asked.add(index)
        defer { index += 1 }
        if index < pieces.pieces.count { return pieces.pieces[index] }
        if pieces.fails { throw OutOfPaper() }
        if pieces.hangsAtEnd { try await Task.sleep(for: .seconds(600)) }
        return nil
      }
    }

    final class Life: Sendable {
      let ended: Record<Bool>
      init(_ ended: Record<Bool>) { self.ended = ended }
      deinit { ended.add(true) }
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: self, life: Life(ended)) }
  }

  @LoopActor private func reader(_ pieces: Pieces, length: Int64? = nil) -> SourceReader {
    SourceReader(StreamSource(HttpBodyStream(length: length) { pieces }))
  }

  @LoopActor @Test(arguments: [[], [0], [1], [3, 0, 4], [300_000, 1, 600_000], [2_000_000], Array(repeating: 1, count: 2_000)])
  func allPiecesComeInTheirOrder(sizes: [Int]) async throws {
    let pieces = sizes.enumerated().map { pattern($1, seed: UInt64($0)) }
    for length in [nil, Int64(sizes.reduce(0, +))] {
      let reader = reader(Pieces(pieces: pieces), length: length)
      #expect(reader.source.length == length)
      try await reader.takeAll()
      #expect(reader.error == nil)
      #expect(reader.bytes == pieces.flatMap { $0 })
      #expect(reader.pieces.allSatisfy { !$0.isEmpty && $0.count <= StreamBuffer.limit })
      #expect(reader.take(), "it says again that it is over")
    }
  }

  @LoopActor @Test func anAsyncStreamIsSentOnce() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    let body = HttpBodyStream(once: stream, length: 3)
    #expect(!body.isReplayable)
    let reader = SourceReader(StreamSource(body))
    try reader.rewind()
    continuation.yield([1, 2])
    try await reader.takeNext()
    continuation.yield([3])
    continuation.finish()
    try await reader.takeAll()
    #expect(reader.bytes == [1, 2, 3])
    do throws(HttpClientError) {
      try reader.source.rewind()
      Issue.record("it was sent again")
    } catch {
      #expect(error.code.rawValue == "cannot_replay_body")
    }
    let second = SourceReader(StreamSource(body))
    #expect(second.take())
    #expect(second.error?.code.rawValue == "cannot_replay_body")
  }

  @LoopActor @Test func aThrowingStreamMayBeGivenToo() async throws {
    let (stream, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
    let reader = SourceReader(StreamSource(HttpBodyStream(once: stream)))
    continuation.yield([1])
    try await reader.takeNext()
    continuation.finish(throwing: Pieces.OutOfPaper())
    try await reader.takeAll()
    #expect(reader.bytes == [1] && reader.error?.message == "the body's stream failed: out of paper")
    #expect(reader.error?.code == .invalidRequest && reader.error?.field == "body")
  }

  @LoopActor @Test func noMoreThanTheLimitIsTakenAhead() async throws {
    let size = 65_536
    let pieces = Pieces(pieces: Array(repeating: [UInt8](repeating: 1, count: size), count: 100))
    let reader = reader(pieces)
    for count in [0, 1, 2] {
      if count == 0 { reader.take(1) } else { try await reader.takeNext() }
      #expect(reader.pieces.allSatisfy { $0.count <= StreamBuffer.limit })
      // The last of these waits for room.
      let ahead = (reader.bytes.count + StreamBuffer.limit) / size + 1
      try await pieces.asked.first(ahead)
      await pause(.milliseconds(50))
      #expect(pieces.asked.count == ahead)
    }
    try await reader.takeAll()
    #expect(reader.bytes.count == 100 * size)
  }

  @LoopActor @Test func aReaderIsWokenOnceForAllThatIsThere() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    let reader = SourceReader(StreamSource(HttpBodyStream(once: stream)))
    reader.take()
    for _ in 0..<1_000 { continuation.yield([1]) }
    try await waitUntil("a wake-up") { reader.wakeCount == 1 }
    await pause(.milliseconds(50))
    #expect(reader.wakeCount == 1)
    continuation.finish()
    try await reader.takeAll()
    #expect(reader.bytes.count == 1_000)
  }

  struct Wrong: CustomTestStringConvertible {
    let length: Int64
    let sizes: [Int]
    let given: Int
    let words: String
    var testDescription: String { "\(sizes) for \(length)" }
  }

  static let wrong = [
    Wrong(length: 10, sizes: [11], given: 0, words: "gave more than the 10 bytes"),
    Wrong(length: 10, sizes: [10, 1], given: 0, words: "gave more"),
    Wrong(length: 0, sizes: [1], given: 0, words: "gave more"),
    Wrong(length: 10, sizes: [], given: 0, words: "ended after 0 of the 10 bytes"),
    Wrong(length: 10, sizes: [4, 5], given: 9, words: "ended after 9 of the 10"),
    Wrong(length: 600_000, sizes: [600_001], given: 524_288, words: "gave more"),
    Wrong(length: 600_000, sizes: [599_999], given: 599_999, words: "ended after 599999"),
  ]

  @LoopActor @Test(arguments: wrong) func moreOrLessThanItsLengthIsAnErrorBeforeItIsWhole(wrong: Wrong) async throws {
    let reader = reader(Pieces(pieces: wrong.sizes.map { [UInt8](repeating: 1, count: $0) }), length: wrong.length)
    try await reader.takeAll()
    let error = try #require(reader.error)
    #expect(error.code == .invalidRequest && error.field == "body" && error.message.contains(wrong.words), "\(error)")
    #expect(reader.bytes.count <= wrong.given && (wrong.length == 0 || Int64(reader.bytes.count) < wrong.length))
  }

  @LoopActor @Test func theLastPieceWaitsUntilItIsKnownToBeTheLast() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    let reader = SourceReader(StreamSource(HttpBodyStream(once: stream, length: 4)))
    continuation.yield([1])
    try await reader.takeNext()
    continuation.yield([2, 3, 4])
    for _ in 0..<20 {
      reader.take()
      await pause(.milliseconds(1))
    }
    #expect(reader.bytes == [1])
    continuation.finish()
    try await reader.takeAll()
    #expect(reader.bytes == [1, 2, 3, 4])
  }

  enum Point: CaseIterable { case notBegun, waitingForTheSequence, waitingForRoom, failed, over }

  @LoopActor @Test(arguments: Point.allCases) func closedItEndsItsTask(point: Point) async throws {
    let size = point == .waitingForRoom ? 2_000_000 : 10
    let pieces = Pieces(
      pieces: [[UInt8](repeating: 1, count: size)], fails: point == .failed, hangsAtEnd: point == .waitingForTheSequence)
    let reader = reader(pieces)
    switch point {
    case .notBegun: break
    case .waitingForTheSequence:
      try await reader.takeNext()
      try await pieces.asked.first(2)
    case .waitingForRoom:
      reader.take()
      try await pieces.asked.first(1)
    case .failed, .over: try await reader.takeAll()
    }
    reader.source.close()
    if point != .notBegun { try await pieces.ended.first(1) }
    #expect(pieces.asked.count <= 2)
  }

  @LoopActor @Test func oneThatIsLetGoEndsItsTask() async throws {
    let pieces = Pieces(pieces: [[UInt8](repeating: 1, count: 2_000_000)])
    reader(pieces).take()
    try await pieces.ended.first(1)
  }

  @LoopActor @Test func aNewSequenceIsMadeForEachTime() async throws {
    let pieces = Pieces(pieces: [pattern(400_000), pattern(400_000, seed: 2)], hangsAtEnd: false)
    let reader = reader(pieces, length: 800_000)
    for count in 0..<3 {
      reader.take(1)
      if count > 0 { try await reader.takeNext() }
      try reader.rewind()
    }
    try await reader.takeAll()
    try reader.rewind()
    try await reader.takeAll()
    #expect(reader.bytes == pieces.pieces.flatMap { $0 } && reader.error == nil)
    try await pieces.ended.first(5)
    #expect(pieces.ended.count == 5)
  }

  @LoopActor @Test func afterAFailureItMayBeginAgain() async throws {
    let runs = Record<Bool>("runs")
    let reader = SourceReader(
      StreamSource(
        HttpBodyStream {
          runs.add(true)
          return Pieces(pieces: [[1]], fails: runs.count == 1)
        }))
    try await reader.takeAll()
    #expect(reader.error != nil)
    try reader.rewind()
    try await reader.takeAll()
    #expect(reader.error == nil && reader.bytes == [1])
  }

  @LoopActor @Test func bodiesAreEqualToTheirCopiesOnly() {
    let (one, other) = (HttpBodyStream { Pieces(pieces: []) }, HttpBodyStream { Pieces(pieces: []) })
    let copy = one
    #expect(one == copy && one != other && Set([one, other, copy]).count == 2)
  }
}
