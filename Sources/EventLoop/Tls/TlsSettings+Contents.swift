internal import COpenSSL

/// For who passes settings on to another process, or uses them on the loop: the files' contents in their place.
extension TlsSettings {
  /// The same settings with what their files hold now: of the authorities and the client's certificate the certificates alone, whatever else the
  /// files have, and the private key as it is, encrypted or not. That the key opens, and belongs to the certificate, is checked. Reads files, so not for the loop.
  ///
  /// Throws an error of kind ``TlsError/Kind/settings`` that names the file.
  public func withFilesRead() throws(TlsError) -> TlsSettings {
    var settings = self
    var authorities: [X509Certificate] = []
    if let caFile { authorities += try TrustStore.certificates(inFile: caFile) }
    if let caDirectory { authorities += try TrustStore.certificates(inDirectory: caDirectory) }
    if !authorities.isEmpty { settings.caPem = (caPem ?? "") + TlsSettings.pem(of: authorities, withTrust: true) }
    (settings.caFile, settings.caDirectory) = (nil, nil)
    if let certificateFile {
      let source = try PemSource("the client certificate", file: certificateFile)
      let chain = try source.certificates()
      guard let own = chain.first else { throw TlsError(.settings, "\(source.name) has no certificate") }
      settings.certificatePem = TlsSettings.pem(of: chain, withTrust: false)
      let keySource = try keyFile.map { (path) throws(TlsError) in try PemSource("the client key", file: path) } ?? source
      if keyFile != nil || keyPem == nil {
        try TlsSettings.check(keySource, password: keyPassword, belongsTo: own, in: source)
        settings.keyPem = TlsSettings.privateKey(in: String(decoding: keySource.bytes, as: UTF8.self))
      }
    } else if let keyFile {
      settings.keyPem = String(decoding: try PemSource("the client key", file: keyFile).bytes, as: UTF8.self)
    }
    (settings.certificateFile, settings.keyFile) = (nil, nil)
    return settings
  }

  /// Throws if `pem` has no certificate or one that can't be read; `what` is what the error calls it.
  public static func checkCertificates(_ pem: String, called what: String) throws(TlsError) {
    let source = PemSource(name: what, text: pem)
    guard try !source.certificates().isEmpty else { throw TlsError(.settings, "\(what) has no certificate") }
  }

  /// Throws if `pin` is none that ``pins`` may hold.
  public static func checkPin(_ pin: String) throws(TlsError) {
    _ = try TlsPin(pin)
  }

  private static func check(
    _ key: PemSource, password: String?, belongsTo certificate: X509Certificate, in source: PemSource
  ) throws(TlsError) {
    let opened = try key.privateKey(password: password)
    defer { EVP_PKEY_free(opened) }
    let belongs = X509_check_private_key(certificate.pointer, opened) == 1
    OpenSslErrors.clear()
    guard belongs else { throw TlsError(.settings, "\(key.name) does not belong to \(source.name)") }
  }

  /// Each once: in a directory of certificates a hashed name and a readable one mostly stand for the same. `withTrust`: with what OpenSSL's "trusted
  /// certificates" say they are trusted for.
  private static func pem(of certificates: [X509Certificate], withTrust: Bool) -> String {
    var blocks: [String] = []
    var seen: Set<String> = []
    for certificate in certificates {
      guard let bio = BIO_new(BIO_s_mem()) else { continue }
      defer { BIO_free(bio) }
      _ = withTrust ? PEM_write_bio_X509_AUX(bio, certificate.pointer) : PEM_write_bio_X509(bio, certificate.pointer)
      var bytes = [UInt8](repeating: 0, count: Int(BIO_ctrl(bio, BIO_CTRL_PENDING, 0, nil)))
      let count = BIO_read(bio, &bytes, Int32(clamping: bytes.count))
      let block = String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
      if seen.insert(block).inserted { blocks.append(block) }
    }
    return blocks.joined()
  }

  /// The block of the first private key, with the parameters that may stand before it left out.
  private static func privateKey(in text: String) -> String {
    var block: [Substring] = []
    for line in text.split(whereSeparator: \.isNewline) {
      if block.isEmpty, !(line.hasPrefix("-----BEGIN") && line.contains("PRIVATE KEY-----")) { continue }
      block.append(line)
      if line.hasPrefix("-----END") { break }
    }
    return block.joined(separator: "\n") + "\n"
  }
}
