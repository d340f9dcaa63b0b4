/// Reads a start line and header fields, or trailers, from pieces of any size.
///
/// A head that is whole in one input is read where it lies and copied once. Otherwise what came is kept in `carry`, and each line
/// is read as soon as it is complete: errors and results do not depend on how the bytes were cut.
struct HeadParser: Sendable {
  enum Kind: UInt8, Sendable { case statusLine, requestLine, trailers }

  enum StartLine: Sendable {
    case none
    case status(HttpVersion, Int, reason: String)
    case request(HttpMethod, target: String, HttpVersion)
  }

  private(set) var kind: Kind
  /// Requests take only CRLF as the end of a line; in responses a single LF will do (RFC 9112 2.2).
  private let isRequest: Bool
  private(set) var startLine: StartLine = .none
  private(set) var framing = FramingFields()
  private var fields: [HttpHeaders.Field] = []
  private var carry: [UInt8] = []
  private var lineStart = 0
  private var needsStartLine: Bool
  private var skippedEmptyLine = false

  init(_ kind: Kind) {
    self.kind = kind
    isRequest = kind == .requestLine
    needsStartLine = kind != .trailers
  }

  /// Some bytes of the section were seen; an empty line before a request does not count.
  var hasStarted: Bool { !needsStartLine || (carry.count > (skippedEmptyLine ? 2 : 0)) }

  /// Ready for another section; keeps the capacity of the carry buffer.
  mutating func reset(_ kind: Kind) {
    self.kind = kind
    startLine = .none
    framing = FramingFields()
    fields = []
    carry.removeAll(keepingCapacity: true)
    lineStart = 0
    needsStartLine = kind != .trailers
    skippedEmptyLine = false
  }

  /// The fields once the section is complete, with `offset` behind it; nil when all of the input was taken.
  mutating func next(
    _ input: UnsafeRawBufferPointer, at offset: inout Int, limits: WireLimits
  ) throws(WireError) -> HttpHeaders? {
    if carry.isEmpty {
      let text = input[piece: offset..<input.count]
      if let end = try readLines(text, limits) {
        offset += end
        return HttpHeaders(block: fields.isEmpty ? [] : [UInt8](text[piece: 0..<end]), fields: fields)
      }
      try check(text, upTo: text.count, limits)
      carry.append(contentsOf: text)
      offset = input.count
      return nil
    }
    while offset < input.count {
      let lineFeed = Ascii.lineFeed(in: input, from: offset)
      let end = lineFeed.map { $0 + 1 } ?? input.count
      carry.append(contentsOf: input[offset..<end])
      offset = end
      // The parser changes while it reads its own carry buffer, so the buffer is taken out for the while; nothing is copied.
      var text: [UInt8] = []
      swap(&text, &carry)
      defer { swap(&text, &carry) }
      if lineFeed == nil {
        try text.withBytes { (bytes) throws(WireError) in try check(bytes, upTo: bytes.count, limits) }
        return nil
      }
      if let end = try text.withBytes({ (bytes) throws(WireError) in try readLines(bytes, limits) }) {
        let headers = HttpHeaders(block: fields.isEmpty ? [] : [UInt8](text[..<end]), fields: fields)
        text.removeAll(keepingCapacity: true)
        return headers
      }
    }
    return nil
  }

  /// Reads all complete lines from `lineStart`; the end of the section if it is among them. `text` begins where the section does.
  private mutating func readLines(_ text: UnsafeRawBufferPointer, _ limits: WireLimits) throws(WireError) -> Int? {
    while let lineFeed = Ascii.lineFeed(in: text, from: lineStart) {
      try check(text, upTo: lineFeed + 1, limits)
      var end = lineFeed
      if end > lineStart, text[end - 1] == Ascii.cr {
        end -= 1
      } else if isRequest {
        throw .malformed("a line ends with LF instead of CRLF")
      }
      if needsStartLine {
        if end == lineStart, kind == .requestLine, !skippedEmptyLine {
          skippedEmptyLine = true
        } else {
          try readStartLine(text[piece: lineStart..<end])
          needsStartLine = false
        }
      } else if end == lineStart {
        return lineFeed + 1
      } else {
        try readField(text, lineStart..<end, limits)
      }
      lineStart = lineFeed + 1
    }
    return nil
  }

