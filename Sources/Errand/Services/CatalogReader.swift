internal import HttpWire

/// Takes the members of one object of a catalogue document, and refuses those that nobody took.
struct CatalogReader {
  let path: String
  private var members: [String: JsonValue] = [:]
  private let fields: [String]

  init(_ value: JsonValue, _ path: String, of fields: [String]) throws(CatalogError) {
    self.path = path
    self.fields = fields
    for member in try CatalogReader.object(value, path) {
      guard fields.contains(member.key) else {
        throw CatalogError(
          CatalogReader.join(path, member.key), "is not a field here; there are: \(fields.sorted().joined(separator: ", "))")
      }
      if !member.value.isNull { members[member.key] = member.value }
    }
  }

  static func join(_ path: String, _ key: String) -> String {
    path + "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  static func object(_ value: JsonValue, _ path: String) throws(CatalogError) -> JsonObject {
    guard case .object(let object) = value else { throw CatalogError(path, "must be an object") }
    return object
  }

  static func text(_ value: JsonValue, _ path: String) throws(CatalogError) -> String {
    guard let text = value.string else { throw CatalogError(path, "must be a text") }
    return text
  }

  func path(_ field: String) -> String { CatalogReader.join(path, field) }
  func value(_ field: String) -> JsonValue? { members[field] }
  func failure(_ field: String, _ words: String) -> CatalogError { CatalogError(path(field), words) }

  func needed(_ field: String) throws(CatalogError) -> JsonValue {
    guard let value = members[field] else { throw failure(field, "is missing") }
    return value
  }

  func text(_ field: String) throws(CatalogError) -> String? {
    guard let value = members[field] else { return nil }
    return try CatalogReader.text(value, path(field))
  }

  func flag(_ field: String) throws(CatalogError) -> Bool? {
    guard let value = members[field] else { return nil }
    guard let flag = value.bool else { throw failure(field, "must be true or false") }
    return flag
  }

  func integer(_ field: String, _ range: ClosedRange<Int64>) throws(CatalogError) -> Int64? {
    guard let value = members[field] else { return nil }
    guard let number = value.int, range.contains(number) else {
      throw failure(field, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Texts; where `orOne`, a lone one too.
  func texts(_ field: String, orOne: Bool = false) throws(CatalogError) -> [String]? {
    guard let value = members[field] else { return nil }
    if orOne, let text = value.string { return [text] }
    guard case .array(let elements) = value else {
      throw failure(field, orOne ? "must be a text or an array of texts" : "must be an array of texts")
    }
    var texts: [String] = []
    for (index, element) in elements.enumerated() { texts.append(try CatalogReader.text(element, path(field) + "/\(index)")) }
    return texts
  }

  func choice<Choice: RawRepresentable & CaseIterable>(_ field: String) throws(CatalogError) -> Choice? where Choice.RawValue == String {
    guard let text = try text(field) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw failure(field, "must be one of: \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return choice
  }
}
