internal import CCompression

/// Brotli (RFC 7932), whose window is 16 MiB at the most.
final class BrotliStep: CodingStep {
  let name = "br"
  private(set) var hasPending = false
  private(set) var isComplete = false
  private let decoder: OpaquePointer

  init() throws(WireError) {
    guard let decoder = BrotliDecoderCreateInstance(nil, nil, nil) else { throw BrotliStep.noMemory }
    self.decoder = decoder
  }

  deinit { BrotliDecoderDestroyInstance(decoder) }

  func step(_ input: UnsafeRawBufferPointer, at offset: inout Int, into room: UnsafeMutableRawBufferPointer) throws(WireError) -> Int {
    guard !isComplete else {
      guard offset == input.count else { throw surplus }
      return 0
    }
    var given = input.count - offset
    var source = input.baseAddress?.advanced(by: offset).assumingMemoryBound(to: UInt8.self)
    var free = room.count
    var target = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = BrotliDecoderDecompressStream(decoder, &given, &source, &free, &target, nil)
    offset = input.count - given
    hasPending = result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT
    switch result {
    case BROTLI_DECODER_RESULT_SUCCESS:
      isComplete = true
      guard given == 0 else { throw surplus }
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
    default:
      let why = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(decoder))
      throw malformed(why.map { String(cString: $0) } ?? "unknown error")
    }
    return room.count - free
  }
}
