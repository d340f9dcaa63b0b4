internal import FoundationEssentials

/// Where in a JSON text a type found something else than it wants, in words of bounded length. Values do not appear in them.
struct DecodingFault: CustomStringConvertible {
  let description: String

  /// The longest place that is told in full, in Unicode scalars.
  private static let placeLimit = 200

  /// `data` is JSON that `T` could not be decoded from.
  init<T: Decodable & SendableMetatype>(_ error: DecodingError, in data: Data, as type: T.Type, with decoder: JSONDecoder) {
    var path: [any CodingKey]
    let words: String
    switch error {
    case .typeMismatch(_, let context):
      path = context.codingPath
      words = context.debugDescription
    case .valueNotFound(let type, let context):
      path = context.codingPath
      words = "null, or nothing, stands where \(type) is wanted"
    case .keyNotFound(let key, let context):
      path = context.codingPath
      words = "the member \(DecodingFault.quoted(key)) is missing"
    case .dataCorrupted(let context):
      path = context.codingPath
      // The decoder says so, without a place, of a number that does not fit.
      let isUnsaid = path.isEmpty && context.debugDescription.contains("not valid JSON")
      var wanted: String?
      if path.isEmpty, let last = DecodingTracker.lastStep(decoding: type, from: data, with: decoder) {
        path = last.path
        wanted = last.wanted
      }
      let number = "the number can't be read as \(wanted ?? "the type wanted"): it has a fraction, or is out of range"
      words = isUnsaid ? number : context.debugDescription
    @unknown default:
      path = []
      words = "\(error)"
    }
    let place = DecodingFault.place(path)
    let line = PeerText.line(words)
    description = place.isEmpty ? line : "at \(place): \(line)"
  }

  /// Such as `items[3].price`; empty at the top.
  static func place(_ path: [any CodingKey]) -> String {
    var place = ""
    for key in path {
      if let index = key.intValue, key.stringValue.hasPrefix("Index ") || key.stringValue == "\(index)" {
        place += "[\(index)]"
      } else {
        place += (place.isEmpty ? "" : ".") + PeerText.line(key.stringValue, limit: 60)
      }
      if place.unicodeScalars.count > placeLimit { return place + "…" }
    }
    return place
  }

  private static func quoted(_ key: any CodingKey) -> String { "\"\(PeerText.line(key.stringValue, limit: 60))\"" }
}
