/// Finds the end of a body (RFC 9112 6, 7) and tells where its bytes lie in the input, without copying them.
struct BodyReader: Sendable {
  enum Framing: Sendable {
    case none
    case length(Int64)
    case chunked, untilClose
  }
  enum Step {
    case body(Range<Int>)
    case trailers(HttpHeaders)
    case end
  }

  private enum State: Sendable {
    case length(Int64)
    case untilClose
    case chunkLine(ChunkLine)
    case chunkData(Int64)
    case chunkEnd(sawCarriageReturn: Bool)
    case trailers
    case ended
  }

  private var state = State.ended
  private var received: Int64 = 0
  private var overhead: Int64 = 0

  var isUntilClose: Bool { if case .untilClose = state { true } else { false } }

  mutating func begin(_ framing: Framing) {
    received = 0
    overhead = 0
    switch framing {
    case .none: state = .ended
    case .length(let length): state = length == 0 ? .ended : .length(length)
    case .chunked: state = .chunkLine(ChunkLine())
    case .untilClose: state = .untilClose
    }
  }

  /// nil when all of the input was taken and more is needed. After `.end` nothing more is taken.
  mutating func next(
    _ input: UnsafeRawBufferPointer, at offset: inout Int, trailers: inout HeadParser, limits: WireLimits
  ) throws(WireError) -> Step? {
    while true {
      let available = input.count - offset
      switch state {
      case .ended: return .end
      case .length(let left):
        // The whole length is checked at once, so that a body too large is refused before its first byte.
        if received == 0 { try checkRoom(for: left, limits) }
        guard available > 0 else { return nil }
        let count = Int(min(left, Int64(available)))
        received += Int64(count)
        state = left == Int64(count) ? .ended : .length(left - Int64(count))
        return .body(take(count, &offset))
      case .untilClose:
        guard available > 0 else { return nil }
        let room = limits.bodyBytes.map { $0 - received } ?? .max
        if room <= 0 { throw Self.tooLarge }
        let count = Int(min(Int64(available), room))
        received += Int64(count)
        return .body(take(count, &offset))
      case .chunkLine(var line):
        var complete = false
        while !complete, offset < input.count {
          complete = try line.take(input[offset], limit: limits.chunkLineBytes)
          offset += 1
        }
        guard complete else {
          state = .chunkLine(line)
          return nil
        }
        try beginChunk(line, &trailers, limits)
      case .chunkData(let left):
        guard available > 0 else { return nil }
        let count = Int(min(left, Int64(available)))
        received += Int64(count)
        state = left == Int64(count) ? .chunkEnd(sawCarriageReturn: false) : .chunkData(left - Int64(count))
        return .body(take(count, &offset))
      case .chunkEnd(let sawCarriageReturn):
        guard available > 0 else { return nil }
        guard input[offset] == (sawCarriageReturn ? Ascii.lf : Ascii.cr) else {
          throw .malformed("the data of a chunk is not followed by CRLF")
        }
        offset += 1
        state = sawCarriageReturn ? .chunkLine(ChunkLine()) : .chunkEnd(sawCarriageReturn: true)
      case .trailers:
        guard let fields = try trailers.next(input, at: &offset, limits: limits) else { return nil }
        state = .ended
        if !fields.isEmpty { return .trailers(fields) }
      }
    }
  }

  private mutating func beginChunk(
    _ line: ChunkLine, _ trailers: inout HeadParser, _ limits: WireLimits
  ) throws(WireError) {
    guard let size = Int64(exactly: line.size), received <= .max - size else { throw .malformed("a chunk size is too large") }
    // What a chunk-size line may cost: its usual length, and twice the data it announces.
    overhead = size > 1 << 20 ? 0 : max(0, overhead + Int64(line.lineBytes) - 18 - 2 * size)
    guard overhead <= Int64(limits.chunkOverheadBytes) else {
      throw .tooLarge("chunkOverheadBytes", "there is more chunk framing than data", status: 400)
    }
    if size == 0 {
      trailers.reset(.trailers)
      state = .trailers
    } else {
      try checkRoom(for: size, limits)
      state = .chunkData(size)
    }
  }

  private func checkRoom(for count: Int64, _ limits: WireLimits) throws(WireError) {
    if let limit = limits.bodyBytes, count > limit - received { throw Self.tooLarge }
  }

  private func take(_ count: Int, _ offset: inout Int) -> Range<Int> {
    defer { offset += count }
    return offset..<offset + count
  }

  private static var tooLarge: WireError { .tooLarge("bodyBytes", "the body is too large", status: 413) }
}
