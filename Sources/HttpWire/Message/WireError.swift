/// Why bytes could not be read as HTTP, or a message could not be written as HTTP.
///
/// The message names the part at fault. Bytes of the peer appear in it only escaped and cut, and values of fields other than
/// those that frame a message never do.
public struct WireError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure it is. An open set: more may be added.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The peer's bytes are not HTTP.
    public static let malformed = Kind("malformed")
    /// A limit was passed; `WireError.limit` names it.
    public static let tooLarge = Kind("too_large")
    /// What the caller gave cannot be sent.
    public static let invalid = Kind("invalid")
    /// Well formed, but asks for something that is not supported.
    public static let unsupported = Kind("unsupported")
    /// The peer closed before the message was complete.
    public static let truncated = Kind("truncated")
  }

  /// What to tell failures apart by.
  public let kind: Kind
  /// The name of the limit that was passed, as in `WireLimits`.
  public let limit: String?
  /// A sentence for people.
  public let message: String
  /// The status a server answers a request with that failed like this.
  public let status: Int

  /// An error of one's own, with 400 unless told otherwise.
  public init(kind: Kind, limit: String? = nil, message: String, status: Int = 400) {
    self.kind = kind
    self.limit = limit
    self.message = message
    self.status = status
  }

  public var description: String { message }

  static func malformed(_ message: String, status: Int = 400) -> WireError {
    WireError(kind: .malformed, message: message, status: status)
  }

  static func invalid(_ message: String) -> WireError { WireError(kind: .invalid, message: message) }

  static func unsupported(_ message: String, status: Int) -> WireError {
    WireError(kind: .unsupported, message: message, status: status)
  }

  static func truncated(_ message: String) -> WireError { WireError(kind: .truncated, message: message) }

  static func tooLarge(_ limit: String, _ message: String, status: Int) -> WireError {
    WireError(kind: .tooLarge, limit: limit, message: message, status: status)
  }
}

/// Bytes of a peer for an error message: printable ASCII as it is, everything else escaped, cut after 40 bytes.
func excerpt(_ bytes: UnsafeRawBufferPointer) -> String {
  var text = ""
  for byte in bytes.prefix(40) {
    if byte >= 0x20, byte < 0x7F, byte != 0x5C, byte != 0x22 {
      text.unicodeScalars.append(Unicode.Scalar(byte))
    } else {
      let hex = String(byte, radix: 16, uppercase: true)
      text += byte < 0x10 ? "\\x0\(hex)" : "\\x\(hex)"
    }
  }
  return bytes.count > 40 ? "\"\(text)…\"" : "\"\(text)\""
}