  /// Checks what can be told of a line before it is complete, so that garbage is refused at once and memory is bounded.
  @inline(__always)
  private func check(_ text: UnsafeRawBufferPointer, upTo end: Int, _ limits: WireLimits) throws(WireError) {
    if needsStartLine { try checkStartLine(text[piece: lineStart..<end], limits) }
    if kind == .trailers {
      if end > limits.trailerBytes { throw .tooLarge("trailerBytes", "the trailers are too large", status: 431) }
    } else if end > limits.headBytes {
      throw .tooLarge("headBytes", "the header is too large", status: 431)
    }
  }

  private func checkStartLine(_ line: UnsafeRawBufferPointer, _ limits: WireLimits) throws(WireError) {
    guard let first = line.first else { return }
    if kind == .statusLine {
      guard Ascii.isProtocolStart(line) else { throw .malformed("the peer does not answer with HTTP/1") }
    } else if !Ascii.isToken(first), first != Ascii.cr, first != Ascii.lf {
      throw .malformed("the request line does not begin with a method")
    }
    if limits.startLineBytes <= limits.headBytes - lineStart, line.count > limits.startLineBytes {
      throw kind == .requestLine
        ? .tooLarge("startLineBytes", "the request line is too long", status: 414)
        : .tooLarge("startLineBytes", "the status line is too long", status: 431)
    }
  }

  private mutating func readStartLine(_ line: UnsafeRawBufferPointer) throws(WireError) {
    switch kind {
    case .statusLine:
      let (version, status, reason) = try StatusLine.parse(line)
      startLine = .status(version, status, reason: reason)
    case .requestLine:
      let (method, target, version) = try RequestLine.parse(line)
      startLine = .request(method, target: target, version)
    case .trailers: return
    }
  }

  private mutating func readField(
    _ text: UnsafeRawBufferPointer, _ line: Range<Int>, _ limits: WireLimits
  ) throws(WireError) {
    if Ascii.isBlank(text[line.lowerBound]) { throw .malformed("a header field is folded over lines (obs-fold)") }
    var index = line.lowerBound
    while index < line.upperBound, Ascii.isToken(text[index]) { index &+= 1 }
    let nameEnd = index
    guard nameEnd < line.upperBound, text[nameEnd] == Ascii.colon, nameEnd > line.lowerBound else {
      throw .malformed("a header field has no valid name followed by ':': \(excerpt(text[piece: line.lowerBound..<nameEnd]))")
    }
    var valueStart = nameEnd &+ 1
    var valueEnd = line.upperBound
    while valueStart < valueEnd, Ascii.isBlank(text[valueStart]) { valueStart &+= 1 }
    while valueEnd > valueStart, Ascii.isBlank(text[valueEnd &- 1]) { valueEnd &-= 1 }
    let name = text[piece: line.lowerBound..<nameEnd]
    let value = text[piece: valueStart..<valueEnd]
    guard Ascii.isFieldValue(value) else {
      throw .malformed("the value of header field \(excerpt(name)) holds a control character")
    }
    guard fields.count < limits.headerCount else { throw .tooLarge("headerCount", "there are too many header fields", status: 431) }
    guard let (first, second, third, fourth) = Self.offsets(line.lowerBound, nameEnd, valueStart, valueEnd) else {
      throw .tooLarge("headBytes", "the header is too large", status: 431)
    }
    if fields.isEmpty { fields.reserveCapacity(12) }
    fields.append(HttpHeaders.Field(nameStart: first, nameEnd: second, valueStart: third, valueEnd: fourth))
    if kind != .trailers { try framing.note(name: name, value: value) }
  }

  @inline(__always)
  private static func offsets(_ first: Int, _ second: Int, _ third: Int, _ fourth: Int) -> (UInt32, UInt32, UInt32, UInt32)? {
    guard fourth <= Int(UInt32.max) else { return nil }
    return (
      UInt32(truncatingIfNeeded: first), UInt32(truncatingIfNeeded: second), UInt32(truncatingIfNeeded: third),
      UInt32(truncatingIfNeeded: fourth)
    )
  }
}
