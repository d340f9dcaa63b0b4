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

  /// Fills `buffer` with what is at `offset`. Blocks.
  fileprivate func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(HttpClientError) {
    switch self {
    case .bytes(let bytes):
      bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<Int(offset) + buffer.count])) }
    case .file(let file, _): try file.read(into: buffer, at: offset)
    }
  }
}

/// Segments in a row, and how far they are read.
struct SegmentCursor: Sendable {
  private let segments: [BodySegment]
  private var index = 0
  private var offset: Int64 = 0
  private var remaining: Int64

  /// At most so much is read at a time, in bytes.
  static let pieceBytes: Int64 = 262_144

  init(_ segments: [BodySegment]) {
    self.segments = segments
    remaining = segments.reduce(0) { $0 + $1.length }
  }

  var isAtEnd: Bool { remaining == 0 }

  /// Replaces what `piece` holds by the next piece, in the same memory where that fits. Blocks.
  mutating func read(into piece: inout [UInt8]) throws(HttpClientError) {
    let count = Int(min(remaining, SegmentCursor.pieceBytes))
    if piece.count != count { piece = [UInt8](unsafeUninitializedCapacity: count) { $1 = count } }
    var span = piece.mutableSpan
    try span.withUnsafeMutableBytes { (buffer) throws(HttpClientError) in try fill(buffer) }
    remaining -= Int64(count)
  }

  private mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(HttpClientError) {
    var filled = 0
    while filled < buffer.count {
      let count = Int(min(segments[index].length - offset, Int64(buffer.count - filled)))
      try segments[index].read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + count]), at: offset)
      filled += count
      offset += Int64(count)
      if offset == segments[index].length { (index, offset) = (index + 1, 0) }
    }
  }
}
