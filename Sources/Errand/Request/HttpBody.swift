internal import HttpWire

/// A request's body, held in memory.
public enum HttpBody: Sendable, Hashable {
  /// Sent as it is; `contentType` is the Content-Type header unless the caller's headers have one.
  case bytes([UInt8], contentType: String? = nil)
  /// `application/x-www-form-urlencoded`.
  case form([HttpParam])
  /// JSON text, sent as it is with `application/json`.
  case json([UInt8])

  /// UTF-8 text with `text/plain; charset=utf-8`.
  public static func text(_ text: String) -> HttpBody {
    .bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8")
  }
}
