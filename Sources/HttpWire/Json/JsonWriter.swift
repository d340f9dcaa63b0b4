/// Appends JSON to a buffer piece by piece and sets the commas. It does not check that containers are closed and keys have values.
public struct JsonWriter: Sendable {
  /// What was written so far.
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// A writer whose buffer has room for `capacity` bytes.
  public init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Begins an object; needs its end.
  public mutating func beginObject() { open(JsonScanner.openBrace) }
  /// Ends the innermost object.
  public mutating func endObject() { close(JsonScanner.closeBrace) }
  /// Begins an array; needs its end.
  public mutating func beginArray() { open(JsonScanner.openBracket) }
  /// Ends the innermost array.
  public mutating func endArray() { close(JsonScanner.closeBracket) }

  /// The next value belongs to this key.
  public mutating func key(_ name: StaticString) {
    separate()
    Json.appendQuoted(name, to: &bytes)
    bytes.append(Ascii.colon)
    needsComma = false
  }

  /// The next value belongs to this key.
  public mutating func key(_ name: String) {
    separate()
    Json.appendQuoted(name, to: &bytes)
    bytes.append(Ascii.colon)
    needsComma = false
  }

  /// A text: an element of an array, or what follows a key; so are the values below.
  public mutating func string(_ value: String) { item { Json.appendQuoted(value, to: &$0) } }
  /// A number.
  public mutating func integer(_ value: some FixedWidthInteger) { item { Json.appendInteger(value, to: &$0) } }
  /// A number; null if it is not finite.
  public mutating func double(_ value: Double) { item { Json.appendDouble(value, to: &$0) } }
  /// `true` or `false`.
  public mutating func bool(_ value: Bool) { item { Json.appendBool(value, to: &$0) } }
  /// `null`.
  public mutating func null() { item { Json.appendNull(to: &$0) } }
  /// Any value.
  public mutating func value(_ value: JsonValue) { item { value.write(to: &$0) } }
  /// Bytes that are JSON already.
  public mutating func raw(_ json: some Collection<UInt8>) { item { $0.append(contentsOf: json) } }

  /// A key and its text.
  public mutating func member(_ name: StaticString, _ value: String) {
    key(name)
    string(value)
  }

  /// A key and its number.
  public mutating func member(_ name: StaticString, _ value: some FixedWidthInteger) {
    key(name)
    integer(value)
  }

  /// A key and its `true` or `false`.
  public mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    bool(value)
  }

  /// Ends a line, as in NDJSON; another text may follow.
  public mutating func newline() {
    bytes.append(Ascii.lf)
    needsComma = false
  }

  /// Hands out what was written and starts anew.
  public mutating func takeBytes() -> [UInt8] {
    needsComma = false
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    return taken
  }

  @inline(__always)
  private mutating func item(_ append: (inout [UInt8]) -> Void) {
    separate()
    append(&bytes)
    needsComma = true
  }

  @inline(__always)
  private mutating func separate() {
    if needsComma { bytes.append(Ascii.comma) }
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }
}
