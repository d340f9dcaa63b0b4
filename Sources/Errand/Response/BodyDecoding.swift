internal import EventLoop
internal import HttpWire

/// One response's body on its way through its content codings.
@LoopActor
final class BodyDecoding {
  /// What one request decodes in a turn of the loop, in bytes.
  static let bytesPerTurn = 262_144

  /// There is more to be had of what was received.
  private(set) var hasMore = false
  /// In the line of those that go on at the end of the turn.
  var isInLine = false
  /// The message has ended, and its connection was given up.
  var hasEnded = false
  private let decoder: ContentDecoder
  private var kept: [UInt8] = []
  private var taken = 0
  private var turn: UInt32 = 0
  private var left = 0

  init(_ decoder: ContentDecoder) {
    self.decoder = decoder
  }

  var encodedByteCount: Int64 { decoder.encodedBytes }

  /// How much it may decode yet in this turn.
  func budget(_ line: DecodingLine) -> Int {
    if turn != EventLoop.shared.turn { startTurn() }
    return min(left, line.left)
  }

  /// It has its turn's work before it again.
  func startTurn() {
    turn = EventLoop.shared.turn
    left = BodyDecoding.bytesPerTurn
  }

  /// Decodes bytes of the connection's, as far as the budgets reach; what is over is kept.
  func take(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8], _ line: DecodingLine) throws(WireError) {
    var offset = 0
    if !hasMore { try run(bytes, at: &offset, into: &output, line) }
    if offset < bytes.count { keep(UnsafeRawBufferPointer(rebasing: bytes[offset...])) }
  }

  /// For later.
  func keep(_ bytes: UnsafeRawBufferPointer) {
    if taken == kept.count {
      kept.removeAll(keepingCapacity: true)
      taken = 0
    }
    kept.append(contentsOf: bytes)
    hasMore = true
  }

  /// Goes on with what was kept.
  func goOn(into output: inout [UInt8], _ line: DecodingLine) throws(WireError) {
    let kept = kept
    try kept.span.bytes.withUnsafeBytes { (bytes) throws(WireError) in try run(bytes, at: &taken, into: &output, line) }
    if taken == kept.count { (self.kept, taken) = ([], 0) }
  }

  /// The end of the body. Throws `truncated` where it is not the end of the coding.
  func finish() throws(WireError) { try decoder.finish() }

  private func run(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int, into output: inout [UInt8], _ line: DecodingLine
  ) throws(WireError) {
    let budget = budget(line)
    guard budget > 0 else {
      hasMore = true
      return
    }
    let before = decoder.workDone
    hasMore = try decoder.decode(bytes, at: &offset, into: &output, budget: budget) == .hasMore
    let work = Int(clamping: decoder.workDone - before)
    left -= work
    line.left -= work
  }
}
