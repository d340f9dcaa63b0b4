internal import EventLoop

/// How TLS connections are made, where a request does not say otherwise. Files are read when the daemon starts.
public struct TlsFileSettings: Codable, Sendable, Equatable {
  public var caFile: String?
  public var caDirectory: String?
  public var systemStore = true
  public var certFile: String?
  public var keyFile: String?
  public var keyPasswordFile: String?
  public var pins: [String] = []
  public var pinMode = PinMode.withChain.rawValue
  public var minVersion = TlsVersion.tls12.rawValue
  public var ciphers: String?
  public var cipherSuites: String?
  public var verify = true

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case pins, ciphers, verify
    case caFile = "ca_file"
    case caDirectory = "ca_directory"
    case systemStore = "system_store"
    case certFile = "cert_file"
    case keyFile = "key_file"
    case keyPasswordFile = "key_password_file"
    case pinMode = "pin_mode"
    case minVersion = "min_version"
    case cipherSuites = "cipher_suites"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.read(.caFile, &caFile)
    try reader.read(.caDirectory, &caDirectory)
    try reader.read(.systemStore, &systemStore)
    try reader.read(.certFile, &certFile)
    try reader.read(.keyFile, &keyFile)
    try reader.read(.keyPasswordFile, &keyPasswordFile)
    try reader.read(.pins, &pins)
    try reader.choice(.pinMode, &pinMode, PinMode.allCases.map(\.rawValue))
    try reader.choice(.minVersion, &minVersion, TlsVersion.allCases.map(\.rawValue))
    try reader.read(.ciphers, &ciphers)
    try reader.read(.cipherSuites, &cipherSuites)
    try reader.read(.verify, &verify)
    for pin in pins {
      do throws(TlsError) { try TlsSettings.checkPin(pin) } catch { throw reader.failure(.pins, "has no such pin: \(error)") }
    }
    if pinMode == PinMode.pinOnly.rawValue, pins.isEmpty { throw reader.failure(.pinMode, "needs pins beside it") }
    if certFile == nil, keyFile != nil { throw reader.failure(.keyFile, "needs cert_file beside it") }
    if certFile == nil, keyPasswordFile != nil { throw reader.failure(.keyPasswordFile, "needs cert_file beside it") }
  }

  /// The settings with what their files hold: requests are submitted on the loop, which reads none. Checks that they can be used.
  /// Not for the loop. `name`: where they stand in the configuration.
  func loaded(_ name: String) throws(DaemonError) -> TlsSettings {
    var settings = TlsSettings()
    settings.caFile = caFile
    settings.caDirectory = caDirectory
    settings.useSystemStore = systemStore
    settings.certificateFile = certFile
    settings.keyFile = keyFile
    settings.keyPassword = try keyPasswordFile.map { (path) throws(DaemonError) in try TlsFileSettings.password(path, name) }
    settings.pins = pins
    settings.pinMode = PinMode(rawValue: pinMode) ?? .withChain
    settings.minVersion = TlsVersion(rawValue: minVersion) ?? .tls12
    settings.ciphers = ciphers
    settings.cipherSuites = cipherSuites
    settings.verify = verify
    do throws(TlsError) {
      settings = try settings.withFilesRead()
      _ = try TlsContext(settings)
      return settings
    } catch {
      throw DaemonError("\(name): \(error)")
    }
  }

  /// The file's first line.
  private static func password(_ path: String, _ name: String) throws(DaemonError) -> String {
    String(try StateFile.read(path, for: "\(name).key_password_file").prefix { !$0.isNewline })
  }
}
