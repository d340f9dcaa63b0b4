/// A JSON value (RFC 8259).
public enum JsonValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(JsonNumber)
  case string(String)
  case array([JsonValue])
  case object(JsonObject)

  /// The value if this is a string.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The value if this is an integer that fits.
  public var int: Int64? { if case .number(let value) = self { value.int } else { nil } }
  /// The nearest double if this is a number.
  public var double: Double? { if case .number(let value) = self { value.double } else { nil } }
  /// The value if this is true or false.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The elements if this is an array.
  public var array: [JsonValue]? { if case .array(let value) = self { value } else { nil } }
  /// The members if this is an object.
  public var object: JsonObject? { if case .object(let value) = self { value } else { nil } }
  /// This is `null`, which is something else than a member that is absent.
  public var isNull: Bool { self == .null }

  /// The value of a member; nil if this is no object or has none of that key.
  public subscript(_ key: String) -> JsonValue? { object?[key] }

  /// An element; nil if this is no array or has none there.
  public subscript(_ index: Int) -> JsonValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// What a JSON pointer (RFC 6901) names; nil if there is none, or the pointer is not valid.
  public func at(pointer: String) -> JsonValue? {
    guard let tokens = try? JsonPointer.tokens(pointer) else { return nil }
    var value = self
    for token in tokens {
      let next: JsonValue?
      switch value {
      case .object(let object): next = object[String(decoding: token, as: UTF8.self)]
      case .array: next = JsonPointer.index(token).flatMap { value[$0] }
      case .null, .bool, .number, .string: next = nil
      }
      guard let next else { return nil }
      value = next
    }
    return value
  }

  /// Appends the value as JSON without whitespace.
  public func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: Json.appendNull(to: &bytes)
    case .bool(let value): Json.appendBool(value, to: &bytes)
    case .number(let value): bytes.append(text: value.text)
    case .string(let value): Json.appendQuoted(value, to: &bytes)
    case .array(let elements):
      bytes.append(JsonScanner.openBracket)
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(Ascii.comma) }
        element.write(to: &bytes)
      }
      bytes.append(JsonScanner.closeBracket)
    case .object(let object):
      bytes.append(JsonScanner.openBrace)
      for (index, member) in object.enumerated() {
        if index > 0 { bytes.append(Ascii.comma) }
        Json.appendQuoted(member.key, to: &bytes)
        bytes.append(Ascii.colon)
        member.value.write(to: &bytes)
      }
      bytes.append(JsonScanner.closeBrace)
    }
  }
}

extension JsonValue: CustomStringConvertible {
  public var description: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JsonValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .number(JsonNumber(value)) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JsonValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JsonValue)...) {
    self = .object(JsonObject(elements.map { JsonObject.Member(key: $0.0, value: $0.1) }))
  }
  public init(nilLiteral: ()) { self = .null }
}
