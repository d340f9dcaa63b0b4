/// For codecs that live outside of this module, such as HTTP/2's.
extension HttpHeaders {
  /// Adds a field from bytes, which are not checked.
  public mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    precondition(block.count + name.count + value.count + 4 <= UInt32.max, "header fields of 4 GiB")
    let nameStart = block.count
    block.append(contentsOf: name)
    let nameEnd = block.count
    block.append(static: ": ")
    let valueStart = block.count
    block.append(contentsOf: value)
    let valueEnd = block.count
    block.append(static: "\r\n")
    fields.append(
      Field(nameStart: UInt32(nameStart), nameEnd: UInt32(nameEnd), valueStart: UInt32(valueStart), valueEnd: UInt32(valueEnd)))
  }

  /// Makes room for further fields with `bytes` of names and values in all.
  public mutating func reserveCapacity(fields count: Int, bytes: Int) {
    fields.reserveCapacity(fields.count + count)
    block.reserveCapacity(block.count + bytes + 4 * count)
  }

  /// Runs `body` over the values of all fields of that name (lower case), in order, byte for byte.
  func withValues<Result>(_ name: StaticString, _ body: ([UnsafeRawBufferPointer]) -> Result) -> Result {
    block.withUnsafeBytes { bytes in
      body(fields.compactMap { Ascii.equals(bytes[piece: $0.name], name) ? bytes[piece: $0.value] : nil })
    }
  }
}
