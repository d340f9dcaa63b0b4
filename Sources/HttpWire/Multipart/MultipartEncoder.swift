/// Writes `multipart/form-data` (RFC 7578) as browsers do (WHATWG HTML 4.10.21.8). Pure: files stand in it by number alone.
public enum MultipartEncoder {
  /// One part of a form.
  public struct Part: Sendable, Hashable {
    public var name: String
    /// nil: a field, not a file.
    public var filename: String?
    /// nil: no Content-Type, which means text (RFC 7578 section 4.4).
    public var contentType: String?
    public var content: Segment

    public init(name: String, filename: String? = nil, contentType: String? = nil, content: Segment) {
      self.name = name
      self.filename = filename
      self.contentType = contentType
      self.content = content
    }
  }

  /// A stretch of a body.
  public enum Segment: Sendable, Hashable {
    case bytes([UInt8])
    /// A file that whoever sends it knows by `index`. `length` in bytes; nil where it is not known.
    case file(index: Int, length: Int64?)
  }

  /// A form ready to be sent.
  public struct Form: Sendable, Hashable {
    /// Sent one after the other.
    public let segments: [Segment]
    /// Of all segments; nil if that of one is not known.
    public let length: Int64?
    /// The value for Content-Type, with the boundary.
    public let contentType: String
  }

  /// The parts in their order. Names go out in UTF-8, with `"`, CR and LF as `%22`, `%0D` and `%0A`; other controls but the tab, at which
  /// some readers break lines too, are escaped in the same way. Contents are not touched, line ends included.
  ///
  /// `boundary`: 1 to 70 letters, digits and `'+-._`, such that no content holds it: the caller makes it of randomness.
  ///
  /// Throws `invalid`: for a content type that is no media type or holds a control character, naming its part; for lengths that are
  /// negative or too much together; and for a boundary of other characters.
  public static func encode(_ parts: [Part], boundary: String) throws(WireError) -> Form {
    guard isBoundary(boundary) else { throw .invalid("the boundary of a multipart body is not valid") }
    var segments = SegmentList()
    for (index, part) in parts.enumerated() {
      segments.add(try head(of: part, index, boundary))
      segments.add(part.content)
      segments.add(.bytes([Ascii.cr, Ascii.lf]))
    }
    segments.add(.bytes(Array("--\(boundary)--\r\n".utf8)))
    let all = segments.finished()
    return Form(segments: all, length: try length(of: all), contentType: "multipart/form-data; boundary=\(boundary)")
  }

  private static func head(of part: Part, _ index: Int, _ boundary: String) throws(WireError) -> Segment {
    var bytes: [UInt8] = []
    bytes.append(static: "--")
    bytes.append(text: boundary)
    bytes.append(static: "\r\nContent-Disposition: form-data; name=\"")
    appendEscaped(part.name, to: &bytes)
    if let filename = part.filename {
      bytes.append(static: "\"; filename=\"")
      appendEscaped(filename, to: &bytes)
    }
    bytes.append(static: "\"\r\n")
    if let contentType = part.contentType {
      guard MediaType(contentType) != nil, !contentType.utf8.contains(where: Ascii.isControl) else {
        throw .invalid("the content type of part \(index + 1), \(part.name.withBytes(excerpt)), is not valid")
      }
      bytes.append(static: "Content-Type: ")
      bytes.append(text: contentType)
      bytes.append(static: "\r\n")
    }
    bytes.append(static: "\r\n")
    return .bytes(bytes)
  }

  private static func length(of segments: [Segment]) throws(WireError) -> Int64? {
    var total: Int64 = 0
    for segment in segments {
      guard let length = segment.length else { return nil }
      let (sum, overflow) = total.addingReportingOverflow(length)
      guard length >= 0, !overflow else { throw .invalid("the length of a multipart body is not valid") }
      total = sum
    }
    return total
  }

  private static func appendEscaped(_ name: String, to bytes: inout [UInt8]) {
    for byte in name.utf8 {
      if byte == Ascii.quote || Ascii.isControl(byte) && byte != Ascii.tab {
        bytes.append(percentEncoded: byte)
      } else {
        bytes.append(byte)
      }
    }
  }

  /// None that would have to be quoted in Content-Type.
  private static func isBoundary(_ text: String) -> Bool {
    let isFitting = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x27, Ascii.plus, Ascii.minus, Ascii.dot, 0x5F: true
      default: false
      }
    }
    return isFitting && 1...70 ~= text.utf8.count
  }
}

extension MultipartEncoder.Segment {
  var length: Int64? {
    switch self {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(_, let length): length
    }
  }
}

/// Segments in the making, with neighbouring bytes joined.
private struct SegmentList {
  private var segments: [MultipartEncoder.Segment] = []
  private var joined: [UInt8] = []
  /// Larger ones stay a segment of their own instead of being copied.
  private static let joinedLimit = 65_536

  mutating func add(_ segment: MultipartEncoder.Segment) {
    if case .bytes(let bytes) = segment, bytes.count <= SegmentList.joinedLimit {
      joined += bytes
      return
    }
    endJoined()
    segments.append(segment)
  }

  private mutating func endJoined() {
    if !joined.isEmpty { segments.append(.bytes(joined)) }
    joined = []
  }

  consuming func finished() -> [MultipartEncoder.Segment] {
    endJoined()
    return segments
  }
}
