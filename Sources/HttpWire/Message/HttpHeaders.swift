/// Header or trailer fields in their order, with their case.
///
/// Names are compared without regard to ASCII case. All fields live in one block of bytes beside an array of offsets, so that a parsed
/// head costs two allocations. Bytes that are not UTF-8 read as U+FFFD. Nothing is checked when fields are added: the
/// writers call `validate()`.
public struct HttpHeaders: Sendable {
  struct Field: Sendable {
    var nameStart: UInt32
    var nameEnd: UInt32
    var valueStart: UInt32
    var valueEnd: UInt32

    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
  }

  var block: [UInt8]
  var fields: [Field]

  /// No fields; allocates nothing.
  public init() {
    block = []
    fields = []
  }

  init(block: [UInt8], fields: [Field]) {
    self.block = block
    self.fields = fields
  }

  /// Fields, those of equal names each for itself.
  public var count: Int { fields.count }
  /// There are no fields.
  public var isEmpty: Bool { fields.isEmpty }

  /// Adds a field after those there are.
  public mutating func append(_ name: String, _ value: String) {
    let nameStart = block.count
    block.append(text: name)
    let nameEnd = block.count
    // Stored as it goes on the wire, so that a writer copies a field in one piece.
    block.append(Ascii.colon)
    block.append(Ascii.space)
    let valueStart = block.count
    block.append(text: value)
    let valueEnd = block.count
    block.append(Ascii.cr)
    block.append(Ascii.lf)
    fields.append(
      Field(nameStart: UInt32(nameStart), nameEnd: UInt32(nameEnd), valueStart: UInt32(valueStart), valueEnd: UInt32(valueEnd)))
  }

  /// Replaces all fields of that name with one, which goes to the end.
  public mutating func set(_ name: String, _ value: String) {
    remove(name)
    append(name, value)
  }

  /// Removes all fields of that name.
  public mutating func remove(_ name: String) {
    guard contains(name) else { return }
    var kept = HttpHeaders()
    kept.block.reserveCapacity(block.count)
    for (other, value) in self where !Self.equalNames(other, name) { kept.append(other, value) }
    self = kept
  }

  private static func equalNames(_ left: String, _ right: String) -> Bool {
    left.withBytes { one in right.withBytes { other in Ascii.equalIgnoringCase(one, other) } }
  }
}

extension HttpHeaders: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init()
    for (name, value) in elements { append(name, value) }
  }
}

extension HttpHeaders: Sequence {
  public struct Iterator: IteratorProtocol, Sendable {
    private let headers: HttpHeaders
    private var index = 0

    init(_ headers: HttpHeaders) { self.headers = headers }

    public mutating func next() -> (name: String, value: String)? {
      guard index < headers.fields.count else { return nil }
      let field = headers.fields[index]
      index += 1
      return (headers.text(field.name), headers.text(field.value))
    }
  }

  public func makeIterator() -> Iterator { Iterator(self) }
  public var underestimatedCount: Int { fields.count }
}

extension HttpHeaders: Equatable {
  /// The same fields in the same order; the case of names does not count.
  public static func == (left: HttpHeaders, right: HttpHeaders) -> Bool {
    guard left.fields.count == right.fields.count else { return false }
    return left.block.withUnsafeBytes { leftBytes in
      right.block.withUnsafeBytes { rightBytes in
        zip(left.fields, right.fields).allSatisfy { one, other in
          Ascii.equalIgnoringCase(leftBytes[piece: one.name], rightBytes[piece: other.name])
            && leftBytes[one.value].elementsEqual(rightBytes[other.value])
        }
      }
    }
  }
}

extension HttpHeaders: CustomStringConvertible {
  /// The names only: values may be secrets.
  public var description: String { "[" + map(\.name).joined(separator: ", ") + "]" }
}
