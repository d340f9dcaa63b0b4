extension JsonValue {
  /// Reads one JSON text (RFC 8259), strictly. A key that comes twice in an object is refused unless `allowsDuplicateKeys`; then all
  /// are kept and the last one counts.
  public static func parse(
    _ bytes: [UInt8], maxDepth: Int = Json.maximumDepth, allowsDuplicateKeys: Bool = false
  ) throws(JsonError) -> JsonValue {
    try parse(bytes.span.bytes, maxDepth: maxDepth, allowsDuplicateKeys: allowsDuplicateKeys)
  }

  /// Reads one JSON text (RFC 8259), strictly. A key that comes twice in an object is refused unless `allowsDuplicateKeys`; then all
  /// are kept and the last one counts.
  public static func parse(
    _ bytes: RawSpan, maxDepth: Int = Json.maximumDepth, allowsDuplicateKeys: Bool = false
  ) throws(JsonError) -> JsonValue {
    try bytes.withUnsafeBytes { (bytes) throws(JsonError) in
      var scanner = JsonScanner(bytes, maxDepth: maxDepth)
      let value = try scanner.readValue(depth: 0, allowsDuplicateKeys)
      try scanner.finish()
      return value
    }
  }
}

extension JsonScanner {
  fileprivate mutating func readValue(depth: Int, _ allowsDuplicateKeys: Bool) throws(JsonError) -> JsonValue {
    switch try beginValue() {
    case Ascii.quote: return .string(string(try scanString()))
    case Self.openBrace: return .object(try readObject(depth: depth, allowsDuplicateKeys))
    case Self.openBracket:
      var elements: [JsonValue] = []
      guard try beginContainer(depth, Self.closeBracket) else { return .array(elements) }
      repeat { elements.append(try readValue(depth: depth + 1, allowsDuplicateKeys)) } while try continues(Self.closeBracket)
      return .array(elements)
    case let first:
      let start = index
      try skipScalar(first)
      switch first {
      case 0x74: return .bool(true)
      case 0x66: return .bool(false)
      case 0x6E: return .null
      default: return .number(JsonNumber(unchecked: String(peer: bytes[piece: start..<index])))
      }
    }
  }

  private mutating func readObject(depth: Int, _ allowsDuplicateKeys: Bool) throws(JsonError) -> JsonObject {
    var object = JsonObject()
    // Comparing with all earlier keys is fast while they are few; a set keeps an object with very many from taking quadratic time.
    var seen: Set<JsonKey> = []
    guard try beginContainer(depth, Self.closeBrace) else { return object }
    repeat {
      let text = try scanKey()
      let key = string(text)
      if !allowsDuplicateKeys {
        let isNew: Bool
        if object.count < 16 {
          isNew = !object.members.contains { JsonObject.equal($0.key, key) }
        } else {
          if seen.isEmpty { seen = Set(object.members.map { JsonKey(text: $0.key) }) }
          isNew = seen.insert(JsonKey(text: key)).inserted
        }
        guard isNew else { throw failure("the key \(excerpt(bytes[piece: text.range])) comes twice", at: text.range.lowerBound - 1) }
      }
      object.append(key, try readValue(depth: depth + 1, allowsDuplicateKeys))
    } while try continues(Self.closeBrace)
    return object
  }
}
