internal import FoundationEssentials
internal import HttpWire

/// The properties of a value by their names, in the order in which it encodes them, as JSON.
struct CallFields {
  /// Without those that are null.
  let members: [JsonObject.Member]

  /// Throws `invalid_request` where the value can't be encoded, or not as an object.
  init(_ value: some Encodable, encoder: JSONEncoder) throws(HttpClientError) {
    let order = KeyOrder()
    let encoded: JsonValue
    do {
      encoded = try JsonValue.parse(Array(try encoder.encode(Ordered(value: value, order: order))))
    } catch {
      throw .unencodable(value, error, "params")
    }
    guard case .object(let object) = encoded else {
      throw .invalid("params", "\(type(of: value)) does not encode as an object, and so has no parameters")
    }
    var places: [String: Int] = [:]
    for (place, key) in order.keys.enumerated() where places[key] == nil { places[key] = place }
    members = object.filter { !$0.value.isNull }.enumerated().sorted { left, right in
      (places[left.element.key] ?? .max, left.offset) < (places[right.element.key] ?? .max, right.offset)
    }.map(\.element)
  }

  init(members: [JsonObject.Member]) { self.members = members }

  /// Without the names in `leftOut`, and the others as `mapping` has them.
  func named(by mapping: [String: String], without leftOut: Set<String>) -> CallFields {
    CallFields(
      members: members.filter { !leftOut.contains($0.key) }.map { JsonObject.Member(key: mapping[$0.key] ?? $0.key, value: $0.value) })
  }

  /// As pairs of a query or form: an array gives its name once for each element. An object, or an array in an array, has no such form.
  func params() throws(HttpClientError) -> [HttpParam] {
    var params: [HttpParam] = []
    for member in members {
      if case .array(let elements) = member.value {
        for element in elements {
          guard let text = CallFields.text(element) else {
            throw .invalid("params", "an element of \(member.key) is no plain value, which a query or form can't hold; bodyKind .json can")
          }
          params.append(HttpParam(member.key, text))
        }
      } else if let text = CallFields.text(member.value) {
        params.append(HttpParam(member.key, text))
      } else {
        throw .invalid("params", "\(member.key) is an object, which a query or form can't hold; bodyKind .json can")
      }
    }
    return params
  }

  /// As a JSON object.
  var json: [UInt8] {
    var bytes: [UInt8] = []
    JsonValue.object(JsonObject(members)).write(to: &bytes)
    return bytes
  }

  private static func text(_ value: JsonValue) -> String? {
    switch value {
    case .string(let text): text
    case .number(let number): number.text
    case .bool(let flag): flag ? "true" : "false"
    case .null, .array, .object: nil
    }
  }
}

extension HttpClientError {
  static func unencodable(_ value: some Encodable, _ error: any Error, _ field: String) -> HttpClientError {
    var words = "\(error)"
    if case EncodingError.invalidValue(_, let context)? = error as? EncodingError {
      let place = DecodingFault.place(context.codingPath)
      words = (place.isEmpty ? "" : "at \(place): ") + context.debugDescription
    }
    return .invalid(field, "\(type(of: value)) can't be encoded: \(PeerText.line(words))")
  }
}

/// Which keys were encoded at the top, first to last: encoders do not keep their order.
private final class KeyOrder {
  var keys: [String] = []
}

private struct Ordered<Value: Encodable>: Encodable {
  let value: Value
  let order: KeyOrder

  func encode(to encoder: any Encoder) throws {
    try value.encode(to: OrderNotingEncoder(base: encoder, order: order))
  }
}

private struct OrderNotingEncoder: Encoder {
  let base: any Encoder
  let order: KeyOrder
  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(OrderNotingContainer(base: base.container(keyedBy: type), order: order))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { base.unkeyedContainer() }
  func singleValueContainer() -> any SingleValueEncodingContainer { base.singleValueContainer() }
}

private struct OrderNotingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var base: KeyedEncodingContainer<Key>
  let order: KeyOrder
  var codingPath: [any CodingKey] { base.codingPath }

  mutating func encodeNil(forKey key: Key) throws {
    order.keys.append(key.stringValue)
    try base.encodeNil(forKey: key)
  }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    order.keys.append(key.stringValue)
    try base.encode(value, forKey: key)
  }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    order.keys.append(key.stringValue)
    return base.nestedContainer(keyedBy: type, forKey: key)
  }
  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    order.keys.append(key.stringValue)
    return base.nestedUnkeyedContainer(forKey: key)
  }
  mutating func superEncoder() -> any Encoder { base.superEncoder() }
  mutating func superEncoder(forKey key: Key) -> any Encoder { base.superEncoder(forKey: key) }
}
