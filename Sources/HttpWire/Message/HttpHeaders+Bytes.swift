/// For codecs that live outside of this module, such as HTTP/2's.
extension HttpHeaders {
  /// The names and values of all fields, in order, where they lie in memory.
  public struct FieldBytes {
    let bytes: UnsafeRawBufferPointer
    let fields: [Field]

    public var count: Int { fields.count }

    public subscript(index: Int) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
      (bytes[piece: fields[index].name], bytes[piece: fields[index].value])
    }
  }

  /// Runs `body` with the bytes of all fields, which are valid until it returns.
  public func withFieldBytes<Result>(_ body: (FieldBytes) -> Result) -> Result {
    block.withUnsafeBytes { body(FieldBytes(bytes: $0, fields: fields)) }
  }

  /// Adds a field from bytes, which are not checked.
  public mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    let nameStart = beginField(name.count + value.count)
    block.append(contentsOf: name)
    endField(nameStart, value)
  }

  /// Makes room for further fields with `bytes` of names and values in all.
  public mutating func reserveCapacity(fields count: Int, bytes: Int) {
    fields.reserveCapacity(fields.count + count)
    block.reserveCapacity(block.count + bytes + 4 * count)
  }

  mutating func append(lowerCasing name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    let nameStart = beginField(name.count + value.count)
    for byte in name { block.append(Ascii.lower(byte)) }
    endField(nameStart, value)
  }

  private func beginField(_ size: Int) -> Int {
    precondition(block.count + size + 4 <= UInt32.max, "header fields of 4 GiB")
    return block.count
  }

  private mutating func endField(_ nameStart: Int, _ value: UnsafeRawBufferPointer) {
    let nameEnd = block.count
    block.append(Ascii.colon)
    block.append(Ascii.space)
    let valueStart = block.count
    block.append(contentsOf: value)
    let valueEnd = block.count
    block.append(Ascii.cr)
    block.append(Ascii.lf)
    fields.append(
      Field(nameStart: UInt32(nameStart), nameEnd: UInt32(nameEnd), valueStart: UInt32(valueStart), valueEnd: UInt32(valueEnd)))
  }
}
