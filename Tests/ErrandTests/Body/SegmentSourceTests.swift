import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) struct SegmentSourceTests {
  @LoopActor @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 1_000_000])
  func aFileComesInPiecesThatAreItsContent(size: Int) async throws {
    let directory = try TemporaryDirectory()
    let content = pattern(size)
    let reader = SourceReader(SegmentSource(try OpenBody(file: try directory.write("f", content), contentType: nil)))
    #expect(reader.source.length == Int64(size))
    try await reader.takeAll()
    #expect(reader.error == nil)
    #expect(reader.bytes == content)
    #expect(reader.pieces.allSatisfy { $0.count <= 262_144 })
    #expect(reader.pieces.count == (size + 262_143) / 262_144)
    #expect(reader.take(), "it says again that it is over")
  }

  @LoopActor @Test func bytesAndFilesFollowEachOther() async throws {
    let directory = try TemporaryDirectory()
    let contents = [10, 300_000, 0, 1, 262_144, 700_000, 5].enumerated().map { pattern($1, seed: UInt64($0)) }
    var segments: [BodySegment] = []
    for (index, content) in contents.enumerated() {
      guard index % 2 == 1 else {
        segments.append(.bytes(content))
        continue
      }
      segments.append(.file(try BodyFile.open(try directory.write("f\(index)", content)), length: Int64(content.count)))
    }
    let reader = SourceReader(SegmentSource(OpenBody(segments)))
    #expect(reader.source.length == Int64(contents.reduce(0) { $0 + $1.count }))
    try await reader.takeAll()
    #expect(reader.bytes == contents.flatMap { $0 })
    #expect(reader.pieces.dropLast().allSatisfy { $0.count == 262_144 }, "pieces are full, across segments")
  }

  @LoopActor @Test func aFileThatShrinksIsAnErrorThatNamesIt() async throws {
    for size in [0, 1, 262_144, 300_000, 999_999] {
      let directory = try TemporaryDirectory()
      let path = try directory.sparse("shrinks", 1_000_000)
      let reader = SourceReader(SegmentSource(try OpenBody(file: path, contentType: nil)))
      try await reader.takeNext()
      try directory.resize("shrinks", to: size)
      try await reader.takeAll()
      let error = try #require(reader.error)
      #expect(error.code == .invalidRequest && error.field == "body" && error.message.contains(path), "\(error)")
      #expect(reader.bytes.count < 1_000_000)
      #expect(reader.take())
    }
  }

  @LoopActor @Test func aFileThatGrowsIsCutAtItsFirstSize() async throws {
    let directory = try TemporaryDirectory()
    let reader = SourceReader(SegmentSource(try OpenBody(file: try directory.sparse("grows", 600_000), contentType: nil)))
    try await reader.takeNext()
    try directory.resize("grows", to: 2_000_000)
    try await reader.takeAll()
    #expect(reader.error == nil && reader.bytes.count == 600_000)
  }

  @LoopActor @Test func aFileThatIsRemovedOrReplacedIsReadOn() async throws {
    let directory = try TemporaryDirectory()
    let content = pattern(600_000)
    let path = try directory.write("f", content)
    let reader = SourceReader(SegmentSource(try OpenBody(file: path, contentType: nil)))
    try await reader.takeNext()
    #expect(unlink(path) == 0)
    try directory.write("f", [1, 2, 3])
    try await reader.takeAll()
    #expect(reader.bytes == content)
    try reader.rewind()
    try await reader.takeAll()
    #expect(reader.bytes == content, "again from the start")
  }

  @LoopActor @Test func itBeginsAgainAtAnyPoint() async throws {
    let directory = try TemporaryDirectory()
    let content = pattern(600_000)
    let reader = SourceReader(SegmentSource(try OpenBody(file: try directory.write("f", content), contentType: nil)))
    try reader.rewind()
    // While a piece is being read, and with one that was not taken.
    reader.take(1)
    try reader.rewind()
    reader.take(1)
    try await waitUntil("a piece") { reader.wakeCount > 0 }
    try reader.rewind()
    for count in 1...3 {
      try await reader.takeNext(count)
      try reader.rewind()
    }
    try await reader.takeAll()
    #expect(reader.bytes == content)
  }

  @LoopActor @Test func closedItSaysNoMoreAndItsFilesAreClosed() async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.sparse("f", 10_000_000)
    for count in 0..<4 {
      let reader = SourceReader(SegmentSource(try OpenBody(file: path, contentType: nil)))
      if count > 0 { try await reader.takeNext(count) }
      // The next is being read.
      reader.take(1)
      #expect(Descriptors.open(at: path) == 1)
      reader.source.close()
      try await waitUntil("closed files") { Descriptors.open(at: path) == 0 }
    }
  }

  @LoopActor @Test func oneThatIsLetGoClosesItsFiles() async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.sparse("f", 10_000_000)
    do {
      let body = try OpenBody([.file("a", path), .file("b", path), .value("c", "d")])
      #expect(Descriptors.open(at: path) == 2)
      _ = SourceReader(SegmentSource(body)).take(1)
    }
    try await waitUntil("closed files") { Descriptors.open(at: path) == 0 }
  }
}
