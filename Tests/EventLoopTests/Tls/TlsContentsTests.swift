import EventLoop
import Glibc
import TestSupport
import Testing

/// Settings with the contents of their files in the files' place.
struct TlsContentsTests {
  private func read(_ path: String) -> String { PeerProcess.text(of: path) }

  @Test func `authorities are passed on as certificates alone, each once`() async throws {
    let root = try await TestCertificates.shared.authority(.root)
    let directory = try TemporaryDirectory()
    // A key and words beside the certificate stay where they are.
    let mixed = try directory.write("mixed.pem", Array((read(root.keyFile) + "words\n" + read(root.certificateFile)).utf8))
    var settings = TlsSettings()
    settings.caFile = mixed
    settings.caDirectory = try await TestCertificates.shared.rootHashDirectory
    let made = try settings.withFilesRead()
    #expect(made.caFile == nil)
    #expect(made.caDirectory == nil)
    #expect(made.caPem?.contains("PRIVATE KEY") == false)
    #expect(made.caPem?.split(separator: "\n").count { $0 == "-----BEGIN TRUSTED CERTIFICATE-----" } == 1)
    #expect(throws: Never.self) { try TlsContext(made) }
  }

  @Test func `a client's certificate, chain and key are passed on, the key as it is`() async throws {
    let chain = try await TestCertificates.shared.identity(.localhostChain)
    var settings = TlsSettings()
    settings.certificateFile = chain.chainFile
    settings.keyFile = chain.encryptedKeyFile
    settings.keyPassword = TestIdentity.keyPassword
    let made = try settings.withFilesRead()
    #expect(made.certificateFile == nil && made.keyFile == nil)
    #expect(made.certificatePem?.split(separator: "\n").count { $0 == "-----BEGIN CERTIFICATE-----" } == 2)
    #expect(made.keyPem == read(chain.encryptedKeyFile))
    #expect(throws: Never.self) { try TlsContext(made) }
  }

  @Test func `a key is found after the certificate and its parameters`() async throws {
    let identity = try await TestCertificates.shared.identity(.client)
    let directory = try TemporaryDirectory()
    let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
    let joined = try directory.write("joined.pem", Array((read(identity.certificateFile) + parameters + read(identity.keyFile)).utf8))
    var settings = TlsSettings()
    settings.certificateFile = joined
    let made = try settings.withFilesRead()
    #expect(made.keyPem == read(identity.keyFile))
    #expect(throws: Never.self) { try TlsContext(made) }
  }

  @Test func `a file of no use is named`() async throws {
    let identity = try await TestCertificates.shared.identity(.client)
    let other = try await TestCertificates.shared.identity(.localhost)
    let directory = try TemporaryDirectory()
    let cases: [((inout TlsSettings) -> Void, String)] = [
      ({ $0.caFile = "/nonexistent" }, "the CA file /nonexistent can't be read: No such file or directory"),
      ({ $0.caFile = identity.keyFile }, "the CA file \(identity.keyFile) has no certificate"),
      ({ $0.caDirectory = directory.path }, "the CA directory \(directory.path) has no certificate"),
      ({ $0.certificateFile = identity.keyFile }, "the client certificate \(identity.keyFile) has no certificate"),
      ({ $0.certificateFile = identity.certificateFile }, "has no private key"),
      (
        {
          $0.certificateFile = identity.certificateFile
          $0.keyFile = other.keyFile
        }, "the client key \(other.keyFile) does not belong to the client certificate \(identity.certificateFile)"
      ),
      (
        {
          $0.certificateFile = identity.certificateFile
          $0.keyFile = identity.encryptedKeyFile
        }, "the client key \(identity.encryptedKeyFile) is encrypted: it needs its password"
      ),
    ]
    for (change, words) in cases {
      var settings = TlsSettings()
      change(&settings)
      let error = #expect(throws: TlsError.self) { try settings.withFilesRead() }
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "-")")
      #expect(error?.kind == .settings)
    }
  }
}
