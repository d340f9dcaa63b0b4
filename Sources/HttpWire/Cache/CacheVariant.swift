/// Which of the responses under one key it is: the request fields that Vary names, as a hash of their values (RFC 9111 4.1).
///
/// Authorization does not count, whether Vary names it or not: who asks is a part of the ``CacheKey``.
public struct CacheVariant: Hashable, Sendable {
  /// The most names that Vary may have; a response with more is not stored.
  public static let maximumFields = 64

  /// The names in Vary but `authorization`, in lower case, sorted, each once.
  public let fields: [String]
  /// Of the values that the request had for them.
  public let digest: CacheDigest

  /// nil for `Vary: *`, which no request matches, for a Vary that can't be read, and for one with too many names.
  public init?(response headers: HttpHeaders, to request: HttpHeaders) {
    var names: Set<String> = []
    var isReadable = true
    headers.forEachValue(of: "vary") { value in
      Ascii.forEachElement(value) { name in
        isReadable = name.allSatisfy(Ascii.isToken) && !name.elementsEqual([0x2A])
        if !name.isEmpty { names.insert(String(decoding: name.map(Ascii.lower), as: UTF8.self)) }
        return isReadable
      }
      return isReadable
    }
    guard isReadable, names.count <= Self.maximumFields else { return nil }
    names.remove("authorization")
    self.init(fields: names.sorted(), request: request)
  }

  /// The one that `request` has among those with these fields.
  public init(fields: [String], request: HttpHeaders) {
    self.init(fields: fields, digest: Self.digest(fields, request))
  }

  /// One read from disk.
  public init(fields: [String], digest: CacheDigest) {
    self.fields = fields
    self.digest = digest
  }

  /// Whether the response may answer `request`, as far as Vary goes.
  public func matches(_ request: HttpHeaders) -> Bool { Self.digest(fields, request) == digest }

  private static func digest(_ fields: [String], _ request: HttpHeaders) -> CacheDigest {
    if fields.isEmpty { return plain }
    var bytes: [UInt8] = []
    for name in fields {
      bytes.append(text: name)
      // A field that is absent matches none that is empty.
      bytes.append(Ascii.colon)
      guard let value = normalized(name, in: request) else { continue }
      bytes.append(decimal: UInt64(value.count))
      bytes.append(Ascii.colon)
      bytes += value
    }
    return CacheDigest(of: bytes)
  }

  /// That of nearly all: nothing varies.
  private static let plain = CacheDigest(of: [])

  /// The field lines as one, without what makes no difference by the field's own syntax; nil if there is none.
  private static func normalized(_ name: String, in request: HttpHeaders) -> [UInt8]? {
    let lines = request.values(name)
    guard !lines.isEmpty else { return nil }
    let isList = name == "accept" || name == "accept-encoding" || name == "accept-language" || name == "accept-charset"
    let hasCase = !isList || name == "accept"
    var value: [UInt8] = []
    for line in lines {
      line.withBytes { line in
        guard isList else { return append(Ascii.trimmed(line), to: &value, isList: false, hasCase: hasCase) }
        FieldList.forEach(line) { append($0, to: &value, isList: true, hasCase: hasCase) }
      }
    }
    return value
  }

  private static func append(_ bytes: UnsafeRawBufferPointer, to value: inout [UInt8], isList: Bool, hasCase: Bool) {
    if !value.isEmpty { value.append(Ascii.comma) }
    var isQuoted = false
    for byte in bytes {
      if byte == Ascii.quote { isQuoted.toggle() }
      if isList, !isQuoted, Ascii.isBlank(byte) { continue }
      value.append(hasCase ? byte : Ascii.lower(byte))
    }
  }
}
