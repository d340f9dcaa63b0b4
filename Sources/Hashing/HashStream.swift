internal import COpenSSL

/// A hash of bytes that come in pieces. For one thread at a time.
public final class HashStream {
  public let algorithm: HashAlgorithm
  private let context: OpaquePointer?

  /// Nothing read yet.
  public init(_ algorithm: HashAlgorithm) {
    self.algorithm = algorithm
    context = EVP_MD_CTX_new()
    EVP_DigestInit_ex(context, HashStream.function(algorithm), nil)
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes.
  public func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// Adds bytes.
  public func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes(update)
  }

  /// The hash of all bytes; the stream is used up.
  public func finish() -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    // An algorithm that the system's settings forbid gives nothing.
    guard EVP_DigestFinal_ex(context, &result, &count) == 1 else { return [] }
    return Array(result.prefix(Int(count)))
  }

  private static func function(_ algorithm: HashAlgorithm) -> OpaquePointer? {
    switch algorithm {
    case .md5: EVP_md5()
    case .sha1: EVP_sha1()
    case .sha256: EVP_sha256()
    case .sha512: EVP_sha512()
    case .sha512Of256: EVP_sha512_256()
    }
  }
}

extension HashAlgorithm {
  /// The hash of `bytes`.
  public func hash(_ bytes: [UInt8]) -> [UInt8] {
    let stream = HashStream(self)
    stream.update(bytes)
    return stream.finish()
  }
}
