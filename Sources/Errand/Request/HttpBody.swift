internal import HttpWire

/// A request's body. Where the caller's headers have a Content-Type, that one is sent.
public enum HttpBody: Sendable, Hashable {
  /// Sent as it is, with `contentType`.
  case bytes([UInt8], contentType: String? = nil)
  /// `application/x-www-form-urlencoded`.
  case form([HttpParam])
  /// JSON text, sent as it is with `application/json`.
  case json([UInt8])
  /// The file at this path, read while it is sent and never whole in memory. It is opened when the request's turn to connect has come, and is sent
  /// with the size that it has then: one that shrinks meanwhile ends the request with `invalid_request`, of one that grows the rest stays behind.
  /// It must be a regular file that can be read; any other is `invalid_request`, before anything is connected. `contentType`: nil goes by the
  /// name's extension, as for ``MultipartPart``; no Content-Type is sent where that is not known.
  case file(String, contentType: String? = nil)
  /// What an asynchronous sequence gives.
  case stream(HttpBodyStream)
  /// `multipart/form-data` (RFC 7578). Files in it are read as with ``file(_:contentType:)``.
  case multipart([MultipartPart])

  /// UTF-8 text with `text/plain; charset=utf-8`.
  public static func text(_ text: String) -> HttpBody {
    .bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8")
  }
}
