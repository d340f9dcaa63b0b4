internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104).
public enum Hmac {
  /// 32 bytes; none if the system's settings forbid it.
  public static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard HMAC(EVP_sha256(), key, Int32(clamping: key.count), message, message.count, &result, &count) != nil else { return [] }
    return Array(result.prefix(Int(count)))
  }
}
