/// The oldest version of TLS that is spoken.
public enum TlsVersion: String, Sendable, Hashable, CaseIterable {
  case tls12 = "1.2"
  case tls13 = "1.3"
}

/// What ``TlsSettings/pins`` stand beside.
public enum PinMode: String, Sendable, Hashable, CaseIterable {
  /// The chain is verified as ever, and one of its certificates must have one of the pins.
  case withChain = "with-chain"
  /// The pin of the server's own certificate replaces the chain, as for a self-signed one; its names and dates still count.
  case pinOnly = "pin-only"
}

/// How TLS connections are made: whom they trust, and as whom they go. The defaults verify the chain and the host name against the
/// system's store. Connections with equal settings share one ``TlsContext``.
public struct TlsSettings: Sendable, Hashable {
  /// A PEM file of trusted certificates, in addition to the system's store.
  public var caFile: String?
  /// A directory of such files (`*.pem`, `*.crt`, or hashed names as `openssl rehash` makes them).
  public var caDirectory: String?
  /// Trusted certificates in PEM themselves.
  public var caPem: String?
  /// Whether the system's store is trusted: OpenSSL's default file and directory, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
  /// Default: true.
  public var useSystemStore = true
  /// A PEM file of the client's certificate and the intermediates after it, and the key too if ``keyFile`` is nil.
  public var certificateFile: String?
  /// A PEM file of the client's private key.
  public var keyFile: String?
  /// The client's certificate in PEM itself, in place of ``certificateFile``.
  public var certificatePem: String?
  /// The client's private key in PEM itself, in place of ``keyFile``.
  public var keyPem: String?
  /// The password of an encrypted key.
  public var keyPassword: String?
  /// SHA-256 hashes of public keys (SubjectPublicKeyInfo), as `sha256//BASE64` (curl's form) or `sha256/BASE64`. None: no pinning.
  public var pins: [String] = []
  /// Default: ``PinMode/withChain``.
  public var pinMode = PinMode.withChain
  /// Default: TLS 1.2.
  public var minVersion = TlsVersion.tls12
  /// OpenSSL's list of ciphers for TLS 1.2; nil for its default.
  public var ciphers: String?
  /// OpenSSL's list of cipher suites for TLS 1.3; nil for its default.
  public var cipherSuites: String?
  /// False: whoever answers is taken for the server. ``pins`` still count. Default: true.
  public var verify = true

  public init() {}
}

extension TlsSettings: CustomStringConvertible, CustomReflectable {
  /// What is set, without the key and its password.
  public var description: String {
    var parts: [String] = []
    if let caFile { parts.append("ca file \(caFile)") }
    if let caDirectory { parts.append("ca directory \(caDirectory)") }
    if caPem != nil { parts.append("ca given") }
    if !useSystemStore { parts.append("no system store") }
    if let certificateFile { parts.append("certificate \(certificateFile)") }
    if certificatePem != nil { parts.append("certificate given") }
    if let keyFile { parts.append("key \(keyFile)") }
    if keyPem != nil { parts.append("key given") }
    if !pins.isEmpty { parts.append("pins \(pins.joined(separator: " ")) \(pinMode.rawValue)") }
    parts.append("TLS \(minVersion.rawValue) or newer")
    if let ciphers { parts.append("ciphers \(ciphers)") }
    if let cipherSuites { parts.append("cipher suites \(cipherSuites)") }
    if !verify { parts.append("not verified") }
    return parts.joined(separator: ", ")
  }

  public var customMirror: Mirror {
    Mirror(self, children: ["settings": description])
  }
}
