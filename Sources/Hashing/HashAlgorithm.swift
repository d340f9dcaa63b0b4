/// A hash function that HTTP names (RFC 9530 section 5, RFC 7616 section 6.1).
public enum HashAlgorithm: String, Sendable, Hashable, CaseIterable {
  case md5
  case sha1
  case sha256
  case sha512
  case sha512Of256 = "sha512-256"

  /// Bytes of a result.
  public var byteCount: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha256, .sha512Of256: 32
    case .sha512: 64
    }
  }
}
