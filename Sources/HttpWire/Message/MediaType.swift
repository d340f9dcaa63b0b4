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
    let read = text.withBytes { bytes -> (type: String, subtype: String, charset: String?)? in
      let end = bytes.firstIndex(of: Ascii.semicolon) ?? bytes.count
      let essence = Ascii.trimmed(bytes[piece: 0..<end])
      guard let slash = essence.firstIndex(of: Ascii.slash) else { return nil }
      let names = (essence[piece: 0..<slash], essence[piece: slash + 1..<essence.count])
      guard !names.0.isEmpty, !names.1.isEmpty, names.0.allSatisfy(Ascii.isToken), names.1.allSatisfy(Ascii.isToken) else { return nil }
      var charset: String?
      if end < bytes.count {
        let parameters = FieldParameter.parameters(in: bytes[piece: end + 1..<bytes.count])
        let named = parameters.first { $0.name == "charset" && !$0.value.isEmpty }
        charset = named.map { String(decoding: $0.value, as: UTF8.self).lowercased() }
      }
      return (String(peer: names.0).lowercased(), String(peer: names.1).lowercased(), charset)
    }
    guard let read else { return nil }
    (type, subtype, charset) = read
  }

  /// `application/json`, `text/json`, or a subtype that ends in `+json` (RFC 6839 3.1).
  public var isJson: Bool {
    subtype.hasSuffix("+json") || (subtype == "json" && (type == "application" || type == "text"))
  }

  /// Type and subtype.
  public var description: String { "\(type)/\(subtype)" }
}
