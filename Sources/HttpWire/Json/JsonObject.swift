/// The members of a JSON object in their order. Keys are equal if their UTF-8 is; of equal keys the last one counts.
public struct JsonObject: Sendable, Equatable, Sequence {
  /// A key and its value.
  public struct Member: Sendable, Equatable {
    public var key: String
    public var value: JsonValue

    public init(key: String, value: JsonValue) {
      self.key = key
      self.value = value
    }
  }

  /// In the order of the JSON text.
  public private(set) var members: [Member]

  /// Keys are not checked for duplicates.
  public init(_ members: [Member] = []) { self.members = members }

  /// Members, equal keys each for itself.
  public var count: Int { members.count }
  /// There are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// Setting nil removes the key; setting a value keeps the place of a key that is there.
  public subscript(_ key: String) -> JsonValue? {
    get { members.last { Self.equal($0.key, key) }?.value }
    set {
      if let newValue {
        if let index = members.lastIndex(where: { Self.equal($0.key, key) }) {
          members[index].value = newValue
        } else {
          members.append(Member(key: key, value: newValue))
        }
      } else {
        members.removeAll { Self.equal($0.key, key) }
      }
    }
  }

  public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }

  mutating func append(_ key: String, _ value: JsonValue) { members.append(Member(key: key, value: value)) }

  /// By bytes: Swift's own comparison takes different spellings of one character for equal, and JSON does not.
  @inline(__always)
  static func equal(_ left: String, _ right: String) -> Bool {
    left.withBytes { one in right.withBytes { other in one.count == other.count && one.elementsEqual(other) } }
  }
}

/// A key compared by its bytes.
struct JsonKey: Hashable {
  let text: String

  static func == (left: JsonKey, right: JsonKey) -> Bool { JsonObject.equal(left.text, right.text) }
  func hash(into hasher: inout Hasher) { text.withBytes { hasher.combine(bytes: $0) } }
}
