internal import EventLoop
internal import FoundationEssentials

/// Finds out where a decoder that does not say so got stuck: decodes again and notes each step. For failures only; it costs more than decoding.
enum DecodingTracker {
  struct Step: Sendable {
    var path: [any CodingKey] = []
    /// The type that was wanted there.
    var wanted = ""
  }

  @TaskLocal private static var notes: Locked<Step?>?

  /// The last step before the failure; nil if there is none the second time.
  static func lastStep<T: Decodable & SendableMetatype>(decoding type: T.Type, from data: Data, with decoder: JSONDecoder) -> Step? {
    let notes = Locked<Step?>(nil)
    return $notes.withValue(notes) {
      do {
        _ = try decoder.decode(Tracked<T>.self, from: data)
        return nil
      } catch {
        return notes.withLock { $0 }
      }
    }
  }

  fileprivate static func note<T>(_ path: [any CodingKey], _ type: T.Type) {
    notes?.withLock { $0 = Step(path: path, wanted: "\(type)") }
  }

  /// Types that a decoder reads itself, some of them in forms of its own.
  fileprivate static func isLeaf(_ type: any Decodable.Type) -> Bool { leaves.contains(ObjectIdentifier(type)) }

  private static let leaves: Set<ObjectIdentifier> = {
    let types: [any Decodable.Type] = [
      Bool.self, String.self, Double.self, Float.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self,
      UInt16.self, UInt32.self, UInt64.self, Int128.self, UInt128.self, Date.self, Data.self, URL.self, Decimal.self,
    ]
    return Set(types.map { ObjectIdentifier($0) })
  }()
}

private struct Tracked<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    DecodingTracker.note(decoder.codingPath, Value.self)
    if DecodingTracker.isLeaf(Value.self) {
      value = try decoder.singleValueContainer().decode(Value.self)
    } else {
      value = try Value(from: TrackingDecoder(base: decoder))
    }
  }
}

private struct TrackingDecoder: Decoder {
  let base: any Decoder
  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedTracker(base: try base.container(keyedBy: type)))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { UnkeyedTracker(base: try base.unkeyedContainer()) }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleTracker(base: try base.singleValueContainer()) }
}

private struct KeyedTracker<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let base: KeyedDecodingContainer<Key>
  var codingPath: [any CodingKey] { base.codingPath }
  var allKeys: [Key] { base.allKeys }

  func contains(_ key: Key) -> Bool { base.contains(key) }
  func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try base.decode(Tracked<T>.self, forKey: key).value }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(KeyedTracker<Nested>(base: try base.nestedContainer(keyedBy: type, forKey: key)))
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    UnkeyedTracker(base: try base.nestedUnkeyedContainer(forKey: key))
  }
  func superDecoder() throws -> any Decoder { TrackingDecoder(base: try base.superDecoder()) }
  func superDecoder(forKey key: Key) throws -> any Decoder { TrackingDecoder(base: try base.superDecoder(forKey: key)) }
}

private struct UnkeyedTracker: UnkeyedDecodingContainer {
  var base: any UnkeyedDecodingContainer
  var codingPath: [any CodingKey] { base.codingPath }
  var count: Int? { base.count }
  var isAtEnd: Bool { base.isAtEnd }
  var currentIndex: Int { base.currentIndex }

  mutating func decodeNil() throws -> Bool { try base.decodeNil() }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try base.decode(Tracked<T>.self).value }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(KeyedTracker<Nested>(base: try base.nestedContainer(keyedBy: type)))
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    UnkeyedTracker(base: try base.nestedUnkeyedContainer())
  }
  mutating func superDecoder() throws -> any Decoder { TrackingDecoder(base: try base.superDecoder()) }
}

private struct SingleTracker: SingleValueDecodingContainer {
  let base: any SingleValueDecodingContainer
  var codingPath: [any CodingKey] { base.codingPath }

  func decodeNil() -> Bool { base.decodeNil() }
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    DecodingTracker.isLeaf(type) ? try base.decode(type) : try base.decode(Tracked<T>.self).value
  }
}
