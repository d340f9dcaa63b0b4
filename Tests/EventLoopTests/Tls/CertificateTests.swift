import EventLoop
import TestSupport
import Testing

/// The table of certificates: each is served by `openssl s_server`, and accepted or refused as RFC 5280, RFC 9525 and the settings say.
@LoopActor
@Suite(.oneAtATime) struct CertificateTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let spec: CertificateSpec
    let host: String
    /// nil: accepted.
    let kind: TlsError.Kind?
    let words: String
    let testDescription: String

    init(_ what: String, _ spec: CertificateSpec, host: String = "localhost", _ kind: TlsError.Kind? = nil, _ words: String = "") {
      (testDescription, self.spec, self.host, self.kind, self.words) = (what, spec, host, kind, words)
    }
  }

  nonisolated static let names = CertificateSpec(commonName: "names", names: ["DNS:api.example.com", "DNS:*.wild.example.com"])
  nonisolated static let partial = CertificateSpec(commonName: "partial", names: ["DNS:a*.example.com"])
  nonisolated static let nameIsAddress = CertificateSpec(commonName: "127.0.0.1", names: ["DNS:127.0.0.1"])

  nonisolated static let table: [Row] = [
    Row("a valid one", .localhost),
    Row("a valid one, for an address", .localhost, host: "127.0.0.1"),
    Row("a valid one, for an IPv6 address", .localhost, host: "::1"),
    Row("through an intermediate", .localhostChain),
    Row("with an RSA key", .rsa),
    Row("with an Ed25519 key", CertificateSpec(names: ["DNS:localhost"], key: .ed25519)),
    Row("the host in other letters", names, host: "API.Example.COM"),
    Row("the host with the dot of an absolute name", names, host: "api.example.com."),
    Row("a wildcard", names, host: "x.wild.example.com"),
    Row(
      "expired", .expired, .expired, "the certificate of localhost (CN=localhost) expired on 2021-01-01"),
    Row(
      "not yet valid", .notYetValid, .notYetValid, "the certificate of localhost (CN=localhost) is not valid before 2098-01-01"),
    Row(
      "another name", .wrongName, .nameMismatch,
      "the certificate does not cover localhost: it has a.example.com, *.b.example.com, 192.0.2.7"),
    Row("a wildcard does not cover its own domain", names, host: "wild.example.com", .nameMismatch, "does not cover wild.example.com"),
    Row("a wildcard covers one label", names, host: "x.y.wild.example.com", .nameMismatch, "does not cover x.y.wild.example.com"),
    Row("a partial wildcard", partial, host: "api.example.com", .nameMismatch, "it has a*.example.com"),
    Row("a wildcard of a top-level domain", CertificateSpec(names: ["DNS:*.com"]), host: "example.com", .nameMismatch, "it has *.com"),
    Row("a wildcard of all", CertificateSpec(names: ["DNS:*"]), host: "localhost", .nameMismatch, "it has *"),
    Row("an address that is not there", .ip4, host: "::1", .nameMismatch, "the certificate does not cover ::1: it has 127.0.0.1"),
    Row("an IPv4 address", .ip4, host: "127.0.0.1"),
    Row("an IPv6 address", .ip6, host: "::1"),
    Row("an IPv6 address in long", .ip6, host: "0:0:0:0:0:0:0:1"),
    Row("a name where only addresses are", .ip4, .nameMismatch, "does not cover localhost: it has 127.0.0.1"),
    Row("an address as a DNS name", nameIsAddress, host: "127.0.0.1", .nameMismatch, "does not cover 127.0.0.1: it has 127.0.0.1"),
    Row(
      "an address as the common name", CertificateSpec(commonName: "127.0.0.1"), host: "127.0.0.1", .nameMismatch,
      "it has no names, and its subject (CN=127.0.0.1) does not count"),
    Row(
      "the common name only", .commonNameOnly, .nameMismatch,
      "the certificate does not cover localhost: it has no names, and its subject (CN=localhost) does not count"),
    Row(
      "the common name beside other kinds of names", CertificateSpec(commonName: "localhost", names: ["email:a@b.c"]), .nameMismatch,
      "no names"),
    Row(
      "signed by itself", .selfSigned, .selfSigned, "the certificate of localhost (CN=localhost) is signed by itself, and is not trusted"),
    Row(
      "an unknown issuer", .unknownIssuer, .unknownIssuer,
      "unknown issuer CN=Errand Test Other Root: what signed the certificate of localhost"),
    Row(
      "a missing intermediate", .missingIntermediate, .unknownIssuer,
      "unknown issuer CN=Errand Test Intermediate: what signed the certificate of localhost (CN=localhost) is neither trusted nor sent"
        + " by the server (is an intermediate certificate missing?)"
    ),
    Row(
      "an expired intermediate", CertificateSpec(names: ["DNS:localhost"], issuer: .expiredIntermediate), .expired,
      "the certificate CN=Errand Test Expired Intermediate in the chain of localhost expired on 2021-01-01"),
    Row(
      "signed by what is no authority", CertificateSpec(names: ["DNS:localhost"], issuer: .notAuthority), .badCertificate,
      "the certificate CN=Errand Test Leaf in the chain of localhost is not that of an authority, but signed another"),
    Row(
      "a name that its issuer may not give", CertificateSpec(names: ["DNS:localhost"], issuer: .constrainedIntermediate), .badCertificate,
      "has names that its issuer may not give: localhost"),
    Row(
      "a name that its issuer may give", CertificateSpec(names: ["DNS:x.allowed.example.com"], issuer: .constrainedIntermediate),
      host: "x.allowed.example.com"),
    Row(
      "a client's", CertificateSpec(names: ["DNS:localhost"], usage: "clientAuth"), .badCertificate,
      "the certificate of localhost (CN=test) is not meant for a server"),
    Row(
      "many names", CertificateSpec(names: (1...40).map { "DNS:n\($0).example.com" }), .nameMismatch,
      "n9.example.com, n10.example.com, and more"),
    Row(
      "terminal escapes in its names", CertificateSpec(commonName: "bad\u{1b}[31mred\u{202e}x", names: ["DNS:other.example.com"]),
      .nameMismatch, "other.example.com"),
  ]

  @Test(arguments: table) func aCertificateIsAcceptedOrRefusedAsItDeserves(row: Row) async throws {
    let root = try await TestCertificates.shared.rootFile
    var settings = TlsSettings()
    settings.caFile = root
    settings.useSystemStore = false
    let server = try await OpensslServer(try await TestCertificates.shared.identity(row.spec))
    for minVersion in TlsVersion.allCases {
      settings.minVersion = minVersion
      let client = try await TlsClient(server.port, TlsContext(settings), host: row.host)
      defer { client.close() }
      let result = try await client.handshake()
      switch result {
      case .success(let facts):
        #expect(row.kind == nil)
        #expect(facts.isVerified && !facts.isResumed)
        client.send("olleh\n")
        #expect(try await client.read(through: "\n") == "hello\n")
      case .failure(let error):
        #expect(error.kind == row.kind, "\(error)")
        #expect(error.description.contains(row.words), "\(error)")
        #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e })
      }
    }
  }

  @Test func aServersTlsTwelveCertificateIsRefusedTheSameWay() async throws {
    var settings = TlsSettings()
    settings.caFile = try await TestCertificates.shared.rootFile
    for spec: CertificateSpec in [.localhost, .expired, .wrongName, .selfSigned, .unknownIssuer] {
      let server = try await OpensslServer(try await TestCertificates.shared.identity(spec), ["-rev", "-tls1_2"])
      let client = try await TlsClient(server.port, TlsContext(settings))
      defer { client.close() }
      let error = try await client.failure()
      #expect((error == nil) == (spec == .localhost), "\(String(describing: error))")
      if error == nil { #expect(client.tls.facts?.version == "TLSv1.2") }
    }
  }

  @Test(arguments: ["", ".", ".example.com", "a b", "a\u{0}b", "ä.example.com", String(repeating: "a", count: 300)])
  func aHostThatCanNotBeVerifiedIsRefusedAtOnce(host: String) async throws {
    let server = try await OpensslServer(try await TestCertificates.shared.identity(.localhost))
    let client = try await TlsClient(server.port, TlsContext(TlsSettings()), host: host)
    defer { client.close() }
    let error = try #require(try await client.failure())
    #expect(error.kind == .settings && error.description.contains("no host name to verify"), "\(error)")
  }

  @Test func theSystemsStoreIsUsedUnlessTurnedOff() async throws {
    let server = try await OpensslServer(try await TestCertificates.shared.identity(.localhost))
    var settings = TlsSettings()
    let untrusted = try await TlsClient(server.port, TlsContext(settings))
    defer { untrusted.close() }
    #expect(try await untrusted.failure()?.kind == .unknownIssuer)
    settings.useSystemStore = false
    let nobody = try await TlsClient(server.port, TlsContext(settings))
    defer { nobody.close() }
    let error = try #require(try await nobody.failure())
    #expect(error.description.hasSuffix("(no authority is trusted)"), "\(error)")
  }
}
