/// Writes responses (RFC 9112 4) into a buffer of the caller.
public enum ResponseWriter {
  /// How the end of the body is told.
  public typealias BodyFraming = HttpWire.BodyFraming

  /// Appends status line and header fields, up to the empty line.
  ///
  /// `.none` writes neither Content-Length nor Transfer-Encoding: for 1xx, 204, 304, and bodies that end with the connection. `.length`
  /// is right for the answer to HEAD, too. Framing fields in `headers` are treated as in `RequestWriter`. An empty `reason` becomes the
  /// phrase of the status.
  ///
  /// Throws `invalid`, with nothing appended, for a status outside 100...999 and fields that cannot be sent.
  public static func append(
    status: Int, reason: String = "", version: HttpVersion = .http11, headers: HttpHeaders, body: BodyFraming,
    to bytes: inout [UInt8]
  ) throws(WireError) {
    guard (100...999).contains(status) else { throw .invalid("the status \(status) is not in 100...999") }
    guard reason.withBytes(Ascii.isFieldValue) else { throw .invalid("the reason phrase holds a control character") }
    if case .length(let length) = body, length < 0 { throw .invalid("the length of the body is negative") }
    let bodiless = status < 200 || status == 204
    guard !bodiless || body == .none else { throw .invalid("a response with status \(status) has no body") }
    guard body != .chunked || version == .http11 else { throw .invalid("HTTP/1.0 has no chunked coding") }
    try headers.validate()
    try headers.checkFraming(body)
    bytes.append(static: version == .http11 ? "HTTP/1.1 " : "HTTP/1.0 ")
    bytes.append(decimal: UInt64(status))
    bytes.append(Ascii.space)
    bytes.append(text: reason.isEmpty ? reasonPhrase(status) : reason)
    bytes.append(static: "\r\n")
    headers.write(to: &bytes, skippingHost: false)
    HttpHeaders.writeFraming(body, to: &bytes)
    bytes.append(static: "\r\n")
  }

  /// Appends one chunk of a chunked body; nothing if `data` is empty.
  public static func chunk(_ data: [UInt8], to bytes: inout [UInt8]) {
    data.withUnsafeBytes { ChunkedCoding.chunk($0, to: &bytes) }
  }

  /// Appends the last chunk and the trailers. Throws `invalid`, with nothing appended, for trailers that cannot be sent.
  public static func lastChunk(trailers: HttpHeaders = [:], to bytes: inout [UInt8]) throws(WireError) {
    try ChunkedCoding.lastChunk(trailers: trailers, to: &bytes)
  }
}
