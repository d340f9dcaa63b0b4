/// How the end of a message's body is told (RFC 9112 6).
public enum BodyFraming: Sendable, Equatable {
  /// No body.
  case none
  /// Content-Length with this many bytes; a negative length is refused.
  case length(Int64)
  /// Transfer-Encoding: chunked.
  case chunked
}

/// What a writer needs to know of the fields its caller gave.
enum CallerField {
  case ordinary
  case host
  case contentLength
  case transferEncoding

  @inline(__always)
  init(_ name: UnsafeRawBufferPointer) {
    switch name.count {
    case 4 where Ascii.equals(name, "host"): self = .host
    case 14 where Ascii.equals(name, "content-length"): self = .contentLength
    case 17 where Ascii.equals(name, "transfer-encoding"): self = .transferEncoding
    default: self = .ordinary
    }
  }
}

extension HttpHeaders {
  /// Refuses framing fields that contradict the framing; those that agree are left out when writing, in favour of the writer's own.
  func checkFraming(_ body: BodyFraming) throws(WireError) {
    try block.withBytes { (bytes) throws(WireError) in
      for field in fields {
        let value = bytes[piece: field.value]
        switch CallerField(bytes[piece: field.name]) {
        case .ordinary, .host: continue
        case .contentLength:
          let length = FramingFields.contentLength(value)
          switch body {
          case .length(let given) where length == given: continue
          case .none where length == 0: continue
          case .none, .length, .chunked: throw .invalid("the header field Content-Length contradicts the body")
          }
        case .transferEncoding:
          guard body == .chunked, Ascii.equals(Ascii.trimmed(value), "chunked") else {
            throw .invalid("the header field Transfer-Encoding contradicts the body")
          }
        }
      }
    }
  }

  /// Appends the fields that are not of a kind in `skipping`, each ended by CRLF.
  func write(to bytes: inout [UInt8], skippingHost: Bool) {
    block.withUnsafeBytes { source in
      for field in fields {
        switch CallerField(source[piece: field.name]) {
        case .contentLength, .transferEncoding: continue
        case .host where skippingHost: continue
        case .host, .ordinary: break
        }
        let (nameEnd, valueStart, valueEnd) = (field.name.upperBound, field.value.lowerBound, field.value.upperBound)
        if valueStart == nameEnd + 2, source[nameEnd + 1] == Ascii.space, valueEnd + 1 < source.count,
          source[valueEnd] == Ascii.cr, source[valueEnd + 1] == Ascii.lf
        {
          bytes.append(contentsOf: source[field.name.lowerBound..<valueEnd + 2])
        } else {
          bytes.append(contentsOf: source[field.name])
          bytes.append(static: ": ")
          bytes.append(contentsOf: source[field.value])
          bytes.append(static: "\r\n")
        }
      }
    }
  }

  static func writeFraming(_ body: BodyFraming, to bytes: inout [UInt8]) {
    switch body {
    case .none: return
    case .length(let length):
      bytes.append(static: "Content-Length: ")
      bytes.append(decimal: UInt64(clamping: length))
      bytes.append(static: "\r\n")
    case .chunked: bytes.append(static: "Transfer-Encoding: chunked\r\n")
    }
  }
}
