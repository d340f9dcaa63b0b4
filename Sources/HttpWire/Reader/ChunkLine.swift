/// A chunk-size line (RFC 9112 7.1), read byte by byte so that it may be cut anywhere. Extensions are checked and skipped.
struct ChunkLine: Sendable {
  private enum Place: UInt8 { case digits, blanks, extensions, lineFeed }

  private(set) var size: UInt64 = 0
  private(set) var lineBytes = 0
  private var digits: UInt8 = 0
  private var place = Place.digits

  /// True once the line is complete.
  mutating func take(_ byte: UInt8, limit: Int) throws(WireError) -> Bool {
    guard lineBytes < limit else { throw .tooLarge("chunkLineBytes", "a chunk-size line is too long", status: 400) }
    lineBytes += 1
    switch place {
    case .digits:
      if let value = Ascii.hexValue(byte) {
        guard digits < 16 else { throw .malformed("a chunk size has more than 16 digits") }
        digits += 1
        size = size << 4 | UInt64(value)
        return false
      }
      guard digits > 0 else { throw Self.notHexadecimal }
      return try takeAfterSize(byte)
    case .blanks:
      guard byte != Ascii.cr else { throw .malformed("a chunk size is followed by blanks") }
      return try takeAfterSize(byte)
    case .extensions:
      if byte == Ascii.cr {
        place = .lineFeed
      } else if Ascii.isControl(byte), byte != Ascii.tab {
        throw .malformed("a chunk extension holds a control character")
      }
      return false
    case .lineFeed:
      guard byte == Ascii.lf else { throw .malformed("a chunk-size line does not end with CRLF") }
      return true
    }
  }

  private mutating func takeAfterSize(_ byte: UInt8) throws(WireError) -> Bool {
    switch byte {
    case Ascii.cr: place = .lineFeed
    case Ascii.semicolon: place = .extensions
    case Ascii.space, Ascii.tab: place = .blanks
    default: throw Self.notHexadecimal
    }
    return false
  }

  private static var notHexadecimal: WireError { .malformed("a chunk size is not a hexadecimal number") }
}
