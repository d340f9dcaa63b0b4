extension HttpHeaders {
  /// The fields whose names are kept, byte for byte.
  func keeping(_ isKept: (_ name: UnsafeRawBufferPointer) -> Bool) -> HttpHeaders {
    block.withUnsafeBytes { bytes in
      guard let first = fields.firstIndex(where: { !isKept(bytes[piece: $0.name]) }) else { return self }
      var kept = HttpHeaders()
      kept.reserveCapacity(fields: fields.count, bytes: block.count)
      for (index, field) in fields.enumerated() where index < first || isKept(bytes[piece: field.name]) {
        kept.append(name: bytes[piece: field.name], value: bytes[piece: field.value])
      }
      return kept
    }
  }

  /// Adds all fields of `other`, byte for byte.
  mutating func append(contentsOf other: HttpHeaders) {
    other.block.withUnsafeBytes { bytes in
      for field in other.fields { append(name: bytes[piece: field.name], value: bytes[piece: field.value]) }
    }
  }

  /// Adds a field with the value, byte for byte, of the first field `source` of `other`, if it has one that is not empty.
  mutating func append(_ name: String, from source: StaticString, of other: HttpHeaders) {
    other.forEachValue(of: source) { value in
      if !value.isEmpty { name.withBytes { append(name: $0, value: value) } }
      return false
    }
  }

  /// The names, in lower case.
  var lowerCaseNames: Set<String> {
    block.withUnsafeBytes { bytes in
      Set(fields.map { String(decoding: bytes[$0.name].map(Ascii.lower), as: UTF8.self) })
    }
  }

  /// The fields whose names, in lower case, are not among `names`, byte for byte.
  func without(_ names: Set<String>) -> HttpHeaders {
    names.isEmpty ? self : keeping { !names.contains(String(decoding: $0.map(Ascii.lower), as: UTF8.self)) }
  }
}
