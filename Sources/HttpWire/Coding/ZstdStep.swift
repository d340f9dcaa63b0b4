internal import CCompression

/// Zstandard (RFC 8878): frames and skippable frames one after another, with windows within RFC 9659.
final class ZstdStep: CodingStep {
  let name = "zstd"
  private(set) var hasPending = false
  private(set) var isComplete = false
  private let decoder: OpaquePointer
  // The first bytes of the frame: the library also reads formats from before the standard, whose windows it does not bound.
  private var magic: UInt32 = 0
  private var magicBytes = 0

  init() throws(WireError) {
    guard let decoder = ZSTD_createDCtx() else { throw ZstdStep.noMemory }
    self.decoder = decoder
    ZSTD_DCtx_setParameter(decoder, ZSTD_d_windowLogMax, DecodingLimits.zstdWindowLog)
  }

  deinit { ZSTD_freeDCtx(decoder) }

  func step(_ input: UnsafeRawBufferPointer, at offset: inout Int, into room: UnsafeMutableRawBufferPointer) throws(WireError) -> Int {
    var written = 0
    repeat {
      try checkMagic(input[offset...])
      var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: offset)
      var target = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: written)
      let result = ZSTD_decompressStream(decoder, &target, &source)
      guard ZSTD_isError(result) == 0 else { throw failure(result) }
      note(taken: input[offset..<source.pos])
      // Without progress the library would be asked for ever.
      guard source.pos > offset || target.pos > written || source.pos == input.count else { throw malformed("it does not go on") }
      offset = source.pos
      written = target.pos
      isComplete = result == 0
      hasPending = !isComplete && written == room.count
      if isComplete { magicBytes = 0 }
    } while offset < input.count && written < room.count
    return written
  }

  private func checkMagic(_ rest: Slice<UnsafeRawBufferPointer>) throws(WireError) {
    guard magicBytes < 4, magicBytes + rest.count >= 4 else { return }
    var value = magicBytes == 0 ? 0 : magic
    for (index, byte) in rest.prefix(4 - magicBytes).enumerated() { value |= UInt32(byte) << UInt32(8 * (magicBytes + index)) }
    // A frame, or one of the sixteen that are skipped.
    let isKnown = value == 0xFD2F_B528 || value & 0xFFFF_FFF0 == 0x184D_2A50
    guard isKnown else { throw malformed("a frame does not begin with its magic number") }
  }

  private func note(taken: Slice<UnsafeRawBufferPointer>) {
    for byte in taken.prefix(4 - magicBytes) {
      if magicBytes == 0 { magic = 0 }
      magic |= UInt32(byte) << UInt32(8 * magicBytes)
      magicBytes += 1
    }
  }

  private func failure(_ result: Int) -> WireError {
    switch ZSTD_getErrorCode(result) {
    case ZSTD_error_frameParameter_windowTooLarge:
      .tooLarge("zstdWindow", "the body needs a zstd window of more than \(DecodingLimits.zstdWindow) bytes", status: 413)
    case ZSTD_error_memory_allocation: ZstdStep.noMemory
    default: malformed(ZSTD_getErrorName(result).map { String(cString: $0) } ?? "unknown error")
    }
  }
}
