internal import EventLoop
internal import HttpWire

extension TlsSettings {
  /// The contents of keys and certificates, never their paths: the document comes from elsewhere.
  init(_ value: JsonValue, _ path: String) throws(CatalogError) {
    guard case .object = value else { throw CatalogError(path, "must be the name of settings, or an object") }
    let reader = try CatalogReader(
      value, path,
      of: [
        "ca_pem", "ca_only", "cert_pem", "key_pem", "key_password", "pins", "pin_mode", "min_version", "ciphers", "cipher_suites", "verify",
      ])
    self.init()
    caPem = try reader.text("ca_pem")
    if try reader.flag("ca_only") == true {
      guard caPem != nil else { throw reader.failure("ca_only", "needs ca_pem beside it") }
      useSystemStore = false
    }
    certificatePem = try reader.text("cert_pem")
    keyPem = try reader.text("key_pem")
    keyPassword = try reader.text("key_password")
    if certificatePem == nil {
      for field in ["key_pem", "key_password"] where reader.value(field) != nil { throw reader.failure(field, "needs cert_pem beside it") }
    }
    pins = try reader.texts("pins") ?? []
    for pin in pins {
      do throws(TlsError) {
        try TlsSettings.checkPin(pin)
      } catch {
        throw reader.failure("pins", "can't be used: \(error)")
      }
    }
    pinMode = try reader.choice("pin_mode") ?? pinMode
    if pinMode == .pinOnly, pins.isEmpty { throw reader.failure("pin_mode", "needs pins beside it") }
    minVersion = try reader.choice("min_version") ?? minVersion
    ciphers = try reader.text("ciphers")
    cipherSuites = try reader.text("cipher_suites")
    verify = try reader.flag("verify") ?? verify
  }
}
