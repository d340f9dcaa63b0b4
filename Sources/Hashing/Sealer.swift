internal import COpenSSL

/// Encrypts and authenticates bytes with a key (AES-256-GCM, NIST SP 800-38D), bound to where they belong: what was sealed for one context opens in
/// no other one. For one thread at a time.
///
/// A sealed text is 28 bytes longer than the plain one: 12 of nonce before it, 16 of tag after it. A sealer makes its nonces from a random start
/// of 8 bytes and a counter of 4; after 2^32 texts it takes a new start.
public final class Sealer {
  /// Bytes of a key.
  public static let keyBytes = 32
  /// How much longer a sealed text is.
  public static let overhead = nonceBytes + tagBytes
  private static let nonceBytes = 12
  private static let tagBytes = 16

  private let sealing: OpaquePointer?
  private let opening: OpaquePointer?
  private var start: [UInt8]
  private var counter: UInt32 = 0

  /// nil if the key has not 32 bytes, or the system gives no randomness or no cipher.
  public init?(key: [UInt8]) {
    guard key.count == Sealer.keyBytes, let start = Sealer.random(8) else { return nil }
    self.start = start
    sealing = EVP_CIPHER_CTX_new()
    opening = EVP_CIPHER_CTX_new()
    guard EVP_EncryptInit_ex(sealing, EVP_aes_256_gcm(), nil, key, nil) == 1,
      EVP_DecryptInit_ex(opening, EVP_aes_256_gcm(), nil, key, nil) == 1
    else { return nil }
  }

  deinit {
    EVP_CIPHER_CTX_free(sealing)
    EVP_CIPHER_CTX_free(opening)
  }

  /// Random bytes fit for a key; nil if the system has none.
  public static func random(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return RAND_bytes(&bytes, Int32(clamping: count)) == 1 ? bytes : nil
  }

  /// nil if it can't be done: above 2^31 bytes.
  public func seal(_ plain: [UInt8], context: [UInt8]) -> [UInt8]? {
    guard let count = Int32(exactly: plain.count), let contextCount = Int32(exactly: context.count), let nonce = nextNonce() else {
      return nil
    }
    var sealed = nonce
    sealed.reserveCapacity(plain.count + Sealer.overhead)
    sealed.append(contentsOf: repeatElement(0, count: plain.count + Sealer.tagBytes))
    var written: Int32 = 0
    guard EVP_EncryptInit_ex(sealing, nil, nil, nil, nonce) == 1, EVP_EncryptUpdate(sealing, nil, &written, context, contextCount) == 1
    else { return nil }
    let isSealed = sealed.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return false }
      let tag = base + Sealer.nonceBytes + plain.count
      return EVP_EncryptUpdate(sealing, base + Sealer.nonceBytes, &written, plain, count) == 1 && Int(written) == plain.count
        && EVP_EncryptFinal_ex(sealing, tag, &written) == 1
        && EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_AEAD_GET_TAG, Int32(Sealer.tagBytes), tag) == 1
    }
    return isSealed ? sealed : nil
  }

  /// The plain text; nil if the bytes were not sealed with this key for this context, or are damaged.
  public func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? {
    let plainCount = sealed.count - Sealer.overhead
    guard plainCount >= 0, let count = Int32(exactly: plainCount), let contextCount = Int32(exactly: context.count) else { return nil }
    var written: Int32 = 0
    var tag = Array(sealed[(sealed.count - Sealer.tagBytes)...])
    guard EVP_DecryptInit_ex(opening, nil, nil, nil, Array(sealed[..<Sealer.nonceBytes])) == 1,
      EVP_DecryptUpdate(opening, nil, &written, context, contextCount) == 1
    else { return nil }
    var end = [UInt8](repeating: 0, count: 16)
    var isWhole = true
    let plain = [UInt8](unsafeUninitializedCapacity: plainCount) { buffer, filled in
      if plainCount > 0 {
        isWhole = sealed.withUnsafeBufferPointer {
          EVP_DecryptUpdate(opening, buffer.baseAddress, &written, $0.baseAddress.map { $0 + Sealer.nonceBytes }, count) == 1
        }
      }
      filled = isWhole ? plainCount : 0
    }
    guard isWhole, EVP_CIPHER_CTX_ctrl(opening, EVP_CTRL_AEAD_SET_TAG, Int32(Sealer.tagBytes), &tag) == 1,
      EVP_DecryptFinal_ex(opening, &end, &written) == 1
    else { return nil }
    return plain
  }

  private func nextNonce() -> [UInt8]? {
    if counter == .max {
      guard let next = Sealer.random(8) else { return nil }
      start = next
      counter = 0
    }
    counter += 1
    return start + withUnsafeBytes(of: counter.bigEndian) { Array($0) }
  }
}
