/// One coding of a stack, and what the one before it has decoded but this one has not taken yet.
final class DecodingStage {
  private static let bufferBytes = 32_768

  let step: any CodingStep
  /// Decoded so far.
  private(set) var produced: Int64 = 0
  private let upstream: DecodingStage?
  private var buffer: [UInt8] = []
  private var taken = 0

  init(_ step: any CodingStep, upstream: DecodingStage?) {
    self.step = step
    self.upstream = upstream
  }

  /// With what the codings before it made.
  var producedInAll: Int64 { produced + (upstream?.producedInAll ?? 0) }

  /// More output may come without more input.
  var hasMore: Bool { step.hasPending || taken < buffer.count || upstream?.hasMore == true }

  /// The first coding that is not at its end, if there is one.
  var incomplete: (any CodingStep)? { upstream?.incomplete ?? (step.isComplete ? nil : step) }

  /// Decodes what there is until there is some output, or none to be had, or `work` has run out, from which everything that is decoded on the way is
  /// taken. Gives the bytes written to `room`.
  func pull(
    _ input: UnsafeRawBufferPointer, at offset: inout Int, into room: UnsafeMutableRawBufferPointer, work: inout Int,
    check: (Int64) throws(WireError) -> Void
  ) throws(WireError) -> Int {
    guard let upstream else {
      guard offset < input.count || step.hasPending else { return 0 }
      let written = try run(input, at: &offset, into: room)
      work -= written
      return written
    }
    while true {
      if taken == buffer.count {
        buffer.removeAll(keepingCapacity: true)
        taken = 0
        try buffer.append(addingCapacity: DecodingStage.bufferBytes) { (span) throws(WireError) in
          try span.withUnsafeMutableBufferPointer { (free, count) throws(WireError) in
            count = try upstream.pull(input, at: &offset, into: UnsafeMutableRawBufferPointer(free), work: &work, check: check)
          }
        }
        try check(upstream.produced)
        if buffer.isEmpty, !step.hasPending { return 0 }
      }
      let written = try buffer.withBytes { (bytes) throws(WireError) in try run(bytes, at: &taken, into: room) }
      work -= written
      if written > 0 || work <= 0 { return written }
    }
  }

  private func run(
    _ input: UnsafeRawBufferPointer, at offset: inout Int, into room: UnsafeMutableRawBufferPointer
  ) throws(WireError) -> Int {
    let start = offset
    let written = try step.step(input, at: &offset, into: room)
    // What takes nothing and gives nothing would be asked for ever.
    guard written > 0 || offset > start || offset == input.count else { throw step.malformed("it does not go on") }
    produced += Int64(written)
    return written
  }
}
