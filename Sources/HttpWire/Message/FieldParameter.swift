/// A `name=value` after the first part of a field such as Content-Type or Content-Disposition, read as leniently as they are written.
struct FieldParameter {
  /// In lower case.
  let name: String
  /// Without quotes and escapes.
  let value: [UInt8]

  /// The parameters in `bytes`, which begin behind the first part. Those without a name or a `=` are left out.
  static func parameters(in bytes: UnsafeRawBufferPointer) -> [FieldParameter] {
    var parameters: [FieldParameter] = []
    var index = 0
    while index < bytes.count {
      let start = index
      while index < bytes.count, bytes[index] != Ascii.equals, bytes[index] != Ascii.semicolon { index += 1 }
      let name = Ascii.trimmed(bytes[piece: start..<index])
      guard index < bytes.count, bytes[index] == Ascii.equals else {
        index += 1
        continue
      }
      index += 1
      let value = value(in: bytes, at: &index)
      if !name.isEmpty { parameters.append(FieldParameter(name: String(peer: name).lowercased(), value: value)) }
    }
    return parameters
  }

  /// Moves behind the semicolon that ends it.
  private static func value(in bytes: UnsafeRawBufferPointer, at index: inout Int) -> [UInt8] {
    while index < bytes.count, Ascii.isBlank(bytes[index]) { index += 1 }
    guard index < bytes.count, bytes[index] == Ascii.quote else {
      let start = index
      index = bytes[index...].firstIndex(of: Ascii.semicolon) ?? bytes.count
      defer { index += 1 }
      return Array(Ascii.trimmed(bytes[piece: start..<index]))
    }
    index += 1
    var value: [UInt8] = []
    while index < bytes.count, bytes[index] != Ascii.quote {
      // Paths of Windows come with their backslashes as they are; only what needs an escape is taken for escaped.
      if bytes[index] == Ascii.backslash, index + 1 < bytes.count, [Ascii.quote, Ascii.backslash].contains(bytes[index + 1]) { index += 1 }
      value.append(bytes[index])
      index += 1
    }
    index = (bytes[min(index, bytes.count)...].firstIndex(of: Ascii.semicolon) ?? bytes.count) + 1
    return value
  }
}
