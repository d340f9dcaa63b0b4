internal import COpenSSL
internal import Glibc

/// What a certificate says, as text for people. All of it comes from the peer: it is cut to a length, and nothing but printable characters stays.
struct CertificateWords {
  let certificate: OpaquePointer

  init?(_ certificate: OpaquePointer?) {
    guard let certificate else { return nil }
    self.certificate = certificate
  }

  /// Such as `CN=api.example.com,O=Example`.
  var subject: String { CertificateWords.text(X509_get_subject_name(certificate)) }

  var issuer: String { CertificateWords.text(X509_get_issuer_name(certificate)) }

  /// The last day on which it is valid, such as `2026-01-01`.
  var notAfter: String { CertificateWords.day(X509_get0_notAfter(certificate)) }

  var notBefore: String { CertificateWords.day(X509_get0_notBefore(certificate)) }

  var isExpired: Bool { X509_cmp_current_time(X509_get0_notAfter(certificate)) <= 0 }

  var isNotYetValid: Bool { X509_cmp_current_time(X509_get0_notBefore(certificate)) >= 0 }

  /// The pin of its public key as curl writes it; nil if the key has no encoding.
  var pin: String? {
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
    guard length > 0, let encoded else { return nil }
    defer { CRYPTO_free(encoded, #file, #line) }
    var digest = [UInt8](repeating: 0, count: 32)
    guard EVP_Digest(encoded, Int(length), &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
    var base64 = [UInt8](repeating: 0, count: 45)
    let count = EVP_EncodeBlock(&base64, digest, 32)
    return "sha256//" + String(decoding: base64.prefix(Int(max(count, 0))), as: UTF8.self)
  }

  /// The names that it covers, the first ten of them.
  var names: [String] {
    guard let names = errand_alternative_names(certificate) else { return [] }
    defer { GENERAL_NAMES_free(names) }
    var found: [String] = []
    let count = errand_names_count(names)
    for index in 0..<max(count, 0) {
      guard found.count < 10 else { return found + ["and more"] }
      var type: Int32 = 0
      guard let name = errand_name(names, index), let value = errand_name_value(name, &type) else { continue }
      switch type {
      case GEN_DNS: found.append(CertificateWords.text(value))
      case GEN_IPADD: found.append(CertificateWords.address(value))
      default: continue
      }
    }
    return found
  }

  private static func text(_ name: OpaquePointer?) -> String {
    guard let name, let memory = BIO_new(BIO_s_mem()) else { return "?" }
    defer { BIO_free(memory) }
    X509_NAME_print_ex(memory, name, 0, errand_name_flags())
    var bytes: UnsafePointer<CChar>?
    let count = errand_memory_bytes(memory, &bytes)
    guard let bytes, count > 0 else { return "(no name)" }
    return printable(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  private static func text(_ value: UnsafePointer<ASN1_STRING>) -> String {
    printable(bytes(value))
  }

  private static func bytes(_ value: UnsafePointer<ASN1_STRING>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: ASN1_STRING_get0_data(value), count: Int(max(ASN1_STRING_length(value), 0)))
  }

  private static func address(_ value: UnsafePointer<ASN1_STRING>) -> String {
    let bytes = bytes(value)
    guard bytes.count == 4 || bytes.count == 16 else { return "(an address of \(bytes.count) bytes)" }
    var buffer = [CChar](repeating: 0, count: 64)
    return buffer.withUnsafeMutableBufferPointer { buffer in
      let family = bytes.count == 4 ? AF_INET : AF_INET6
      guard let base = buffer.baseAddress, inet_ntop(family, bytes.baseAddress, base, 64) != nil else { return "?" }
      return String(cString: base)
    }
  }

  private static func printable(_ bytes: UnsafeRawBufferPointer) -> String {
    let text = String(decoding: bytes.prefix(200), as: UTF8.self)
    let safe = String(String.UnicodeScalarView(text.unicodeScalars.map { isPrintable($0) ? $0 : "?" }))
    return bytes.count > 200 ? safe + "…" : safe
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }

  private static func day(_ time: UnsafePointer<ASN1_TIME>?) -> String {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return "an unreadable date" }
    return "\(Int(parts.tm_year) + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
  }

  private static func padded(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
