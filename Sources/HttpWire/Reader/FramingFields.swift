/// What the fields of a head say about framing and the connection, gathered while the head is read, without Strings.
struct FramingFields: Sendable {
  var contentLength: Int64?
  var hasTransferEncoding = false
  /// The last transfer coding so far is chunked.
  var endsInChunked = false
  /// A transfer coding besides chunked was named.
  var hasOtherCoding = false
  var close = false
  var keepAlive = false
  var expectsContinue = false
  var hostCount: UInt8 = 0

  /// Takes note of a field if it is one of those that matter here.
  @inline(__always)
  mutating func note(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws(WireError) {
    switch name.count {
    case 4 where Ascii.equals(name, "host"):
      guard Self.isHost(value) else { throw .malformed("the header field Host is not valid") }
      if hostCount < 2 { hostCount += 1 }
    case 6 where Ascii.equals(name, "expect"):
      if Ascii.equals(value, "100-continue") { expectsContinue = true }
    case 10 where Ascii.equals(name, "connection"):
      Ascii.forEachElement(value) { option in
        if Ascii.equals(option, "close") { close = true }
        if Ascii.equals(option, "keep-alive") { keepAlive = true }
        return true
      }
    case 14 where Ascii.equals(name, "content-length"):
      guard let length = Self.contentLength(value) else { throw .malformed("Content-Length is not a number: \(excerpt(value))") }
      if let earlier = contentLength, earlier != length { throw .malformed("different values of Content-Length") }
      contentLength = length
    case 17 where Ascii.equals(name, "transfer-encoding"):
      try noteTransferEncoding(value)
    default: return
    }
  }

  private mutating func noteTransferEncoding(_ value: UnsafeRawBufferPointer) throws(WireError) {
    hasTransferEncoding = true
    var valid = true
    var named = false
    Ascii.forEachElement(value) { element in
      guard !element.isEmpty else { return true }
      named = true
      let nameEnd = element.firstIndex { !Ascii.isToken($0) } ?? element.count
      let isChunked = Ascii.equals(element[piece: 0..<nameEnd], "chunked")
      let rest = Ascii.trimmed(element[piece: nameEnd..<element.count])
      // Chunked takes no parameters and comes once; a peer that says otherwise would frame the body in another way than we do.
      if nameEnd == 0 || (!rest.isEmpty && (isChunked || rest[0] != Ascii.semicolon)) || (isChunked && endsInChunked) { valid = false }
      endsInChunked = isChunked
      if !isChunked { hasOtherCoding = true }
      return valid
    }
    guard valid, named else { throw .malformed("Transfer-Encoding is not a list of codings: \(excerpt(value))") }
  }

  /// A number, or a list of equal numbers (RFC 9112 6.3); nil if it is neither, or does not fit.
  static func contentLength(_ value: UnsafeRawBufferPointer) -> Int64? {
    var result: Int64?
    var valid = true
    Ascii.forEachElement(value) { element in
      var number: Int64 = 0
      valid = !element.isEmpty
      for byte in element {
        let (product, overflow) = number.multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.addingReportingOverflow(Int64(byte &- Ascii.zero))
        guard Ascii.isDigit(byte), !overflow, !carry else {
          valid = false
          break
        }
        number = sum
      }
      if let earlier = result, earlier != number { valid = false }
      result = number
      return valid
    }
    return valid ? result : nil
  }

  /// Only characters of host and port (RFC 9112 3.2); no comma, for that would be a list.
  static func isHost(_ value: UnsafeRawBufferPointer) -> Bool {
    value.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, Ascii.minus, Ascii.dot, 0x5F, 0x7E, Ascii.colon, 0x5B, 0x5D, Ascii.percent: true
      case 0x21, 0x24, Ascii.ampersand, 0x27...0x2B, Ascii.semicolon, Ascii.equals: true
      default: false
      }
    }
  }
}
