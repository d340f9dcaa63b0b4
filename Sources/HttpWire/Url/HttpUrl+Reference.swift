extension HttpUrl {
  /// What `reference` means when it is found at `base` (RFC 3986 section 5.2, strictly), such as the value of a Location field.
  ///
  /// The fragment is dropped. Blanks around the reference do not count; spaces and bytes outside ASCII in path and query are
  /// percent-encoded, as browsers do. The reference's own path loses its dot segments, the base's path stays as it is where the reference has none.
  /// Throws `invalid` for control characters, for a scheme other than http and https, and for what `init(_:)` refuses; `too_large` for
  /// a result over 64 KiB.
  public init(_ reference: String, relativeTo base: HttpUrl) throws(WireError) {
    self = try reference.withBytes { (bytes) throws(WireError) in try HttpUrl(reference: bytes, relativeTo: base) }
  }

  init(reference: UnsafeRawBufferPointer, relativeTo base: HttpUrl) throws(WireError) {
    let reference = Ascii.trimmed(reference)
    guard reference.count <= Self.maximumLength else { throw Self.tooLong }
    guard !reference.contains(where: Ascii.isControl) else { throw .invalid("the reference holds a control character") }
    let bytes = reference[piece: 0..<(reference.firstIndex(of: 0x23) ?? reference.count)]

    if let scheme = Self.scheme(of: bytes) {
      guard Ascii.equals(scheme, "http") || Ascii.equals(scheme, "https") else {
        throw .invalid("the scheme \(excerpt(scheme)) is neither http nor https")
      }
      self = try Self.absolute([UInt8](bytes), authorityAt: scheme.count + 3)
    } else if bytes.count >= 2, bytes[0] == Ascii.slash, bytes[1] == Ascii.slash {
      let scheme = Array(base.scheme.rawValue.utf8) + [Ascii.colon]
      self = try Self.absolute(scheme + bytes, authorityAt: scheme.count + 2)
    } else {
      self = base
      target = try Self.target(of: bytes, at: base)
    }
  }

  /// The scheme without its colon; nil for a relative reference.
  private static func scheme(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let colon = bytes.firstIndex(of: Ascii.colon), let first = bytes.first, (first | 0x20) &- 0x61 < 26 else { return nil }
    let name = bytes[piece: 0..<colon]
    let isScheme = name.allSatisfy {
      ($0 | 0x20) &- 0x61 < 26 || Ascii.isDigit($0) || $0 == Ascii.plus || $0 == Ascii.minus || $0 == Ascii.dot
    }
    return isScheme ? name : nil
  }

  private static func absolute(_ text: [UInt8], authorityAt start: Int) throws(WireError) -> HttpUrl {
    // The authority goes to the parser as it is, which knows what may not stand in it.
    var end = min(start, text.count)
    while end < text.count, text[end] != Ascii.slash, text[end] != 0x3F { end += 1 }
    let encoded = text[..<end] + encode(text[end...])
    var url = HttpUrl(try Array(encoded).withBytes { (bytes) throws(WireError) in try UrlParts(bytes) })
    url.target = String(decoding: url.target.withBytes { DotSegments.removed(fromTarget: $0) }, as: UTF8.self)
    return url
  }

  /// Path and query for a reference that has neither scheme nor authority.
  private static func target(of bytes: UnsafeRawBufferPointer, at base: HttpUrl) throws(WireError) -> String {
    guard let first = bytes.first else { return base.target }
    let own = encode(bytes)
    var merged: [UInt8]
    if first == Ascii.slash {
      merged = own
    } else {
      let path = base.target.utf8.prefix { $0 != 0x3F }
      let kept = first == 0x3F ? path : path[..<(path.lastIndex(of: Ascii.slash).map { path.index(after: $0) } ?? path.startIndex)]
      merged = Array(kept) + own
    }
    if first != 0x3F { merged = merged.withUnsafeBytes { DotSegments.removed(fromTarget: $0) } }
    guard merged.count + base.hostHeader.utf8.count + base.scheme.rawValue.utf8.count + 3 <= maximumLength else { throw tooLong }
    return String(decoding: merged, as: UTF8.self)
  }

  private static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count)
    for byte in bytes {
      if byte == Ascii.space || byte >= 0x80 { encoded.append(percentEncoded: byte) } else { encoded.append(byte) }
    }
    return encoded
  }

  private static var tooLong: WireError {
    .tooLarge("urlBytes", "the URL is longer than \(maximumLength) bytes", status: 414)
  }
}
