/// What is wrong with a catalogue document, and where.
public struct CatalogError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A JSON pointer (RFC 6901), such as `/services/stockQuote/versions/2/url`; empty for the document as a whole.
  public let path: String
  /// In words that go on after the path: `is missing`.
  public let message: String

  init(_ path: String, _ message: String) {
    self.path = path
    self.message = message
  }

  public var description: String { path.isEmpty ? "the catalogue \(message)" : "\(PeerText.line(path)) \(message)" }
}
