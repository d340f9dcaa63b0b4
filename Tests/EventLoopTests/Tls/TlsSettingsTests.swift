import EventLoop
import Glibc
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct TlsSettingsTests {
  private func problem(_ change: (inout TlsSettings) -> Void) -> String? {
    var settings = TlsSettings()
    settings.useSystemStore = false
    change(&settings)
    do throws(TlsError) {
      _ = try TlsContext(settings)
      return nil
    } catch {
      #expect(error.kind == .settings)
      return error.description
    }
  }

  @Test func aFileThatIsNotThereIsNamed() throws {
    #expect(problem { $0.caFile = "/nowhere/ca.pem" } == "the CA file /nowhere/ca.pem can't be read: No such file or directory")
    #expect(problem { $0.caDirectory = "/nowhere" } == "the CA directory /nowhere can't be read: No such file or directory")
    #expect(
      problem { $0.certificateFile = "/nowhere/c.pem" } == "the client certificate /nowhere/c.pem can't be read: No such file or directory")
    #expect(problem { $0.caFile = "/tmp" } == "the CA file /tmp can't be read: Is a directory")
    #expect(problem { $0.caFile = "a\u{0}b" }?.contains("Invalid argument") == true)
  }

  @Test func aFileWithoutACertificateIsNamed() throws {
    let directory = try TemporaryDirectory()
    let empty = try directory.write("empty.pem", [])
    let text = try directory.write("text.txt", Array("hello".utf8))
    let broken = try directory.write("broken.pem", Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8))
    #expect(problem { $0.caFile = empty } == "the CA file \(empty) has no certificate")
    #expect(problem { $0.caFile = text } == "the CA file \(text) has no certificate")
    #expect(problem { $0.caFile = broken }?.hasPrefix("the CA file \(broken): certificate 1 can't be read: ") == true)
    #expect(problem { $0.certificateFile = empty } == "the client certificate \(empty) has no certificate")
    #expect(problem { $0.caPem = "nothing" } == "the CA given as PEM has no certificate")
    #expect(problem { $0.caDirectory = directory.path } == "the CA directory \(directory.path) has no certificate")
    let other = try TemporaryDirectory()
    #expect(problem { $0.caDirectory = other.path } == "the CA directory \(other.path) has no certificate")
  }

  @Test func aKeyThatDoesNotBelongToItsCertificateIsNamed() async throws {
    let client = try await TestCertificates.shared.identity(.client)
    let other = try await TestCertificates.shared.identity(.localhost)
    let set: (inout TlsSettings, String) -> Void = {
      $0.certificateFile = client.certificateFile
      $0.keyFile = $1
    }
    #expect(problem { set(&$0, client.keyFile) } == nil)
    #expect(
      problem { set(&$0, other.keyFile) }
        == "the client key \(other.keyFile) does not belong to the client certificate \(client.certificateFile)")
    #expect(problem { set(&$0, client.certificateFile) } == "the client key \(client.certificateFile) has no private key")
    #expect(problem { set(&$0, "/nowhere") } == "the client key /nowhere can't be read: No such file or directory")
    #expect(problem { $0.keyFile = client.keyFile } == "a client key without a certificate")
    #expect(
      problem { $0.certificateFile = client.certificateFile } == "the client certificate \(client.certificateFile) has no private key")
    let both = PeerProcess.text(of: client.certificateFile) + PeerProcess.text(of: client.keyFile)
    #expect(problem { $0.certificatePem = both } == nil)
    #expect(
      problem {
        $0.certificatePem = both
        $0.keyPem = PeerProcess.text(of: other.keyFile)
      } == "the client key given as PEM does not belong to the client certificate given as PEM")
  }

  @Test func thePasswordOfAKeyIsNeededAndNeverTold() async throws {
    let client = try await TestCertificates.shared.identity(.client)
    let set: (inout TlsSettings, String?) -> Void = {
      $0.certificateFile = client.certificateFile
      $0.keyFile = client.encryptedKeyFile
      $0.keyPassword = $1
    }
    #expect(problem { set(&$0, TestIdentity.keyPassword) } == nil)
    #expect(problem { set(&$0, nil) } == "the client key \(client.encryptedKeyFile) is encrypted: it needs its password")
    #expect(problem { set(&$0, "hunter2") } == "the password does not open the client key \(client.encryptedKeyFile)")
    var settings = TlsSettings()
    set(&settings, "hunter2")
    settings.keyPem = "-----BEGIN SECRET"
    var dumped = ""
    dump(settings, to: &dumped)
    for text in ["\(settings)", String(reflecting: settings), dumped] {
      #expect(!text.contains("hunter2") && !text.contains("SECRET"), "\(text)")
    }
  }

  @Test func pinsAndCiphersAreChecked() async throws {
    let pin = try await TestCertificates.shared.identity(.localhost).pin
    #expect(problem { $0.pins = [pin, "sha256/" + pin.dropFirst(8)] } == nil)
    for first in ["A", "/"] {
      let base64 = first + String(repeating: "A", count: 42) + "="
      #expect(problem { $0.pins = ["sha256//" + base64, "sha256/" + base64] } == nil)
    }
    #expect(problem { $0.pins = ["md5//x"] } == "the pin md5//x does not begin with sha256//")
    for bad in ["sha256//", "sha256//AAAA", "sha256//" + String(repeating: "!", count: 43) + "=", pin + "=", String(pin.dropLast())] {
      #expect(problem { $0.pins = [bad] }?.contains("is not the base64 of a SHA-256") == true, "\(bad)")
    }
    #expect(problem { $0.pinMode = .pinOnly } == "pin mode pin-only without a pin")
    #expect(problem { $0.ciphers = "NOTHING" } == "the list of ciphers \"NOTHING\" has none that is known")
    #expect(problem { $0.ciphers = "ECDHE+AESGCM" } == nil)
    #expect(problem { $0.cipherSuites = "" } == "the list of cipher suites \"\" has none that is known")
    #expect(problem { $0.cipherSuites = "TLS_NOTHING" } == "the list of cipher suites \"TLS_NOTHING\" has none that is known")
    #expect(problem { $0.cipherSuites = "TLS_AES_128_GCM_SHA256" } == nil)
  }

  @Test func trustComesFromAFileADirectoryOrText() async throws {
    let server = try await OpensslServer(try await TestCertificates.shared.identity(.localhost))
    let root = try await TestCertificates.shared.rootFile
    let hashed = try await TestCertificates.shared.rootHashDirectory
    let plain = try TemporaryDirectory()
    try plain.write("root.crt", Array(PeerProcess.text(of: root).utf8))
    try plain.write("notes.pem", Array("nothing".utf8))
    for change: (inout TlsSettings) -> Void in [
      { $0.caFile = root }, { $0.caDirectory = hashed }, { $0.caDirectory = plain.path }, { $0.caPem = PeerProcess.text(of: root) },
    ] {
      var settings = TlsSettings()
      change(&settings)
      let client = try await TlsClient(server.port, TlsContext(settings))
      defer { client.close() }
      #expect(try await client.facts().subject == "CN=localhost")
    }
  }

  @Test func aTrustedIntermediateOrLeafIsEnough() async throws {
    let identity = try await TestCertificates.shared.identity(.missingIntermediate)
    let selfSigned = try await TestCertificates.shared.identity(.selfSigned)
    for (identity, file) in [
      (identity, try await TestCertificates.shared.authority(.intermediate).certificateFile), (identity, identity.certificateFile),
      (selfSigned, selfSigned.certificateFile),
    ] {
      let server = try await OpensslServer(identity)
      var settings = TlsSettings()
      settings.caFile = file
      let client = try await TlsClient(server.port, TlsContext(settings))
      defer { client.close() }
      #expect(try await client.failure() == nil)
    }
  }

  @Test func theSystemsStoreIsWhereTheEnvironmentSays() async throws {
    let server = try await OpensslServer(try await TestCertificates.shared.identity(.localhost))
    let root = try await TestCertificates.shared.rootFile
    let hashed = try await TestCertificates.shared.rootHashDirectory
    for (name, value, works) in [
      ("SSL_CERT_DIR", hashed, true), ("SSL_CERT_FILE", root, true), ("SSL_CERT_DIR", "/nowhere:" + hashed, true),
      ("SSL_CERT_DIR", "/nowhere", false),
    ] {
      setenv(name, value, 1)
      defer { unsetenv(name) }
      let client = try await TlsClient(server.port, TlsContext(TlsSettings()))
      defer { client.close() }
      #expect(try await client.failure()?.kind == (works ? nil : .unknownIssuer))
    }
    setenv("SSL_CERT_DIR", "/nowhere", 1)
    setenv("SSL_CERT_FILE", "/nowhere/file", 1)
    defer {
      unsetenv("SSL_CERT_DIR")
      unsetenv("SSL_CERT_FILE")
    }
    let client = try await TlsClient(server.port, TlsContext(TlsSettings()))
    defer { client.close() }
    let error = try #require(try await client.failure())
    #expect(error.description.hasSuffix("(the system's store (/nowhere/file, /nowhere) is empty)"), "\(error)")
  }

  @Test func contextsAreMadeOnceAndAnewWhenTheirFilesChange() async throws {
    let root = try await TestCertificates.shared.rootFile
    let directory = try TemporaryDirectory()
    let file = try directory.write("ca.pem", Array(PeerProcess.text(of: root).utf8))
    let cache = TlsContextCache()
    var settings = TlsSettings()
    settings.caFile = file
    let first = try cache.context(for: settings)
    #expect(try cache.context(for: settings) === first)
    settings.minVersion = .tls13
    #expect(try cache.context(for: settings) !== first)
    settings.minVersion = .tls12
    #expect(cache.count == 2)
    try directory.write("ca.pem", Array((PeerProcess.text(of: root) + "\n").utf8))
    let second = try cache.context(for: settings)
    #expect(second !== first)
    #expect(cache.count == 2)
    remove(file)
    #expect(throws: TlsError.self) { try cache.context(for: settings) }
    cache.removeAll()
    #expect(cache.count == 0)
  }

  @Test func theCacheKeepsTheContextsThatAreUsed() throws {
    let cache = TlsContextCache()
    var settings = TlsSettings()
    settings.useSystemStore = false
    let first = try cache.context(for: settings)
    for number in 0..<TlsContextCache.maxContexts + 10 {
      var other = settings
      other.keyPassword = "\(number)"
      _ = try cache.context(for: other)
      #expect(try cache.context(for: settings) === first)
    }
    #expect(cache.count == TlsContextCache.maxContexts)
  }
}
