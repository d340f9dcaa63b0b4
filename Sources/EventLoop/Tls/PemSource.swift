internal import COpenSSL
internal import Glibc

/// PEM from a file or a setting, with the name that errors call it by.
struct PemSource {
  /// A file above this is refused: no store of certificates is that large.
  static let maxFileBytes = 16_777_216

  /// Such as `the CA file /etc/ca.pem`.
  let name: String
  let bytes: [UInt8]

  init(name: String, text: String) {
    self.name = name
    bytes = Array(text.utf8)
  }

  /// `what` stands before the path in errors.
  init(_ what: String, file path: String) throws(TlsError) {
    name = "\(what) \(path)"
    do throws(SystemError) {
      bytes = try WholeFile.read(path, limit: PemSource.maxFileBytes)
    } catch {
      throw TlsError(.settings, "\(what) \(path) can't be read: \(error.reason)")
    }
  }

  /// Its certificates, in order. One that can't be read is an error, unless `skipsBad`.
  func certificates(skipsBad: Bool = false) throws(TlsError) -> [X509Certificate] {
    var found: [X509Certificate] = []
    let bad = withBio { bio -> String? in
      var bad: String?
      while true {
        OpenSslErrors.clear()
        // An empty password: OpenSSL must never ask on the terminal.
        if let certificate = "".withCString({ PEM_read_bio_X509_AUX(bio, nil, nil, UnsafeMutableRawPointer(mutating: $0)) }) {
          found.append(X509Certificate(owning: certificate))
          continue
        }
        guard let error = OpenSslErrors.take(), !error.isEndOfPem else { return bad }
        bad = bad ?? error.words
        if BIO_ctrl(bio, BIO_CTRL_PENDING, 0, nil) == 0 { return bad }
      }
    }
    if let bad, !skipsBad { throw TlsError(.settings, "\(name): certificate \(found.count + 1) can't be read: \(bad)") }
    return found
  }

  /// Its private key. The caller owns it.
  func privateKey(password: String?) throws(TlsError) -> OpaquePointer {
    OpenSslErrors.clear()
    let key = withBio { bio in
      (password ?? "").withCString { PEM_read_bio_PrivateKey(bio, nil, nil, UnsafeMutableRawPointer(mutating: $0)) }
    }
    if let key { return key }
    let error = OpenSslErrors.take()
    let text = String(decoding: bytes, as: UTF8.self)
    if !text.contains("PRIVATE KEY-----") { throw TlsError(.settings, "\(name) has no private key") }
    if text.contains("ENCRYPTED") {
      throw TlsError(.settings, password == nil ? "\(name) is encrypted: it needs its password" : "the password does not open \(name)")
    }
    throw TlsError(.settings, "\(name) can't be read: \(error?.words ?? "unknown")")
  }

  private func withBio<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
      let bio = BIO_new_mem_buf(bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1), Int32(clamping: bytes.count))
      defer { BIO_free(bio) }
      return body(bio)
    }
  }
}

/// One reference to a certificate.
final class X509Certificate: @unchecked Sendable {
  // SAFETY: OpenSSL counts references to a certificate atomically, and nothing here changes one after it was read.
  let pointer: OpaquePointer

  init(owning pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    X509_free(pointer)
  }
}
