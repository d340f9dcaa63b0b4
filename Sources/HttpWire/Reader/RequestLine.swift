/// `GET /path HTTP/1.1` (RFC 9112 3), with exactly one space between the parts.
enum RequestLine {
  static func parse(_ line: UnsafeRawBufferPointer) throws(WireError) -> (HttpMethod, target: String, HttpVersion) {
    var methodEnd = 0
    while methodEnd < line.count, Ascii.isToken(line[methodEnd]) { methodEnd &+= 1 }
    guard methodEnd > 0, methodEnd < line.count, line[methodEnd] == Ascii.space else {
      throw .malformed("the request line does not begin with a method")
    }
    guard methodEnd <= 64 else { throw .malformed("the method is longer than 64 bytes", status: 501) }
    let targetStart = methodEnd + 1
    var targetEnd = targetStart
    while targetEnd < line.count, line[targetEnd] > 0x20, line[targetEnd] < 0x7F { targetEnd &+= 1 }
    guard targetEnd > targetStart, targetEnd < line.count, line[targetEnd] == Ascii.space else {
      throw .malformed("the request target is empty, not followed by a version, or holds a character that is not allowed")
    }
    guard let version = ProtocolVersion.parse(line[piece: targetEnd + 1..<line.count]) else {
      throw .malformed("the request line does not end with a version of HTTP")
    }
    guard version.major == 1 else { throw .unsupported("the version is not HTTP/1", status: 505) }
    let method = HttpMethod(unchecked: String(peer: line[piece: 0..<methodEnd]))
    let target = line[piece: targetStart..<targetEnd]
    guard method != .connect else { throw .unsupported("the method CONNECT is not supported", status: 501) }
    guard isTarget(target, method) else { throw .malformed("the request target is neither a path nor a URL") }
    return (method, String(peer: target), version.minor == 0 ? .http10 : .http11)
  }

  private static func isTarget(_ target: UnsafeRawBufferPointer, _ method: HttpMethod) -> Bool {
    if target[0] == Ascii.slash { return true }
    if target.count == 1 { return target[0] == 0x2A && method == .options }
    return (target.count > 7 && Ascii.equals(target[piece: 0..<7], "http://"))
      || (target.count > 8 && Ascii.equals(target[piece: 0..<8], "https://"))
  }
}
