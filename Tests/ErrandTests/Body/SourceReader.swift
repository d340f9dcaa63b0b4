import EventLoop
import Glibc
import TestSupport

@testable import Errand

/// Reads a body's source as a connection would: piece by piece, waiting where there is nothing yet.
@LoopActor
final class SourceReader {
  let source: any BodySource
  private(set) var pieces: [[UInt8]] = []
  private(set) var error: HttpClientError?
  private(set) var isAtEnd = false
  /// How often it was told that there is more.
  private(set) var wakeCount = 0
  private var isReady = true
  private var piece: [UInt8] = []

  init(_ source: any BodySource) {
    self.source = source
    source.onReady = { [unowned self] in
      wakeCount += 1
      isReady = true
    }
  }

  var bytes: [UInt8] { pieces.flatMap { $0 } }

  /// Takes what is there, up to `count` pieces; true once it is over.
  @discardableResult
  func take(_ count: Int = .max) -> Bool {
    var left = count
    while isReady, left > 0, !isAtEnd, error == nil {
      switch source.next(into: &piece) {
      case .later: isReady = false
      case .end: isAtEnd = true
      case .failed(let error): self.error = error
      case .piece(let isLast):
        pieces.append(piece)
        left -= 1
        if isLast { isAtEnd = true }
      }
    }
    return isAtEnd || error != nil
  }

  func takeAll() async throws {
    try await waitUntil("a body's end") { self.take() }
  }

  /// Waits for the next `count` pieces.
  func takeNext(_ count: Int = 1) async throws {
    let wanted = pieces.count + count
    try await waitUntil("pieces of a body") { self.take(wanted - self.pieces.count) || self.pieces.count >= wanted }
  }

  func rewind() throws(HttpClientError) {
    try source.rewind()
    (pieces, error, isAtEnd, isReady) = ([], nil, false, true)
  }
}

extension TemporaryDirectory {
  /// A file that takes no room on the disk and is read as zeros.
  func sparse(_ name: String, _ size: Int) throws -> String {
    let path = try write(name, [])
    guard truncate(path, off_t(size)) == 0 else { throw TestTimeout("truncate: errno \(errno)") }
    return path
  }

  /// Changes a file's size.
  func resize(_ name: String, to size: Int) throws {
    guard truncate(file(name), off_t(size)) == 0 else { throw TestTimeout("truncate: errno \(errno)") }
  }
}

/// Bytes of which every stretch is different.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var random = SeededGenerator(seed: seed)
  let words = (0..<min(8_190, (count + 7) / 8)).map { _ in random.next() }
  // Not a divisor of any size that pieces have.
  let block = words.withUnsafeBytes { [UInt8]($0.prefix(65_519)) }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count)
  while bytes.count < count { bytes += block.prefix(count - bytes.count) }
  return bytes
}

extension Descriptors {
  /// How many descriptors of this process are open on the file.
  static func open(at path: String) -> Int {
    var wanted = stat()
    guard stat(path, &wanted) == 0 else { return 0 }
    return (0..<Int32(2_048)).count { descriptor in
      var found = stat()
      return fstat(descriptor, &found) == 0 && found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev
    }
  }
}
