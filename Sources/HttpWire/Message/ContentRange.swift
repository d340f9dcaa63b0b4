/// Which bytes of which whole a response has (RFC 9110 14.4).
public struct ContentRange: Sendable, Hashable {
  /// The offset of the first byte; nil in a 416, which has none.
  public let first: Int64?
  /// The offset of the last byte, which is not before the first; nil in a 416.
  public let last: Int64?
  /// Bytes of the whole; nil where the server does not know. Beyond `last`.
  public let completeLength: Int64?

  /// `bytes 0-99/200`, `bytes 0-99/*` or `bytes */200`; nil for anything else, another unit, numbers of more than 63 bits, an end before the start or
  /// beyond the whole.
  public init?(_ text: String) {
    let read = text.withBytes { bytes -> (Int64?, Int64?, Int64?)? in
      let bytes = Ascii.trimmed(bytes)
      guard let blank = bytes.firstIndex(where: Ascii.isBlank), Ascii.equals(bytes[piece: 0..<blank], "bytes") else { return nil }
      let rest = Ascii.trimmed(bytes[piece: blank..<bytes.count])
      guard let slash = rest.firstIndex(of: Ascii.slash) else { return nil }
      let range = rest[piece: 0..<slash]
      let length = rest[piece: slash + 1..<rest.count]
      let complete = Self.number(length)
      guard complete != nil || Ascii.equals(length, "*") else { return nil }
      if Ascii.equals(range, "*") { return complete.map { (nil, nil, $0) } }
      guard let dash = range.firstIndex(of: Ascii.minus), let first = Self.number(range[piece: 0..<dash]),
        let last = Self.number(range[piece: dash + 1..<range.count]), first <= last, last < complete ?? .max
      else { return nil }
      return (first, last, complete)
    }
    guard let read else { return nil }
    (first, last, completeLength) = read
  }

  /// Bytes that the response has; 0 in a 416.
  public var byteCount: Int64 {
    guard let first, let last else { return 0 }
    return last - first + 1
  }

  private static func number(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    guard !bytes.contains(Ascii.comma) else { return nil }
    return FramingFields.contentLength(bytes)
  }
}
