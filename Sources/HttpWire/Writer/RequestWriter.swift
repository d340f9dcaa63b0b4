/// Writes requests (RFC 9112 3) into a buffer of the caller.
public enum RequestWriter {
  /// How the end of the body is told.
  public typealias BodyFraming = HttpWire.BodyFraming

  /// Appends request line and header fields, up to the empty line.
  ///
  /// Host comes first, from `host` unless `headers` bring their own. Exactly one of Content-Length and Transfer-Encoding is written, as
  /// `body` says; `.none` writes `Content-Length: 0` for POST, PUT and PATCH and neither for other methods. Content-Length and
  /// Transfer-Encoding in `headers` are refused if they contradict `body` and not repeated if they agree.
  ///
  /// Throws `invalid`, with nothing appended, if a part holds what would break the message apart (CR, LF, NUL and their kin).
  public static func append(
    method: HttpMethod, target: String, host: String, headers: HttpHeaders, body: BodyFraming, to bytes: inout [UInt8]
  ) throws(WireError) {
    if case .length(let length) = body, length < 0 { throw .invalid("the length of the body is negative") }
    try headers.validate()
    try headers.checkFraming(body)
    let hosts = headers.values("Host")
    guard hosts.count <= 1 else { throw .invalid("there is more than one header field Host") }
    let hostValue = hosts.first ?? host
    try check(method, target, host: hostValue)

    bytes.append(text: method.rawValue)
    bytes.append(Ascii.space)
    bytes.append(text: target)
    bytes.append(static: " HTTP/1.1\r\nHost: ")
    bytes.append(text: hostValue)
    bytes.append(static: "\r\n")
    headers.write(to: &bytes, skippingHost: true)
    switch body {
    case .none where method == .post || method == .put || method == .patch: HttpHeaders.writeFraming(.length(0), to: &bytes)
    case .none, .length, .chunked: HttpHeaders.writeFraming(body, to: &bytes)
    }
    bytes.append(static: "\r\n")
  }

  /// The head of a request without a body, in an array of its own with room for no more. `checked`: fields that were validated before and added
  /// one by one, of which none is Host or about the body. Throws as ``append(method:target:host:headers:body:to:)`` does.
  public static func head(
    method: HttpMethod, target: String, host: String, checked headers: HttpHeaders
  ) throws(WireError) -> [UInt8] {
    try check(method, target, host: host)
    let needsLength = method == .post || method == .put || method == .patch
    let capacity = room(method: method, target: target, host: host, headers: headers, hasBody: needsLength)
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      var cursor = ByteCursor(UnsafeMutableRawBufferPointer(buffer))
      method.rawValue.withBytes { cursor.put($0) }
      cursor.put(" ")
      target.withBytes { cursor.put($0) }
      cursor.put(" HTTP/1.1\r\nHost: ")
      host.withBytes { cursor.put($0) }
      cursor.put("\r\n")
      headers.block.withUnsafeBytes { cursor.put($0) }
      if needsLength { cursor.put("Content-Length: 0\r\n") }
      cursor.put("\r\n")
      count = cursor.count
    }
  }

  private static func check(_ method: HttpMethod, _ target: String, host: String) throws(WireError) {
    guard method != .connect else { throw .unsupported("the method CONNECT is not supported", status: 501) }
    guard target.withBytes({ !$0.isEmpty && $0.allSatisfy { $0 > 0x20 && $0 < 0x7F } }) else {
      throw .invalid("the request target is empty or holds a space, a control character or a byte outside ASCII")
    }
    guard host.withBytes(FramingFields.isHost) else { throw .invalid("the host is not valid") }
  }

  /// How many bytes the head of such a request takes at the most: for a buffer that is made for it alone.
  public static func room(method: HttpMethod, target: String, host: String, headers: HttpHeaders, hasBody: Bool) -> Int {
    let framing = hasBody || method != .get && method != .head ? 40 : 0
    return method.rawValue.utf8.count + target.utf8.count + host.utf8.count + headers.block.count + 24 + framing
  }

  /// The same, with target and host of a URL.
  public static func append(
    method: HttpMethod, url: HttpUrl, headers: HttpHeaders, body: BodyFraming, to bytes: inout [UInt8]
  ) throws(WireError) {
    try append(method: method, target: url.target, host: url.hostHeader, headers: headers, body: body, to: &bytes)
  }

  /// Appends one chunk of a chunked body; nothing if `data` is empty.
  public static func chunk(_ data: [UInt8], to bytes: inout [UInt8]) {
    data.withUnsafeBytes { ChunkedCoding.chunk($0, to: &bytes) }
  }

  /// Appends one chunk of a chunked body; nothing if `data` is empty.
  public static func chunk(_ data: RawSpan, to bytes: inout [UInt8]) {
    data.withUnsafeBytes { ChunkedCoding.chunk($0, to: &bytes) }
  }

  /// Appends the last chunk and the trailers. Throws `invalid`, with nothing appended, for trailers that cannot be sent.
  public static func lastChunk(trailers: HttpHeaders = [:], to bytes: inout [UInt8]) throws(WireError) {
    try ChunkedCoding.lastChunk(trailers: trailers, to: &bytes)
  }
}

/// Fills memory from its start. What does not fit traps.
private struct ByteCursor {
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(_ memory: UnsafeMutableRawBufferPointer) {
    self.memory = memory
  }

  @inline(__always)
  mutating func put(_ bytes: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
    count += bytes.count
  }

  @inline(__always)
  mutating func put(_ text: StaticString) { put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) }
}
