internal import HttpWire

/// Names one request on one session. Its number is never used again on that connection, so a late word about it finds nobody.
struct Http2Stream: Sendable, Hashable {
  /// Below ``Http2Session/slotCount``; used again for another stream when this one is over.
  let slot: Int32
  /// The stream identifier (RFC 9113 section 5.1.1).
  let number: Int32

  var index: Int { Int(slot) }

  /// Names none.
  static let none = Http2Stream(slot: -1, number: 0)
}

/// How a stream ended.
enum Http2StreamEnd: Sendable, Equatable {
  /// The response is complete.
  case whole
  /// The server has not acted on the request and may be sent it again, whatever the method (RFC 9113 section 8.7).
  case notProcessed(String)
  /// The server gave it up, with this code.
  case reset(Http2ErrorCode)
  /// What the server sent is not a response, or above a limit; or what was to be sent is.
  case failed(WireError)
}

/// An error code of RST_STREAM or GOAWAY (RFC 9113 section 7).
struct Http2ErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  let rawValue: UInt32

  static let noError = Http2ErrorCode(rawValue: 0)
  static let protocolError = Http2ErrorCode(rawValue: 1)
  static let refusedStream = Http2ErrorCode(rawValue: 7)
  static let cancel = Http2ErrorCode(rawValue: 8)
  static let enhanceYourCalm = Http2ErrorCode(rawValue: 11)
  static let http11Required = Http2ErrorCode(rawValue: 13)

  private static let names = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
    "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]

  var description: String {
    rawValue < UInt32(Http2ErrorCode.names.count) ? Http2ErrorCode.names[Int(rawValue)] : "error \(rawValue)"
  }
}
