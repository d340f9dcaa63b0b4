/// Bounds on what a coded body may become. Passing one throws `WireError.Kind.tooLarge` with the property's name.
public struct DecodingLimits: Sendable, Equatable {
  /// Decoded bytes at the most. What is read, and what lies between two stacked codings, may have an eighth and 64 KiB more, so that no
  /// body that decodes to little or nothing goes on without end.
  public var maxBytes: Int64
  /// Decoded bytes for each byte of the peer's at the most. Text compresses to a hundredth at times; a bomb to a thousandth.
  public var maxRatio: Int
  /// Decoded bytes below which the ratio is not judged.
  public var ratioFloor: Int64

  /// Content codings stacked on each other at the most.
  public static let maxCodings = 4
  /// Bytes of a zstd frame's window at the most (RFC 9659 section 3); 2 to the power of `zstdWindowLog`.
  public static let zstdWindow = 1 << zstdWindowLog
  static let zstdWindowLog: Int32 = 23

  public init(maxBytes: Int64, maxRatio: Int = 200, ratioFloor: Int64 = 1 << 20) {
    self.maxBytes = maxBytes
    self.maxRatio = maxRatio
    self.ratioFloor = ratioFloor
  }

  /// For what is read and what lies between codings: a coding adds little to data that does not compress.
  var maxCodedBytes: Int64 {
    let (sum, overflow) = maxBytes.addingReportingOverflow(maxBytes / 8 + 65_536)
    return overflow ? .max : sum
  }

  func isOverRatio(_ produced: Int64, of encoded: Int64) -> Bool {
    guard produced > ratioFloor else { return false }
    let (most, overflow) = encoded.multipliedReportingOverflow(by: Int64(max(maxRatio, 1)))
    return !overflow && produced > most
  }
}
