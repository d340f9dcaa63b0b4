/// `HTTP/1.1 200 OK` (RFC 9112 4). The space before an empty reason phrase may be missing, for many servers leave it out.
enum StatusLine {
  static func parse(_ line: UnsafeRawBufferPointer) throws(WireError) -> (HttpVersion, Int, reason: String) {
    guard line.count >= 12, line[8] == Ascii.space, let version = ProtocolVersion.parse(line[piece: 0..<8]), version.major == 1,
      line.count == 12 || line[12] == Ascii.space
    else { throw .malformed("the status line is not one of HTTP/1: \(excerpt(line))") }
    var status = 0
    for byte in line[9..<12] {
      guard Ascii.isDigit(byte) else { throw .malformed("the status is not a number: \(excerpt(line))") }
      status = status * 10 + Int(byte - Ascii.zero)
    }
    guard status >= 100 else { throw .malformed("the status is below 100: \(excerpt(line))") }
    let reason = line[piece: min(13, line.count)..<line.count]
    guard Ascii.isFieldValue(reason) else { throw .malformed("the reason phrase holds a control character") }
    return (version.minor == 0 ? .http10 : .http11, status, String(peer: reason))
  }
}

/// `HTTP/1.1` (RFC 9112 2.3).
enum ProtocolVersion {
  static func parse(_ bytes: UnsafeRawBufferPointer) -> (major: UInt8, minor: UInt8)? {
    guard bytes.count == 8, bytes[0] == 0x48, bytes[1] == 0x54, bytes[2] == 0x54, bytes[3] == 0x50, bytes[4] == Ascii.slash,
      Ascii.isDigit(bytes[5]), bytes[6] == Ascii.dot, Ascii.isDigit(bytes[7])
    else { return nil }
    return (bytes[5] - Ascii.zero, bytes[7] - Ascii.zero)
  }
}
