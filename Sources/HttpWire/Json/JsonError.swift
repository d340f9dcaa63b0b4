/// Where and why a text is not JSON (RFC 8259), or not a JSON pointer (RFC 6901).
public struct JsonError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong, without position.
  public let message: String
  /// From 1.
  public let line: Int
  /// From 1, in characters (Unicode scalars) of the line.
  public let column: Int
  /// From 0, in bytes.
  public let offset: Int

  public init(message: String, line: Int, column: Int, offset: Int) {
    self.message = message
    self.line = line
    self.column = column
    self.offset = offset
  }

  init(_ message: String, in bytes: UnsafeRawBufferPointer, at offset: Int) {
    var line = 1
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == Ascii.lf {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    self.init(message: message, line: line, column: column, offset: offset)
  }

  public var description: String { "\(message) (line \(line), column \(column))" }
}
