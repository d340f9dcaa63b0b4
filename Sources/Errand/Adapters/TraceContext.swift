internal import HttpWire

/// Where in a distributed trace something happens (W3C Trace Context): the trace, the span, and whether it is recorded.
public struct TraceContext: Sendable, Hashable, CustomStringConvertible {
  /// 32 hexadecimal digits in lower case, not all 0.
  public let traceId: String
  /// 16 hexadecimal digits in lower case, not all 0: the span that what is made now is a child of.
  public let spanId: String
  public let flags: UInt8
  /// What vendors pass along, as it came; nil if there is nothing.
  public var state: String?

  /// The caller of the trace may have recorded it.
  public var isSampled: Bool { flags & 1 != 0 }

  /// The context of the current task, for ``TracingAdapter``: `TraceContext.$current.withValue(context) { … }`.
  @TaskLocal public static var current: TraceContext?

  /// The longest `tracestate` that is passed on, in bytes: the 512 that everybody has to pass on.
  public static let maximumStateBytes = 512

  /// A trace of its own. `generator` makes its numbers.
  public init(isSampled: Bool = true, using generator: inout some RandomNumberGenerator) {
    traceId = TraceContext.digits(16, &generator)
    spanId = TraceContext.digits(8, &generator)
    flags = isSampled ? 1 : 0
  }

  /// A trace of its own, with random numbers.
  public init(isSampled: Bool = true) {
    var generator = SystemRandomNumberGenerator()
    self.init(isSampled: isSampled, using: &generator)
  }

  /// Reads `traceparent`; nil for anything else. Of a version later than 00 the parts that are known count.
  ///
  /// - Parameter state: `tracestate`, several fields joined by commas; left out if it is longer than ``maximumStateBytes``.
  public init?(_ traceparent: String, state: String? = nil) {
    let bytes = Array(traceparent.utf8)
    guard bytes.count >= 55, bytes[2] == TraceContext.dash, bytes[35] == TraceContext.dash, bytes[52] == TraceContext.dash,
      let version = TraceContext.number(bytes[0..<2]), version != 0xFF,
      version == 0 ? bytes.count == 55 : bytes.count == 55 || bytes[55] == TraceContext.dash,
      let flags = TraceContext.number(bytes[53..<55]), TraceContext.isIdentifier(bytes[3..<35]), TraceContext.isIdentifier(bytes[36..<52])
    else { return nil }
    traceId = String(decoding: bytes[3..<35], as: UTF8.self)
    spanId = String(decoding: bytes[36..<52], as: UTF8.self)
    // The other flags are not known to mean anything by this version of the format.
    self.flags = flags & 1
    if let state, !state.isEmpty, state.utf8.count <= TraceContext.maximumStateBytes { self.state = state }
  }

  private init(traceId: String, spanId: String, flags: UInt8, state: String?) {
    self.traceId = traceId
    self.spanId = spanId
    self.flags = flags
    self.state = state
  }

  /// A span below this one, in the same trace.
  public func child(using generator: inout some RandomNumberGenerator) -> TraceContext {
    TraceContext(traceId: traceId, spanId: TraceContext.digits(8, &generator), flags: flags, state: state)
  }

  /// The same with random numbers.
  public func child() -> TraceContext {
    var generator = SystemRandomNumberGenerator()
    return child(using: &generator)
  }

  /// The value of `traceparent`.
  public var description: String { "00-\(traceId)-\(spanId)-0\(flags & 1)" }

  private static let dash = UInt8(ascii: "-")

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt8? {
    var value: UInt8 = 0
    for byte in bytes {
      guard let digit = digit(byte) else { return nil }
      value = value << 4 | digit
    }
    return value
  }

  private static func isIdentifier(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { digit($0) != nil } && bytes.contains { $0 != UInt8(ascii: "0") }
  }

  /// Random, and not all 0.
  private static func digits(_ count: Int, _ generator: inout some RandomNumberGenerator) -> String {
    var text = ""
    for index in 0..<count {
      let byte = UInt8.random(in: (index == 0 ? 1 : 0)...255, using: &generator)
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text
  }
}
