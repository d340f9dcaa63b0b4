internal import HttpWire

/// A JSON object as names and values, one on each line, names of nested members with dots.
enum Fields {
  static func lines(_ value: JsonValue) -> [String] {
    let pairs = flatten(value, under: "")
    let width = pairs.map(\.0.count).max() ?? 0
    return pairs.map { EventLine.padded(Text.onOneLine($0.0), width) + "  " + Text.onOneLine($0.1) }
  }

  static func flatten(_ value: JsonValue, under name: String) -> [(String, String)] {
    switch value {
    case .object(let object) where !object.isEmpty:
      object.flatMap { flatten($0.value, under: name.isEmpty ? $0.key : "\(name).\($0.key)") }
    case .string(let text): [(name, text)]
    case .null: [(name, "-")]
    case .number(let number): [(name, readable(number, name))]
    default: [(name, value.description)]
    }
  }

  /// The unit is a part of the name; large times and sizes are given in words, too.
  private static func readable(_ number: JsonNumber, _ name: String) -> String {
    guard let value = number.int else { return number.text }
    if name.hasSuffix("_us"), value >= 1_000 { return "\(value) (\(Text.duration(microseconds: value)))" }
    if name.hasSuffix("bytes"), value >= 1_024 { return "\(value) (\(Text.bytes(value)))" }
    return number.text
  }
}
