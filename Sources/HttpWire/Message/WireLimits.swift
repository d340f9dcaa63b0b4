/// Bounds on every part of a message that is read. Passing one throws `WireError.Kind.tooLarge` with the property's name.
public struct WireLimits: Sendable, Equatable {
  /// Start line and header fields together, in bytes.
  public var headBytes: Int = 65_536
  /// Fields in one header or trailer section.
  public var headerCount: Int = 256
  /// The status line or request line, in bytes.
  public var startLineBytes: Int = 16_384
  /// The trailer section of a chunked body, in bytes.
  public var trailerBytes: Int = 16_384
  /// One chunk-size line with its extensions, in bytes.
  public var chunkLineBytes: Int = 1_024
  /// Bytes of chunk-size lines in excess of what the chunks carry: small chunks with long extensions run into it.
  public var chunkOverheadBytes: Int = 16_384
  /// 1xx responses before the final one.
  public var interimResponses: Int = 16
  /// The body, in bytes after removing the chunked coding; nil: no bound.
  public var bodyBytes: Int64?

  /// The defaults.
  public init() {}
}

/// Limits that copies of a reader have in common: thousands of readers differ in state alone.
final class SharedLimits: Sendable {
  let limits: WireLimits

  init(_ limits: WireLimits) {
    self.limits = limits
  }
}
