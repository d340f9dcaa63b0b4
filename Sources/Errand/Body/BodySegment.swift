/// A stretch of a body that can be read as often as one likes.
enum BodySegment: Sendable {
  case bytes([UInt8])
  /// The first `length` bytes of a file.
  case file(BodyFile, length: Int64)

  var length: Int64 {
    switch self {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(_, let length): length
    }
  }
}

/// Segments in a row, and how far they are read.
struct SegmentCursor: Sendable {
  private let segments: [BodySegment]
  private var index = 0
  private var offset: Int64 = 0

  /// At most so much is read at a time, in bytes.
  static let pieceBytes: Int64 = 262_144

  init(_ segments: [BodySegment]) {
    self.segments = segments.filter { $0.length > 0 }
  }

  var isAtEnd: Bool { index == segments.count }

  /// Replaces what `piece` holds by the next piece, in the memory that it has. Blocks.
  mutating func read(into piece: inout [UInt8]) throws(HttpClientError) {
    piece.removeAll(keepingCapacity: true)
    while !isAtEnd, case let room = SegmentCursor.pieceBytes - Int64(piece.count), room > 0 {
      let count = min(segments[index].length - offset, room)
      try segments[index].append(to: &piece, from: offset, Int(count))
      offset += count
      if offset == segments[index].length { (index, offset) = (index + 1, 0) }
    }
  }
}

extension BodySegment {
  fileprivate func append(to piece: inout [UInt8], from offset: Int64, _ count: Int) throws(HttpClientError) {
    switch self {
    case .bytes(let bytes):
      piece += bytes[Int(offset)..<Int(offset) + count]
    case .file(let file, _):
      let start = piece.count
      piece += repeatElement(0, count: count)
      var span = piece.mutableSpan
      try span.withUnsafeMutableBytes { (bytes) throws(HttpClientError) in
        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), at: offset)
      }
    }
  }
}
