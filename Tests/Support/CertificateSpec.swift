/// What a certificate of a test says, and who signed it.
public struct CertificateSpec: Sendable, Hashable {
  /// Who signs.
  public enum Authority: String, Sendable, Hashable {
    /// The root that clients of tests trust.
    case root = "Root"
    /// A root that nobody trusts.
    case otherRoot = "Other Root"
    /// Signed by the root.
    case intermediate = "Intermediate"
    /// Signed by the root, until 2021-01-01.
    case expiredIntermediate = "Expired Intermediate"
    /// Signed by the root for names under `allowed.example.com`.
    case constrainedIntermediate = "Constrained Intermediate"
    /// Signed by the root, but not as an authority.
    case notAuthority = "Leaf"

    var issuer: Authority? {
      self == .root || self == .otherRoot ? nil : .root
    }
  }

  public enum Key: Sendable, Hashable {
    case ec, ed25519
    case rsa(bits: Int)

    var options: String {
      switch self {
      case .ec: "-algorithm EC -pkeyopt ec_paramgen_curve:P-256"
      case .ed25519: "-algorithm ED25519"
      case .rsa(let bits): "-algorithm RSA -pkeyopt rsa_keygen_bits:\(bits)"
      }
    }
  }

  public var commonName: String
  /// Subject alternative names as OpenSSL writes them: `DNS:localhost`, `IP:127.0.0.1`.
  public var names: [String]
  public var issuer: Authority
  /// Signed with its own key instead of the issuer's.
  public var isSelfSigned: Bool
  /// Whether the intermediate is in ``TestIdentity/chainFile``.
  public var sendsChain: Bool
  public var key: Key
  /// Such as `20240101000000Z`.
  public var notBefore: String
  public var notAfter: String
  /// The extended key usage: `serverAuth`, `clientAuth`.
  public var usage: String

  public init(
    commonName: String = "test", names: [String] = [], issuer: Authority = .root, isSelfSigned: Bool = false, sendsChain: Bool = true,
    key: Key = .ec, notBefore: String = "20200101000000Z", notAfter: String = "20991231235959Z", usage: String = "serverAuth"
  ) {
    self.commonName = commonName
    self.names = names
    self.issuer = issuer
    self.isSelfSigned = isSelfSigned
    self.sendsChain = sendsChain
    self.key = key
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.usage = usage
  }

  /// Good for `localhost` and both loopback addresses, signed by the root.
  public static let localhost = CertificateSpec(commonName: "localhost", names: ["DNS:localhost", "IP:127.0.0.1", "IP:::1"])
  /// The same through an intermediate.
  public static let localhostChain = CertificateSpec(
    commonName: "localhost", names: ["DNS:localhost", "IP:127.0.0.1", "IP:::1"], issuer: .intermediate)
  /// The same with the intermediate not sent.
  public static let missingIntermediate = CertificateSpec(
    commonName: "localhost", names: ["DNS:localhost", "IP:127.0.0.1"], issuer: .intermediate, sendsChain: false)
  /// Good for `localhost`, with a key of RSA 2048.
  public static let rsa = CertificateSpec(commonName: "localhost", names: ["DNS:localhost", "IP:127.0.0.1"], key: .rsa(bits: 2_048))
  /// Expired on 2021-01-01.
  public static let expired = CertificateSpec(
    commonName: "localhost", names: ["DNS:localhost", "IP:127.0.0.1"], notAfter: "20210101000000Z")
  /// Not valid before 2098-01-01.
  public static let notYetValid = CertificateSpec(
    commonName: "localhost", names: ["DNS:localhost", "IP:127.0.0.1"], notBefore: "20980101000000Z")
  /// For other names than `localhost`.
  public static let wrongName = CertificateSpec(
    commonName: "localhost", names: ["DNS:a.example.com", "DNS:*.b.example.com", "IP:192.0.2.7"])
  /// For `*.example.com`.
  public static let wildcard = CertificateSpec(commonName: "wildcard", names: ["DNS:*.example.com"])
  /// For 127.0.0.1 alone.
  public static let ip4 = CertificateSpec(commonName: "four", names: ["IP:127.0.0.1"])
  /// For ::1 alone.
  public static let ip6 = CertificateSpec(commonName: "six", names: ["IP:::1"])
  /// `localhost` as the common name, and no subject alternative name.
  public static let commonNameOnly = CertificateSpec(commonName: "localhost")
  /// Signed by itself, good for `localhost`.
  public static let selfSigned = CertificateSpec(
    commonName: "localhost", names: ["DNS:localhost", "IP:127.0.0.1"], isSelfSigned: true)
  /// Signed by a root that clients do not trust.
  public static let unknownIssuer = CertificateSpec(
    commonName: "localhost", names: ["DNS:localhost", "IP:127.0.0.1"], issuer: .otherRoot)
  /// A client's, signed by the root.
  public static let client = CertificateSpec(commonName: "client", usage: "clientAuth")
}
