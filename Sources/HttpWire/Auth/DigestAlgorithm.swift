public import Hashing

/// What a Digest challenge wants to be hashed with (RFC 7616 section 6.1).
public struct DigestAlgorithm: Sendable, Hashable {
  /// The hash function.
  public let hash: HashAlgorithm
  /// `-sess`: the password goes into a key that holds for one nonce.
  public let isSession: Bool

  /// nil for a name that is not known, in any case.
  public init?(_ name: String) {
    switch name.lowercased() {
    case "md5": self.init(.md5)
    case "md5-sess": self.init(.md5, isSession: true)
    case "sha-256": self.init(.sha256)
    case "sha-256-sess": self.init(.sha256, isSession: true)
    case "sha-512-256": self.init(.sha512Of256)
    case "sha-512-256-sess": self.init(.sha512Of256, isSession: true)
    default: return nil
    }
  }

  init(_ hash: HashAlgorithm, isSession: Bool = false) {
    self.hash = hash
    self.isSession = isSession
  }

  /// Higher is stronger.
  var strength: Int {
    switch hash {
    case .md5, .sha1: 0
    case .sha256, .sha512: 1
    case .sha512Of256: 2
    }
  }

  /// The hash of the parts with colons between them, in lower-case hexadecimal.
  func hex(_ parts: [UInt8]...) -> [UInt8] { hexadecimal(hash.hash(Array(parts.joined(separator: [Ascii.colon])))) }

  func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      for digit in [byte >> 4, byte & 15] { text.append(digit < 10 ? Ascii.zero + digit : 0x57 + digit) }
    }
    return text
  }
}
