import TestSupport
import Testing

@Suite struct TestCertificatesTests {
  @Test func opensslAcceptsTheRootsCertificatesAndNoOthers() async throws {
    let root = try await TestCertificates.shared.rootFile
    for spec: CertificateSpec in [.localhost, .rsa, .wildcard, .ip4, .ip6, .commonNameOnly, .client] {
      let identity = try await TestCertificates.shared.identity(spec)
      let result = try await Command.run("openssl", "verify", "-no-CApath", "-CAfile", root, identity.certificateFile)
      #expect(result.status == 0, "\(result.text)")
    }
    for spec: CertificateSpec in [.expired, .notYetValid, .selfSigned, .unknownIssuer, .missingIntermediate] {
      let identity = try await TestCertificates.shared.identity(spec)
      let result = try await Command.run("openssl", "verify", "-no-CApath", "-CAfile", root, identity.certificateFile)
      #expect(result.status != 0, "\(result.text)")
    }
  }

  @Test func aCertificateIsMadeOnce() async throws {
    async let first = TestCertificates.shared.identity(.localhost)
    async let second = TestCertificates.shared.identity(.localhost)
    let (one, two) = try await (first, second)
    #expect(one == two)
    #expect(one.pin.hasPrefix("sha256//") && one.pin.utf8.count == 52, "\(one.pin)")
  }

  @Test func theHashDirectoryIsAStore() async throws {
    let identity = try await TestCertificates.shared.identity(.localhostChain)
    let intermediate = try await TestCertificates.shared.authority(.intermediate).certificateFile
    let result = try await Command.run(
      "openssl", "verify", "-no-CAfile", "-CApath", try await TestCertificates.shared.rootHashDirectory, "-untrusted", intermediate,
      identity.certificateFile)
    #expect(result.status == 0, "\(result.text)")
  }
}
