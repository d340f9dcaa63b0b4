/// A stored response as a store writes it: a prologue of fixed length, the head, the body. The store adds the SHA-256 of all three.
///
/// Numbers are in the machine's byte order; another machine's records have another magic, and are none.
public struct CacheRecord: Sendable, Equatable {
  public let key: CacheKey
  public let entry: CacheEntry

  public init(key: CacheKey, entry: CacheEntry) {
    self.key = key
    self.entry = entry
  }

  /// Bytes of the prologue.
  public static let prologueCount = 24
  /// The longest head, in bytes; a record with a longer one can't be written.
  public static let maximumHead = 4 * 1_048_576

  private static let magic: UInt64 = 0x4552_5243_4143_3032

  /// What the prologue says of the lengths of what follows it; nil if it is none.
  public static func lengths(prologue: UnsafeRawBufferPointer) -> (head: Int, body: Int)? {
    var reader = ByteReader(prologue)
    guard reader.number(UInt64.self) == magic, let head = reader.number(Int64.self), let body = reader.number(Int64.self), reader.isAtEnd,
      head >= 0, head <= maximumHead, body >= 0
    else { return nil }
    return (Int(head), Int(body))
  }

  /// Prologue and head; nil if the head, or the names in its Vary, are too long.
  public func encodedHead() -> [UInt8]? {
    var head: [UInt8] = []
    head += key.resource.bytes
    head += key.asker.bytes
    head += entry.variant.digest.bytes
    head.append(number: Int64(entry.variant.fields.count))
    for field in entry.variant.fields { head.append(counted: Array(field.utf8)) }
    head += CacheDigest(of: head).bytes
    guard head.count <= Self.namesCount else { return nil }
    head.append(number: entry.requestTime)
    head.append(number: entry.responseTime)
    head.append(number: Int64(entry.status))
    head.append(number: Int64(entry.isDecoded ? 1 : 0))
    head.append(counted: Array(entry.reason.utf8))
    head.append(number: Int64(entry.headers.count))
    entry.headers.block.withUnsafeBytes { bytes in
      for field in entry.headers.fields {
        head.append(counted: bytes[piece: field.name])
        head.append(counted: bytes[piece: field.value])
      }
    }
    guard head.count <= Self.maximumHead else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.prologueCount + head.count)
    bytes.append(number: Self.magic)
    bytes.append(number: Int64(head.count))
    bytes.append(number: Int64(entry.body.count))
    return bytes + head
  }

  /// From a head, without its prologue, and a body; nil if the head is none.
  public init?(head: UnsafeRawBufferPointer, body: [UInt8]) {
    var reader = ByteReader(head)
    guard let (key, variant) = Self.names(&reader), let requestTime = reader.number(Int64.self),
      let responseTime = reader.number(Int64.self), let status = reader.number(Int64.self), let flags = reader.number(Int64.self),
      let reason = reader.counted()
    else { return nil }
    guard let headerCount = reader.number(Int64.self), headerCount >= 0 else { return nil }
    var headers = HttpHeaders()
    for _ in 0..<headerCount {
      guard let name = reader.counted(), let value = reader.counted() else { return nil }
      headers.append(name: name, value: value)
    }
    guard reader.isAtEnd, let status = Int(exactly: status) else { return nil }
    let entry = CacheEntry(
      status: status, reason: String(peer: reason), headers: headers, body: body, isDecoded: flags & 1 == 1, requestTime: requestTime,
      responseTime: responseTime, variant: variant)
    self.init(key: key, entry: entry)
  }

  /// What a record is of, from the beginning of its head, of which ``namesCount`` bytes are enough; nil if it is none.
  public static func names(head: UnsafeRawBufferPointer) -> (key: CacheKey, variant: CacheVariant)? {
    var reader = ByteReader(head)
    return names(&reader)
  }

  /// As much of a head as key and variant can take.
  public static let namesCount = 16_384

  private static func names(_ reader: inout ByteReader) -> (key: CacheKey, variant: CacheVariant)? {
    guard let resource = reader.digest(), let asker = reader.digest(), let variant = reader.digest(),
      let count = reader.number(Int64.self), count >= 0,
      count <= CacheVariant.maximumFields
    else { return nil }
    var fields: [String] = []
    for _ in 0..<count {
      guard let field = reader.counted() else { return nil }
      fields.append(String(peer: field))
    }
    // They are read without the rest of the file, and so without its checksum.
    let names = [UInt8](reader.consumed)
    guard reader.digest() == CacheDigest(of: names) else { return nil }
    return (CacheKey(resource: resource, asker: asker), CacheVariant(fields: fields, digest: variant))
  }
}

/// Reads what ``CacheRecord`` writes, within bounds.
private struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }
  var consumed: UnsafeRawBufferPointer { bytes[piece: 0..<offset] }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
    piece(MemoryLayout<Number>.size)?.loadUnaligned(as: type)
  }

  mutating func digest() -> CacheDigest? {
    piece(CacheDigest.byteCount).flatMap { CacheDigest(bytes: $0) }
  }

  mutating func counted() -> UnsafeRawBufferPointer? {
    number(Int64.self).flatMap { piece(Int(exactly: $0) ?? -1) }
  }

  private mutating func piece(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, count <= bytes.count - offset else { return nil }
    defer { offset += count }
    return bytes[piece: offset..<offset + count]
  }
}

extension [UInt8] {
  fileprivate mutating func append(number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
  }

  fileprivate mutating func append(counted bytes: some Collection<UInt8>) {
    append(number: Int64(bytes.count))
    append(contentsOf: bytes)
  }
}
