/// Undoes the content codings of one body: `gzip`, `deflate`, `br`, `zstd`, stacked in any order (RFC 9110 8.4). For one thread at a time.
public final class ContentDecoder {
  /// What `decode` needs to go on.
  public enum Progress: Sendable, Equatable {
    /// All of the input was taken, and all output given that it makes.
    case needsInput
    /// The budget is used up: call again with the rest of the input, even if there is none.
    case hasMore
  }

  /// The codings, as a request asks for them.
  public static let acceptEncoding = "gzip, deflate, br, zstd"

  private let limits: DecodingLimits
  private let last: DecodingStage
  private var failure: WireError?
  /// Bytes of the peer's that were taken.
  public private(set) var encodedBytes: Int64 = 0
  /// Bytes that were given.
  public var decodedBytes: Int64 { last.produced }

  /// Bytes that were made in all, those between stacked codings among them: what the budgets are taken from.
  public var workDone: Int64 { last.producedInAll }

  private init(_ last: DecodingStage, _ limits: DecodingLimits) {
    self.last = last
    self.limits = limits
  }

  /// A decoder for a body with these fields; nil if it is not coded. Throws `unsupported` for a coding that is not known, with its name, and
  /// `tooLarge` for more than `DecodingLimits.maxCodings`.
  public static func make(contentEncoding headers: HttpHeaders, limits: DecodingLimits) throws(WireError) -> ContentDecoder? {
    guard headers.contains("content-encoding") else { return nil }
    var stage: DecodingStage?
    // The last that was applied is the first to be undone.
    for coding in try ContentCoding.codings(of: headers).reversed() { stage = DecodingStage(try coding.makeStep(), upstream: stage) }
    return stage.map { ContentDecoder($0, limits) }
  }

  /// Takes from `input` at `offset`, which moves on, and appends to `output` until the input is used up or about `budget` bytes were decoded (those
  /// between stacked codings count too).
  ///
  /// Throws `malformed` for what the coding does not allow, and `tooLarge` as soon as a limit is passed; then the same again at each call. What was
  /// appended before may stay.
  public func decode(
    _ input: UnsafeRawBufferPointer, at offset: inout Int, into output: inout [UInt8], budget: Int
  ) throws(WireError) -> Progress {
    precondition(offset >= 0 && offset <= input.count, "the offset lies outside of the input")
    if let failure { throw failure }
    do throws(WireError) {
      var work = max(1, min(budget, 1 << 30))
      while work > 0, offset < input.count || last.hasMore {
        let room = room(in: output, for: input.count - offset, work)
        try output.append(addingCapacity: room) { (span) throws(WireError) in
          try span.withUnsafeMutableBufferPointer { (free, count) throws(WireError) in
            count = try pull(input, at: &offset, into: UnsafeMutableRawBufferPointer(free), &work)
          }
        }
        guard last.produced <= limits.maxBytes else { throw tooManyBytes("the decoded body") }
      }
      return offset < input.count || last.hasMore ? .hasMore : .needsInput
    } catch {
      failure = error
      throw error
    }
  }

  /// To be called at the end of the body, once `decode` needs input. Throws `truncated` where a coding is cut. A body without any bytes is no error,
  /// as of HEAD, 204 and 304.
  public func finish() throws(WireError) {
    if let failure { throw failure }
    guard encodedBytes > 0, let step = last.incomplete else { return }
    throw .truncated("the body ends in the middle of its \(step.name) coding")
  }

  /// How much to ask for: a guess at what the input makes, or more if that is free already. zlib is slow where there is little room.
  private func room(in output: [UInt8], for input: Int, _ work: Int) -> Int {
    let free = output.capacity - output.count
    // One byte above the limit tells that it was passed.
    let most = min(work, Int(clamping: limits.maxBytes - last.produced)) + 1
    return max(1, min(most, max(free, 1_024, 4 * min(input, 1 << 20))))
  }

  private func pull(
    _ input: UnsafeRawBufferPointer, at offset: inout Int, into room: UnsafeMutableRawBufferPointer, _ work: inout Int
  ) throws(WireError) -> Int {
    let start = offset
    defer { encodedBytes += Int64(offset - start) }
    let before = encodedBytes
    let written = try last.pull(input, at: &offset, into: room, work: &work) { (between) throws(WireError) in
      try check(between, of: Int64(input.count) + before)
      guard between <= limits.maxCodedBytes else { throw tooManyBytes("what lies between the body's codings") }
    }
    let encoded = before + Int64(offset - start)
    try check(last.produced, of: encoded)
    guard encoded <= limits.maxCodedBytes else { throw tooManyBytes("the encoded body") }
    return written
  }

  private func check(_ produced: Int64, of encoded: Int64) throws(WireError) {
    guard limits.isOverRatio(produced, of: encoded) else { return }
    throw .tooLarge("maxRatio", "the body decodes to more than \(limits.maxRatio) times its size", status: 413)
  }

  private func tooManyBytes(_ what: String) -> WireError {
    .tooLarge("maxBytes", "\(what) is larger than its limit (\(limits.maxBytes) bytes decoded)", status: 413)
  }
}
