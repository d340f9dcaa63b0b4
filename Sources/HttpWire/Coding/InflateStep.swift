internal import CCompression

/// gzip (RFC 1952), and deflate as it is sent: with zlib's wrapping (RFC 1950) or, against the standard, without (RFC 1951).
final class InflateStep: CodingStep {
  enum Format {
    case gzip, deflate
  }

  private enum State {
    /// Of deflate, until its first two bytes tell whether it is wrapped.
    case undecided(first: UInt8?)
    case inside
    case ended
    /// Zeros after the last member, as tapes have them.
    case padding
  }

  let name: String
  private(set) var hasPending = false
  private let format: Format
  private var state: State
  // In a place of its own: zlib compares the address with the one it began with.
  private let stream: UnsafeMutablePointer<z_stream>

  init(_ format: Format) throws(WireError) {
    self.format = format
    name = format == .gzip ? "gzip" : "deflate"
    state = format == .gzip ? .inside : .undecided(first: nil)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    if format == .gzip { try begin(windowBits: 15 + 16) }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  var isComplete: Bool {
    switch state {
    case .ended, .padding: true
    case .undecided, .inside: false
    }
  }

  func step(_ input: UnsafeRawBufferPointer, at offset: inout Int, into room: UnsafeMutableRawBufferPointer) throws(WireError) -> Int {
    var written = 0
    repeat {
      switch state {
      case .undecided(let first): try decide(first, input, at: &offset, into: room, &written)
      case .inside: try inflate(input, at: &offset, into: room, &written)
      case .ended: try goOn(input, at: offset)
      case .padding:
        guard input[offset...].allSatisfy({ $0 == 0 }) else { throw surplus }
        offset = input.count
      }
    } while offset < input.count && written < room.count
    return written
  }

  private func begin(windowBits: Int32) throws(WireError) {
    guard errand_inflate_init(stream, windowBits) == Z_OK else { throw InflateStep.noMemory }
  }

  private func decide(
    _ first: UInt8?, _ input: UnsafeRawBufferPointer, at offset: inout Int, into room: UnsafeMutableRawBufferPointer, _ written: inout Int
  ) throws(WireError) {
    guard offset < input.count else { return }
    guard let first else {
      state = .undecided(first: input[offset])
      offset += 1
      return
    }
    let isWrapped = first & 0x0F == 8 && first >> 4 <= 7 && (UInt16(first) << 8 | UInt16(input[offset])) % 31 == 0
    try begin(windowBits: isWrapped ? 15 : -15)
    state = .inside
    try withUnsafeBytes(of: first) { (bytes) throws(WireError) in
      var taken = 0
      try inflate(bytes, at: &taken, into: room, &written)
    }
  }

  private func inflate(
    _ input: UnsafeRawBufferPointer, at offset: inout Int, into room: UnsafeMutableRawBufferPointer, _ written: inout Int
  ) throws(WireError) {
    let given = UInt32(clamping: input.count - offset)
    let free = UInt32(clamping: room.count - written)
    // zlib's declaration is without const; it only reads there.
    let source = input.baseAddress?.advanced(by: offset).assumingMemoryBound(to: UInt8.self)
    stream.pointee.next_in = source.map { UnsafeMutablePointer(mutating: $0) }
    stream.pointee.avail_in = given
    stream.pointee.next_out = room.baseAddress?.advanced(by: written).assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = free
    let result = CCompression.inflate(stream, Z_NO_FLUSH)
    offset += Int(given - stream.pointee.avail_in)
    written += Int(free - stream.pointee.avail_out)
    hasPending = false
    switch result {
    // Z_BUF_ERROR: nothing to do with what there was.
    case Z_OK, Z_BUF_ERROR: hasPending = stream.pointee.avail_out == 0
    case Z_STREAM_END: state = .ended
    case Z_NEED_DICT: throw malformed("it needs a dictionary")
    case Z_MEM_ERROR: throw InflateStep.noMemory
    default: throw malformed(stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(result)")
    }
  }

  /// Behind the end: another member, or padding.
  private func goOn(_ input: UnsafeRawBufferPointer, at offset: Int) throws(WireError) {
    guard offset < input.count else { return }
    guard format == .gzip else { throw surplus }
    switch input[offset] {
    case 0: state = .padding
    case 0x1F:
      inflateReset(stream)
      state = .inside
    default: throw surplus
    }
  }
}
