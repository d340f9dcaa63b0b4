internal import EventLoop
import Glibc

/// Certificates made by the `openssl` command when a test first asks for them, each once per process. All of them are in one temporary
/// directory that is removed when the process ends.
///
/// ```swift
/// let identity = try await TestCertificates.shared.identity(.localhost)
/// // nginx: ssl_certificate \(identity.chainFile); ssl_certificate_key \(identity.keyFile);
/// // client: TlsSettings(caFile: try await TestCertificates.shared.rootFile)
/// ```
public actor TestCertificates {
  public static let shared = TestCertificates()

  private static let directory = Locked<TemporaryDirectory?>(nil)
  private var identities: [CertificateSpec: Task<TestIdentity, any Error>] = [:]
  private var authorities: [CertificateSpec.Authority: Task<TestIdentity, any Error>] = [:]
  private var rootDirectory: Task<String, any Error>?
  private var count = 0

  /// The certificate and key that `spec` describes.
  public func identity(_ spec: CertificateSpec) async throws -> TestIdentity {
    if let made = identities[spec] { return try await made.value }
    let task = Task { try await make(spec) }
    identities[spec] = task
    return try await task.value
  }

  /// The certificate and key of an issuer.
  public func authority(_ authority: CertificateSpec.Authority) async throws -> TestIdentity {
    if let made = authorities[authority] { return try await made.value }
    let task = Task { try await make(authority) }
    authorities[authority] = task
    return try await task.value
  }

  /// The PEM file of the root that issues all but the specs that say otherwise: what a client has to trust.
  public var rootFile: String {
    get async throws { try await authority(.root).certificateFile }
  }

  /// A directory with that root alone under its hashed name, as `SSL_CERT_DIR` wants it.
  public var rootHashDirectory: String {
    get async throws {
      if let rootDirectory { return try await rootDirectory.value }
      let task = Task {
        let root = try await rootFile
        let folder = try nextFolder()
        try await run("mkdir \(folder); cp \(root) \(folder)/root.pem; openssl rehash \(folder)")
        return folder
      }
      rootDirectory = task
      return try await task.value
    }
  }

  private func make(_ authority: CertificateSpec.Authority) async throws -> TestIdentity {
    let constraints = authority == .notAuthority ? "CA:FALSE" : "CA:TRUE"
    let spec = CertificateSpec(
      commonName: "Errand Test \(authority.rawValue)", issuer: authority.issuer ?? .root, isSelfSigned: authority.issuer == nil,
      notAfter: authority == .expiredIntermediate ? "20210101000000Z" : "20991231235959Z")
    var extensions = "basicConstraints=critical,\(constraints)\nkeyUsage=critical,keyCertSign,cRLSign,digitalSignature\n"
    if authority == .constrainedIntermediate { extensions += "nameConstraints=critical,permitted;DNS:allowed.example.com\n" }
    return try await make(spec, extensions)
  }

  private func make(_ spec: CertificateSpec) async throws -> TestIdentity {
    var extensions = "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=\(spec.usage)\n"
    if !spec.names.isEmpty { extensions += "subjectAltName=\(spec.names.joined(separator: ","))\n" }
    return try await make(spec, extensions)
  }

  private func make(_ spec: CertificateSpec, _ extensions: String) async throws -> TestIdentity {
    let issuer = spec.isSelfSigned ? nil : try await authority(spec.issuer)
    let folder = try nextFolder()
    let signer = issuer.map { "-cert \($0.certificateFile) -keyfile \($0.keyFile)" } ?? "-selfsign -keyfile key.pem"
    // Each signature has a database of its own: `openssl ca` keeps no two at once.
    let pin = try await run(
      """
      mkdir \(folder); cd \(folder); mkdir new; : > index.txt
      cat > ca.cnf <<'END'
      [ca]
      default_ca=c
      [c]
      database=index.txt
      new_certs_dir=new
      rand_serial=yes
      default_md=sha256
      unique_subject=no
      policy=p
      [p]
      commonName=supplied
      [req]
      distinguished_name=d
      [d]
      [x]
      subjectKeyIdentifier=hash
      authorityKeyIdentifier=keyid
      \(extensions)
      END
      openssl genpkey \(spec.key.options) -out key.pem
      openssl req -new -utf8 -config ca.cnf -key key.pem -subj '/CN=\(spec.commonName)' -out csr.pem
      openssl ca -batch -utf8 -config ca.cnf -in csr.pem \(signer) -extensions x -notext -out cert.pem \
      -startdate \(spec.notBefore) -enddate \(spec.notAfter)
      cat cert.pem \(try await chain(of: spec).joined(separator: " ")) > chain.pem
      openssl pkey -in key.pem -aes256 -passout pass:\(TestIdentity.keyPassword) -out encrypted.pem
      echo; openssl x509 -in cert.pem -noout -pubkey | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | openssl base64
      """)
    return TestIdentity(folder: folder, intermediateFile: try await chain(of: spec).first, pin: "sha256//" + pin)
  }

  /// The certificates that a server of `spec` sends after its own.
  private func chain(of spec: CertificateSpec) async throws -> [String] {
    guard !spec.isSelfSigned, spec.issuer.issuer != nil, spec.sendsChain else { return [] }
    return [try await authority(spec.issuer).certificateFile]
  }

  /// Runs a script, which fails as soon as one of its commands does, and gives the last line that it wrote.
  @discardableResult
  private func run(_ script: String) async throws -> String {
    let result = try await Command.run("bash", "-ec", "set -o pipefail\n" + script)
    guard result.status == 0 else { throw TestTimeout("openssl: \(result.text)") }
    return result.text.split(separator: "\n").last.map(String.init) ?? ""
  }

  private func nextFolder() throws -> String {
    count += 1
    let name = "\(count)"
    return try TestCertificates.directory.withLock { directory in
      if let directory { return directory.file(name) }
      let made = try TemporaryDirectory()
      directory = made
      removeAtExit()
      return made.file(name)
    }
  }

  fileprivate static func remove() {
    directory.withLock { $0 = nil }
  }
}

/// Files of one certificate.
public struct TestIdentity: Sendable, Hashable {
  let folder: String
  /// The PEM file of the intermediate; nil if there is none, or if it is not sent.
  public let intermediateFile: String?
  /// The pin of its public key as curl writes it: `sha256//` and the base64 of the SHA-256 of the SubjectPublicKeyInfo.
  public let pin: String

  /// The PEM file of the certificate alone.
  public var certificateFile: String { folder + "/cert.pem" }
  /// The PEM file of the certificate and the intermediates after it, as servers want it.
  public var chainFile: String { folder + "/chain.pem" }
  /// The PEM file of its private key.
  public var keyFile: String { folder + "/key.pem" }
  /// The same key, encrypted with ``keyPassword``.
  public var encryptedKeyFile: String { folder + "/encrypted.pem" }

  public static let keyPassword = "open-sesame"
}

private func removeAtExit() {
  atexit { TestCertificates.remove() }
}
