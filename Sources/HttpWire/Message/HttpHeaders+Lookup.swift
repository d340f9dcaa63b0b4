extension HttpHeaders {
  /// The value of the first field of that name.
  public subscript(_ name: String) -> String? {
    first(name).map { text(fields[$0].value) }
  }

  /// The values of all fields of that name, in order.
  public func values(_ name: String) -> [String] {
    name.withBytes { wanted in
      block.withUnsafeBytes { bytes in
        fields.compactMap { field in
          Ascii.equalIgnoringCase(bytes[piece: field.name], wanted) ? String(peer: bytes[piece: field.value]) : nil
        }
      }
    }
  }

  /// Calls `body` with the bytes of each value of that name, in order, until it returns false.
  func forEachValue(of name: StaticString, _ body: (UnsafeRawBufferPointer) -> Bool) {
    block.withUnsafeBytes { bytes in
      for field in fields where Ascii.equals(bytes[piece: field.name], name) {
        if !body(bytes[piece: field.value]) { return }
      }
    }
  }

  /// Whether there is a field of that name.
  public func contains(_ name: String) -> Bool { first(name) != nil }

  /// Whether a field of that name, read as a comma list, holds `token` in any case. All fields of the name count.
  public func hasToken(_ token: String, in name: String) -> Bool {
    token.withBytes { wanted in
      name.withBytes { wantedName in
        block.withUnsafeBytes { bytes in
          for field in fields where Ascii.equalIgnoringCase(bytes[piece: field.name], wantedName) {
            var found = false
            Ascii.forEachElement(bytes[piece: field.value]) { element in
              found = Ascii.equalIgnoringCase(element, wanted)
              return !found
            }
            if found { return true }
          }
          return false
        }
      }
    }
  }

  /// Throws `invalid` unless every name is a token and no value holds CR, LF or NUL (RFC 9110 5.1, 5.5).
  public func validate() throws(WireError) {
    for index in fields.indices {
      let field = fields[index]
      let (validName, validValue) = block.withUnsafeBytes { bytes in
        (!field.name.isEmpty && bytes[field.name].allSatisfy(Ascii.isToken), Self.isSafeValue(bytes[piece: field.value]))
      }
      guard validName else { throw .invalid("the name of header field \(index + 1) is not a token") }
      guard validValue else { throw .invalid("the value of header field \(text(field.name)) holds CR, LF or NUL") }
    }
  }

  private static func isSafeValue(_ value: UnsafeRawBufferPointer) -> Bool {
    // Nearly all values have no control at all, which is told eight bytes at a time.
    Ascii.isFieldValue(value) || value.allSatisfy { $0 != Ascii.cr && $0 != Ascii.lf && $0 != 0 }
  }

  func text(_ range: Range<Int>) -> String {
    block.withUnsafeBytes { String(peer: $0[piece: range]) }
  }

  private func first(_ name: String) -> Int? {
    name.withBytes { wanted in
      block.withUnsafeBytes { bytes in
        fields.firstIndex { Ascii.equalIgnoringCase(bytes[piece: $0.name], wanted) }
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  subscript(piece range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }
}
