/// A media type such as `text/html; charset=utf-8` (RFC 9110 8.3.1).
public struct MediaType: Sendable, Equatable, CustomStringConvertible {
  /// Lower case.
  public let type: String
  /// Lower case.
  public let subtype: String
  /// What the parameter `charset` says, in lower case and without quotes.
  public let charset: String?

  /// nil unless `text` begins with type and subtype.
  public init?(_ text: String) {
    var pieces = text.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed).makeIterator()
    guard let essence = pieces.next() else { return nil }
    let names = essence.split(separator: "/", omittingEmptySubsequences: false)
    guard names.count == 2, names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Ascii.isToken) }) else { return nil }
    type = names[0].lowercased()
    subtype = names[1].lowercased()
    var charset: String?
    while charset == nil, let parameter = pieces.next() {
      let pair = parameter.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].lowercased() == "charset" else { continue }
      charset = pair[1].filter { $0 != "\"" }.lowercased()
    }
    self.charset = charset
  }

  /// `application/json`, `text/json`, or a subtype that ends in `+json` (RFC 6839 3.1).
  public var isJson: Bool {
    subtype.hasSuffix("+json") || (subtype == "json" && (type == "application" || type == "text"))
  }

  public var description: String { "\(type)/\(subtype)" }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return start[...last]
  }
}
