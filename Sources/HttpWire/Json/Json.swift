/// JSON as bytes: checking, finding and appending without building values.
public enum Json {
  /// The nesting that is read unless told otherwise.
  public static let maximumDepth = 128

  /// Throws unless `bytes` is one JSON text (RFC 8259). Allocates nothing. Keys that come twice are not noticed.
  public static func validate(_ bytes: [UInt8], maxDepth: Int = maximumDepth) throws(JsonError) {
    try validate(bytes.span.bytes, maxDepth: maxDepth)
  }

  /// Throws unless `bytes` is one JSON text (RFC 8259). Allocates nothing. Keys that come twice are not noticed.
  public static func validate(_ bytes: RawSpan, maxDepth: Int = maximumDepth) throws(JsonError) {
    try bytes.withUnsafeBytes { (bytes) throws(JsonError) in
      var scanner = JsonScanner(bytes, maxDepth: maxDepth)
      try scanner.skipValue(depth: 0)
      try scanner.finish()
    }
  }

  /// Where in `bytes` the value lies that a JSON pointer (RFC 6901) names; nil if there is none. Of equal keys the first counts.
  ///
  /// Reads no further than that value: throws for what is wrong before its end or in the pointer.
  public static func range(of pointer: String, in bytes: [UInt8], maxDepth: Int = maximumDepth) throws(JsonError) -> Range<Int>? {
    try range(of: pointer, in: bytes.span.bytes, maxDepth: maxDepth)
  }

  /// Where in `bytes` the value lies that a JSON pointer (RFC 6901) names; nil if there is none. Of equal keys the first counts.
  ///
  /// Reads no further than that value: throws for what is wrong before its end or in the pointer.
  public static func range(of pointer: String, in bytes: RawSpan, maxDepth: Int = maximumDepth) throws(JsonError) -> Range<Int>? {
    let tokens = try JsonPointer.tokens(pointer)
    return try bytes.withUnsafeBytes { (bytes) throws(JsonError) in
      var scanner = JsonScanner(bytes, maxDepth: maxDepth)
      for (depth, token) in tokens.enumerated() {
        guard try scanner.enter(token, depth: depth) else { return nil }
      }
      _ = try scanner.beginValue()
      let start = scanner.index
      try scanner.skipValue(depth: tokens.count)
      return start..<scanner.index
    }
  }
}
