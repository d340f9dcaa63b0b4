internal import COpenSSL

/// OpenSSL's context for one set of settings, with the sessions of its connections.
///
/// Making one reads the files that the settings name, and parses the system's store the first time in a process (some milliseconds): it
/// is for the thread of a caller, not for the loop. Use ``TlsContextCache`` to make each only once. It can be used on any thread.
public final class TlsContext: @unchecked Sendable {
  // SAFETY: the pointer never changes, OpenSSL's contexts may be shared by threads once they are set up, and only init sets this one up.
  let pointer: OpaquePointer
  public let settings: TlsSettings
  let pins: Set<TlsPin>
  /// Why nobody is trusted, if so.
  let trustNote: String?
  /// Told of each connection that is made though its certificate was not verified.
  let onUnverified: (@Sendable (String) -> Void)?
  let sessions = Locked(TlsSessionCache())

  /// `onUnverified` is told in words of each connection that was made with ``TlsSettings/verify`` off, on the loop: it may not block.
  /// Throws an error of kind ``TlsError/Kind/settings`` that names the file or setting.
  public init(_ settings: TlsSettings, onUnverified: (@Sendable (String) -> Void)? = nil) throws(TlsError) {
    self.settings = settings
    self.onUnverified = onUnverified
    var pins: Set<TlsPin> = []
    for pin in settings.pins { pins.insert(try TlsPin(pin)) }
    self.pins = pins
    if settings.pinMode == .pinOnly, pins.isEmpty { throw TlsError(.settings, "pin mode \(PinMode.pinOnly.rawValue) without a pin") }
    let trust = try TrustStore.make(settings)
    let emptiness = settings.useSystemStore ? "the system's store (\(TrustStore.systemPlaces)) is empty" : "no authority is trusted"
    trustNote = trust.count > 0 ? nil : emptiness
    OpenSslErrors.clear()
    guard let context = SSL_CTX_new(TLS_client_method()) else {
      X509_STORE_free(trust.store)
      throw TlsError(.settings, "OpenSSL: \(OpenSslErrors.take()?.words ?? "no context")")
    }
    pointer = context
    SSL_CTX_set_cert_store(context, trust.store)
    errand_set_modes(context)
    errand_set_min_version(context, settings.minVersion == .tls13 ? TLS1_3_VERSION : TLS1_2_VERSION)
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    SSL_CTX_set_cert_verify_callback(context, { store, _ in chainArrived(store) }, nil)
    SSL_CTX_sess_set_new_cb(context) { ssl, session in sessionArrived(ssl, session) }
    // As curl has it: an intermediate or a server's own certificate that the caller trusts is trusted.
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    X509_VERIFY_PARAM_set_hostflags(
      SSL_CTX_get0_param(context), UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    try setCiphers()
    try setClientCertificate()
  }

  deinit {
    SSL_CTX_free(pointer)
  }

  private func setCiphers() throws(TlsError) {
    if let ciphers = settings.ciphers, ciphers.utf8.contains(0) || SSL_CTX_set_cipher_list(pointer, ciphers) != 1 {
      throw TlsError(.settings, "the list of ciphers \(ciphers.prefix(80).debugDescription) has none that is known")
    }
    if let suites = settings.cipherSuites, suites.utf8.contains(0) || suites.isEmpty || SSL_CTX_set_ciphersuites(pointer, suites) != 1 {
      throw TlsError(.settings, "the list of cipher suites \(suites.debugDescription) has none that is known")
    }
    OpenSslErrors.clear()
  }

  private func setClientCertificate() throws(TlsError) {
    let certificateSource: PemSource
    if let file = settings.certificateFile {
      certificateSource = try PemSource("the client certificate", file: file)
    } else if let text = settings.certificatePem {
      certificateSource = PemSource(name: "the client certificate given as PEM", text: text)
    } else {
      if settings.keyFile != nil || settings.keyPem != nil { throw TlsError(.settings, "a client key without a certificate") }
      return
    }
    var keySource = certificateSource
    if let file = settings.keyFile {
      keySource = try PemSource("the client key", file: file)
    } else if let text = settings.keyPem {
      keySource = PemSource(name: "the client key given as PEM", text: text)
    }
    let chain = try certificateSource.certificates()
    guard let own = chain.first else { throw TlsError(.settings, "\(certificateSource.name) has no certificate") }
    let key = try keySource.privateKey(password: settings.keyPassword)
    defer { EVP_PKEY_free(key) }
    OpenSslErrors.clear()
    guard X509_check_private_key(own.pointer, key) == 1 else {
      OpenSslErrors.clear()
      throw TlsError(.settings, "\(keySource.name) does not belong to \(certificateSource.name)")
    }
    guard SSL_CTX_use_certificate(pointer, own.pointer) == 1, SSL_CTX_use_PrivateKey(pointer, key) == 1,
      chain.dropFirst().allSatisfy({ errand_add_chain_certificate(pointer, $0.pointer) == 1 })
    else { throw TlsError(.settings, "\(certificateSource.name) can't be used: \(OpenSslErrors.take()?.words ?? "unknown")") }
  }
}

private func chainArrived(_ store: OpaquePointer?) -> Int32 {
  guard let store, let ssl = errand_verified_ssl(store) else { return 0 }
  let (id, address) = (errand_id(ssl), UInt(bitPattern: store))
  return EventLoop.assumeOnLoop { TlsStream.withID(id)?.verify(chainAt: address) ?? false } ? 1 : 0
}

private func sessionArrived(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
  guard let ssl, let session else { return 0 }
  let (id, address) = (errand_id(ssl), UInt(bitPattern: session))
  return EventLoop.assumeOnLoop { TlsStream.withID(id)?.keep(sessionAt: address) ?? false } ? 1 : 0
}
