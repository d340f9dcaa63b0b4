internal import Hashing

/// A SHA-256, held in place. What it was made of can't be read from it: URLs and header values may be secrets.
public struct CacheDigest: Hashable, Sendable, CustomStringConvertible {
  /// Length in bytes.
  public static let byteCount = 32

  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// The hash of `bytes`.
  init(of bytes: [UInt8]) {
    let hash = HashAlgorithm.sha256.hash(bytes)
    // Where there is no SHA-256, all keys would be one.
    precondition(hash.count == Self.byteCount, "OpenSSL has no SHA-256")
    self = hash.withUnsafeBytes { CacheDigest(raw: $0) }
  }

  /// nil unless there are 32 bytes.
  public init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init(raw: bytes)
  }

  /// From 64 hexadecimal digits in lower case; nil for anything else.
  public init?(hex: Substring.UTF8View) {
    guard hex.count == 2 * Self.byteCount else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    var high: UInt8?
    for digit in hex {
      guard let value = Ascii.hexValue(digit), Ascii.lower(digit) == digit else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    self = bytes.withUnsafeBytes { CacheDigest(raw: $0) }
  }

  private init(raw bytes: UnsafeRawBufferPointer) {
    words = (
      bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
      bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
    )
  }

  /// The 32 bytes.
  public var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

  /// 64 hexadecimal digits in lower case.
  public var description: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * Self.byteCount)
    for byte in bytes {
      text.append(Ascii.lower(hexDigit: byte >> 4))
      text.append(Ascii.lower(hexDigit: byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  public static func == (left: CacheDigest, right: CacheDigest) -> Bool { left.words == right.words }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
  }
}

extension Ascii {
  fileprivate static func lower(hexDigit value: UInt8) -> UInt8 { value < 10 ? zero &+ value : 0x57 &+ value }
}
