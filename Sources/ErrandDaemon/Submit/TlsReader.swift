internal import EventLoop
internal import HttpWire

/// Reads `tls` of a request: what it gives stands above the settings.
enum TlsReader {
  static let fields = [
    "ca_pem", "ca_only", "cert_pem", "key_pem", "key_password", "pins", "pin_mode", "min_version", "ciphers", "cipher_suites", "verify",
  ]
  static let pins = 32

  static func read(_ value: JsonValue, over base: TlsSettings) throws(Problem) -> TlsSettings {
    var settings = base
    var members: [String: JsonValue] = [:]
    for member in try FieldReader.object(value, "/tls", of: fields) {
      guard fields.contains(member.key) else { throw .unknownField(member.key, at: "/tls", among: fields) }
      if member.value != .null { members[member.key] = member.value }
    }
    func text(_ name: String) throws(Problem) -> String? {
      try members[name].map { (value) throws(Problem) in try FieldReader.text(value, "/tls/" + name) }
    }
    func flag(_ name: String) throws(Problem) -> Bool? {
      try members[name].map { (value) throws(Problem) in try FieldReader.flag(value, "/tls/" + name) }
    }
    let authorities = try text("ca_pem")
    if try flag("ca_only") == true {
      guard authorities != nil else { throw .invalidValue("/tls/ca_only", "needs /tls/ca_pem beside it") }
      settings.useSystemStore = false
      settings.caPem = nil
    }
    if let authorities { settings.caPem = (settings.caPem ?? "") + authorities }
    if let certificate = try text("cert_pem") {
      settings.certificatePem = certificate
      settings.keyPem = try text("key_pem")
      settings.keyPassword = try text("key_password")
    } else {
      for name in ["key_pem", "key_password"] where members[name] != nil {
        throw .invalidValue("/tls/" + name, "needs /tls/cert_pem beside it")
      }
    }
    if let pins = members["pins"] {
      settings.pins = try readPins(pins)
      settings.pinMode = .withChain
    }
    if let mode = members["pin_mode"] {
      settings.pinMode = try FieldReader.choice(mode, "/tls/pin_mode")
      if settings.pinMode == .pinOnly, settings.pins.isEmpty { throw .invalidValue("/tls/pin_mode", "needs /tls/pins beside it") }
    }
    if let version = members["min_version"] { settings.minVersion = try FieldReader.choice(version, "/tls/min_version") }
    if let ciphers = try text("ciphers") { settings.ciphers = ciphers }
    if let suites = try text("cipher_suites") { settings.cipherSuites = suites }
    if let verify = try flag("verify") { settings.verify = verify }
    return settings
  }

  private static func readPins(_ value: JsonValue) throws(Problem) -> [String] {
    guard case .array(let elements) = value else { throw .wrongType("/tls/pins", expected: "an array of pins", found: value) }
    guard elements.count <= pins else { throw .invalidValue("/tls/pins", "has \(elements.count) pins, more than \(pins)") }
    var read: [String] = []
    for (index, element) in elements.enumerated() {
      let pin = try FieldReader.text(element, "/tls/pins/\(index)")
      do throws(TlsError) {
        try TlsSettings.checkPin(pin)
      } catch {
        throw .invalidValue("/tls/pins/\(index)", "is not of the form sha256//BASE64: \(error)")
      }
      read.append(pin)
    }
    return read
  }

  /// The member of settings that can't be used, told by using each alone. Parses certificates and keys: not for the loop.
  static func problem(_ settings: TlsSettings, _ error: TlsError) -> Problem {
    func isWrong(_ change: (inout TlsSettings) -> Void) -> Bool {
      var alone = TlsSettings()
      alone.useSystemStore = false
      change(&alone)
      return (try? TlsContext(alone)) == nil
    }
    let field: String
    if isWrong({ $0.caPem = settings.caPem }) {
      field = "ca_pem"
    } else if let pem = settings.certificatePem, (try? TlsSettings.checkCertificates(pem, called: "it")) == nil {
      field = "cert_pem"
    } else if isWrong({ $0.ciphers = settings.ciphers }) {
      field = "ciphers"
    } else if isWrong({ $0.cipherSuites = settings.cipherSuites }) {
      field = "cipher_suites"
    } else {
      field = settings.keyPem == nil ? "cert_pem" : "key_pem"
    }
    return .invalidValue("/tls/" + field, "can't be used: \(error)")
  }
}
