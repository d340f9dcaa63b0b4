/// A JSON number with its text, so that integers and decimals of any size pass unchanged. Equal if the texts are.
public struct JsonNumber: Sendable, Hashable, CustomStringConvertible {
  /// As it stood in the JSON text.
  public let text: String

  /// nil unless `text` is a number by the grammar of RFC 8259.
  public init?(_ text: String) {
    let valid = text.withBytes { bytes in
      var scanner = JsonScanner(bytes, maxDepth: 0)
      guard let first = bytes.first, first == Ascii.minus || Ascii.isDigit(first) else { return false }
      return (try? scanner.scanNumber()) != nil && scanner.index == bytes.count
    }
    guard valid else { return nil }
    self.text = text
  }

  /// An integer of any width.
  public init(_ value: some FixedWidthInteger) { text = String(value) }

  /// nil for a value that is not finite.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    text = value.description
  }

  init(unchecked text: String) { self.text = text }

  /// nil with a fraction or an exponent, and for what does not fit.
  public var int: Int64? { Int64(text) }
  /// nil with a fraction or an exponent, for negative numbers, and for what does not fit.
  public var uint: UInt64? { UInt64(text) }
  /// The nearest double; infinite for what lies outside of its range.
  public var double: Double { Double(text) ?? .nan }

  public var description: String { text }
}
