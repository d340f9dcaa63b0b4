/// A JSON pointer (RFC 6901) that was taken apart once, to be looked up often.
public struct JsonPath: Sendable, Hashable {
  let tokens: [[UInt8]]

  /// Throws for what is no JSON pointer.
  public init(_ pointer: String) throws(JsonError) { tokens = try JsonPointer.tokens(pointer) }
}

extension Json {
  /// Where the values lie that the paths name, in their order; nil for those that name none. Of equal keys the first counts.
  ///
  /// One pass over the text, which is read to its end: throws unless it is one JSON text, as ``validate(_:maxDepth:)-([UInt8],_)`` does. At most 64 paths;
  /// later ones are not looked for.
  public static func places(
    of paths: [JsonPath], in bytes: [UInt8], maxDepth: Int = maximumDepth
  ) throws(JsonError) -> [Range<Int>?] {
    try bytes.span.bytes.withUnsafeBytes { (bytes) throws(JsonError) in
      var search = PlaceSearch(JsonScanner(bytes, maxDepth: maxDepth), paths)
      try search.visit(depth: 0, paths.isEmpty ? 0 : .max >> UInt64(64 - min(paths.count, 64)))
      try search.scanner.finish()
      return search.places
    }
  }
}

private struct PlaceSearch {
  var scanner: JsonScanner
  let paths: [JsonPath]
  var places: [Range<Int>?]

  init(_ scanner: JsonScanner, _ paths: [JsonPath]) {
    self.scanner = scanner
    self.paths = paths
    places = Array(repeating: nil, count: paths.count)
  }

  /// Past one value, of which `live` paths name a part or the whole: a bit for each.
  mutating func visit(depth: Int, _ live: UInt64) throws(JsonError) {
    let first = try scanner.beginValue()
    let start = scanner.index
    var deeper = live
    for path in Bits(live) where paths[path].tokens.count == depth { deeper &= ~(1 << UInt64(path)) }
    if deeper == 0 {
      try scanner.skipValue(depth: depth)
    } else if first == JsonScanner.openBrace {
      try visitObject(depth, deeper)
    } else if first == JsonScanner.openBracket {
      try visitArray(depth, deeper)
    } else {
      try scanner.skipValue(depth: depth)
    }
    for path in Bits(live & ~deeper) { places[path] = start..<scanner.index }
  }

  private mutating func visitObject(_ depth: Int, _ live: UInt64) throws(JsonError) {
    guard try scanner.beginContainer(depth, JsonScanner.closeBrace) else { return }
    var left = live
    repeat {
      let key = try scanner.scanKey()
      let matching = left == 0 ? 0 : matches(key, depth, left)
      if matching == 0 {
        try scanner.skipValue(depth: depth + 1)
      } else {
        left &= ~matching
        try visit(depth: depth + 1, matching)
      }
    } while try scanner.continues(JsonScanner.closeBrace)
  }

  private mutating func visitArray(_ depth: Int, _ live: UInt64) throws(JsonError) {
    guard try scanner.beginContainer(depth, JsonScanner.closeBracket) else { return }
    var index = 0
    repeat {
      var matching: UInt64 = 0
      for path in Bits(live) where JsonPointer.index(paths[path].tokens[depth]) == index { matching |= 1 << UInt64(path) }
      if matching == 0 { try scanner.skipValue(depth: depth + 1) } else { try visit(depth: depth + 1, matching) }
      index += 1
    } while try scanner.continues(JsonScanner.closeBracket)
  }

  private func matches(_ key: JsonScanner.Text, _ depth: Int, _ live: UInt64) -> UInt64 {
    var matching: UInt64 = 0
    for path in Bits(live) {
      let token = paths[path].tokens[depth]
      let isEqual =
        key.hasEscapes ? scanner.unescaped(key) == token : key.range.count == token.count && scanner.bytes[key.range].elementsEqual(token)
      if isEqual { matching |= 1 << UInt64(path) }
    }
    return matching
  }
}

/// The numbers of the bits that are set.
private struct Bits: Sequence, IteratorProtocol {
  var rest: UInt64

  init(_ rest: UInt64) { self.rest = rest }

  mutating func next() -> Int? {
    guard rest != 0 else { return nil }
    defer { rest &= rest &- 1 }
    return rest.trailingZeroBitCount
  }
}
