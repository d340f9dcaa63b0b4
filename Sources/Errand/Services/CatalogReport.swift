/// What came of a look at a catalogue document.
public enum CatalogReport: Sendable, CustomStringConvertible {
  /// A new document is in use. `services`: how many there are now, those given in code included.
  case updated(services: Int)
  /// The document is the one in use.
  case unchanged
  /// The file of last time is in use, until the document can be fetched.
  case loaded(services: Int)
  /// It could not be fetched: what was in use stays so.
  case failed(HttpClientError)
  /// It came and can't be used: what was in use stays so.
  case refused(CatalogError)
  /// The file could not be read or written, in words. What is in use is not touched.
  case file(String)

  public var description: String {
    switch self {
    case .updated(let count): "a new catalogue is in use, with \(CatalogReport.words(count))"
    case .unchanged: "the catalogue is unchanged"
    case .loaded(let count): "the catalogue of last time is in use, with \(CatalogReport.words(count))"
    case .failed(let error): "the catalogue can't be fetched, the old one stays in use: \(error)"
    case .refused(let error): "the new catalogue can't be used, the old one stays in use: \(error)"
    case .file(let words): "the catalogue's file: \(words)"
    }
  }

  private static func words(_ count: Int) -> String { count == 1 ? "1 service" : "\(count) services" }
}
