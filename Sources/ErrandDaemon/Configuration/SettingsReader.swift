/// Decodes one section: keys that are not there keep their defaults, keys that are not known are an error.
struct SettingsReader<Key: CodingKey & CaseIterable> {
  private let container: KeyedDecodingContainer<Key>

  init(_ decoder: any Decoder) throws {
    let all = try decoder.container(keyedBy: AnyKey.self)
    let known = Set(Key.allCases.map(\.stringValue))
    if let unknown = all.allKeys.first(where: { !known.contains($0.stringValue) }) {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: all.codingPath + [unknown],
          debugDescription: "is not a known setting; there are: \(known.sorted().joined(separator: ", "))"))
    }
    container = try decoder.container(keyedBy: Key.self)
  }

  func read<Value: Decodable>(_ key: Key, _ value: inout Value) throws {
    if container.contains(key) { value = try container.decode(Value.self, forKey: key) }
  }

  func integer(_ key: Key, _ value: inout Int, _ range: ClosedRange<Int>) throws {
    try read(key, &value)
    guard range.contains(value) else { throw failure(key, "must be from \(range.lowerBound) to \(range.upperBound), not \(value)") }
  }

  func optionalInteger(_ key: Key, _ value: inout Int?, _ range: ClosedRange<Int>) throws {
    try read(key, &value)
    if let value, !range.contains(value) {
      throw failure(key, "must be from \(range.lowerBound) to \(range.upperBound), or null, not \(value)")
    }
  }

  func choice(_ key: Key, _ value: inout String, _ choices: [String]) throws {
    try read(key, &value)
    guard choices.contains(value) else { throw failure(key, "must be one of \(choices.joined(separator: ", ")), not \(value)") }
  }

  func failure(_ key: Key, _ message: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: container.codingPath + [key], debugDescription: message))
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }
}
