internal import CNghttp2
import Glibc

/// Turns a request's head as HTTP/1.1 writes it into the fields of HTTP/2 (RFC 9113 sections 8.2 and 8.3).
///
/// The pseudo fields come first; Host becomes the authority; blanks around values go. Fields that belong to a connection are left out
/// (section 8.2.2): Connection and what it names, Keep-Alive, Proxy-Connection, Transfer-Encoding, Upgrade, HTTP2-Settings, and TE unless it
/// is `trailers`. Names get their lower case from nghttp2.
enum Http2RequestHead {
  /// Appends the fields, which point into `head`. It comes from `RequestWriter`, and is not checked again.
  static func read(_ head: UnsafeRawBufferPointer, isSecure: Bool, into fields: inout [nghttp2_nv]) {
    var lines = Lines(head)
    guard let requestLine = lines.next() else { return }
    let methodEnd = requestLine.firstIndex(of: space) ?? requestLine.count
    let targetEnd = requestLine.lastIndex(of: space) ?? methodEnd
    fields.append(field(":method", requestLine[piece: 0..<methodEnd]))
    fields.append(field(":scheme", isSecure ? "https" : "http"))
    fields.append(field(":path", requestLine[piece: min(methodEnd + 1, targetEnd)..<targetEnd]))
    let first = fields.count
    var named: [UnsafeRawBufferPointer] = []
    while let line = lines.next() {
      let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
      let name = line[piece: 0..<colon]
      let value = trimmed(line[piece: min(colon + 1, line.count)..<line.count])
      if equals(name, "host") {
        if !value.isEmpty { fields.append(field(":authority", value)) }
        continue
      }
      if belongsToConnection(name, value) {
        if equals(name, "connection") { named.append(value) }
        continue
      }
      fields.append(field(name, value, isSecret: isSecret(name, value)))
    }
    guard !named.isEmpty else { return }
    for index in fields.indices.reversed() where index >= first {
      if isNamed(UnsafeRawBufferPointer(start: fields[index].name, count: fields[index].namelen), in: named) { fields.remove(at: index) }
    }
    // Host comes first in a head, so that the authority stands behind the other pseudo fields.
  }

  private static let space = UInt8(ascii: " ")

  private static func belongsToConnection(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    switch name.count {
    case 2: equals(name, "te") && !equals(value, "trailers")
    case 7: equals(name, "upgrade")
    case 10: equals(name, "connection") || equals(name, "keep-alive")
    case 14: equals(name, "http2-settings")
    case 16: equals(name, "proxy-connection")
    case 17: equals(name, "transfer-encoding")
    default: false
    }
  }

  /// Kept out of the compression's memory, which requests of different owners share (RFC 7541 section 7.1.3).
  private static func isSecret(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    switch name.count {
    case 6: value.count < 20 && equals(name, "cookie")
    case 13: equals(name, "authorization")
    case 19: equals(name, "proxy-authorization")
    default: false
    }
  }

  private static func isNamed(_ name: UnsafeRawBufferPointer, in lists: [UnsafeRawBufferPointer]) -> Bool {
    // TE is named by rule, and is the one such field that HTTP/2 knows.
    if equals(name, "te") { return false }
    for list in lists {
      for element in list.split(separator: UInt8(ascii: ",")) {
        if equalIgnoringCase(trimmed(UnsafeRawBufferPointer(rebasing: element)), name) { return true }
      }
    }
    return false
  }

  // MARK: Bytes

  /// The lines up to the empty one, without their ends.
  private struct Lines {
    private let text: UnsafeRawBufferPointer
    private var start = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    mutating func next() -> UnsafeRawBufferPointer? {
      guard start < text.count, let base = text.baseAddress, let found = memchr(base + start, 0x0D, text.count - start) else { return nil }
      let end = UnsafeRawPointer(found) - base
      guard end > start else { return nil }
      defer { start = end + 2 }
      return text[piece: start..<end]
    }
  }

  private static func field(
    _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isSecret: Bool = false
  ) -> nghttp2_nv {
    nghttp2_nv(
      name: UnsafeMutablePointer(mutating: name.bindMemory(to: UInt8.self).baseAddress),
      value: UnsafeMutablePointer(mutating: value.bindMemory(to: UInt8.self).baseAddress), namelen: name.count, valuelen: value.count,
      flags: UInt8(truncatingIfNeeded: isSecret ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : NGHTTP2_NV_FLAG_NONE.rawValue))
  }

  private static func field(_ name: StaticString, _ value: UnsafeRawBufferPointer) -> nghttp2_nv { field(bytes(name), value) }
  private static func field(_ name: StaticString, _ value: StaticString) -> nghttp2_nv { field(bytes(name), bytes(value)) }

  private static func bytes(_ text: StaticString) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  static func equals(_ bytes: UnsafeRawBufferPointer, _ lowerCase: StaticString) -> Bool {
    equalIgnoringCase(bytes, Http2RequestHead.bytes(lowerCase))
  }

  private static func equalIgnoringCase(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    for index in 0..<left.count where lower(left[index]) != lower(right[index]) { return false }
    return true
  }

  private static func lower(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// Without the blanks (SP, HTAB) at both ends.
  static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var start = 0
    var end = bytes.count
    while start < end, isBlank(bytes[start]) { start &+= 1 }
    while end > start, isBlank(bytes[end &- 1]) { end &-= 1 }
    return bytes[piece: start..<end]
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension UnsafeRawBufferPointer {
  fileprivate subscript(piece range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }
}
