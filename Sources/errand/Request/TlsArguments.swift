internal import EventLoop
internal import HttpWire

/// What the command line says of TLS, with the contents of the files it names.
struct TlsArguments {
  /// curl's name of the option for the client's private key, and the one of commands where `--key` is that of the request.
  static let keyOption = "key"
  static let keyOptionBesideKeys = "cert-key"

  private let arguments: Arguments
  private let keyOption: String

  init(_ arguments: Arguments, keyOption: String) {
    self.arguments = arguments
    self.keyOption = keyOption
  }

  /// nil if it says nothing.
  func settings() throws(Failure) -> TlsSettings? {
    let options = ["cacert", "capath", "cert", keyOption, "pass", "pin", "pinnedpubkey", "insecure", "tlsv1.3"]
    guard options.contains(where: arguments.has) else { return nil }
    var settings = TlsSettings()
    for (option, place) in [("cacert", \TlsSettings.caFile), ("capath", \TlsSettings.caDirectory)] {
      guard let path = arguments.value(option) else { continue }
      var alone = TlsSettings()
      alone[keyPath: place] = path
      settings.caPem = (settings.caPem ?? "") + (try contents(of: alone, "--\(option)").caPem ?? "")
      settings.useSystemStore = false
    }
    try readCertificate(&settings)
    settings.pins = try pins()
    if arguments.has("insecure") { settings.verify = false }
    if arguments.has("tlsv1.3") { settings.minVersion = .tls13 }
    return settings
  }

  private func readCertificate(_ settings: inout TlsSettings) throws(Failure) {
    guard let certificate = arguments.value("cert") else {
      for option in [keyOption, "pass"] where arguments.has(option) { throw .usage("--\(option): needs --cert beside it") }
      return
    }
    let (path, password) = TlsArguments.certificateAndPassword(certificate)
    var alone = TlsSettings()
    alone.certificateFile = path
    alone.keyFile = arguments.value(keyOption)
    alone.keyPassword = arguments.value("pass") ?? password
    let read = try contents(of: alone, alone.keyFile == nil ? "--cert" : "--cert and --\(keyOption)")
    settings.certificatePem = read.certificatePem
    settings.keyPem = read.keyPem
    settings.keyPassword = read.keyPassword
  }

  /// `FILE:PASSWORD`; a colon of the file's name has a backslash before it, unless there is a file of the whole name.
  private static func certificateAndPassword(_ text: String) -> (path: String, password: String?) {
    if File.exists(text) { return (text, nil) }
    var path = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      if character == ":" { return (path, String(rest)) }
      if character == "\\", let escaped = rest.first, escaped == ":" || escaped == "\\" {
        path.append(escaped)
        rest.removeFirst()
      } else {
        path.append(character)
      }
    }
    return (path, nil)
  }

  private func contents(of settings: TlsSettings, _ option: String) throws(Failure) -> TlsSettings {
    do throws(TlsError) {
      return try settings.withFilesRead()
    } catch {
      throw .usage("\(option): \(error)")
    }
  }

  private func pins() throws(Failure) -> [String] {
    var pins: [String] = []
    let joined = (arguments.value("pinnedpubkey") ?? "").split(separator: ";").map(String.init)
    for (option, given) in [("pin", arguments.all("pin")), ("pinnedpubkey", joined)] {
      if arguments.has(option), given.isEmpty { throw .usage("--\(option): there is no pin") }
      for pin in given {
        do throws(TlsError) {
          try TlsSettings.checkPin(pin)
        } catch {
          throw .usage("--\(option): \(error)")
        }
        pins.append(pin)
      }
    }
    return pins
  }

  /// As the daemon's API takes it.
  static func json(_ settings: TlsSettings) -> JsonObject {
    var json = JsonObject()
    if let authorities = settings.caPem {
      json["ca_pem"] = .string(authorities)
      json["ca_only"] = true
    }
    if let certificate = settings.certificatePem { json["cert_pem"] = .string(certificate) }
    if let key = settings.keyPem { json["key_pem"] = .string(key) }
    if let password = settings.keyPassword { json["key_password"] = .string(password) }
    if !settings.pins.isEmpty { json["pins"] = .array(settings.pins.map(JsonValue.string)) }
    if settings.minVersion != .tls12 { json["min_version"] = .string(settings.minVersion.rawValue) }
    if !settings.verify { json["verify"] = false }
    return json
  }
}
