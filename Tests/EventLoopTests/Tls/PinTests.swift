import EventLoop
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct PinTests {
  private func result(_ spec: CertificateSpec, host: String = "localhost", _ change: (inout TlsSettings) -> Void) async throws -> TlsError?
  {
    let server = try await OpensslServer(try await TestCertificates.shared.identity(spec))
    var settings = TlsSettings()
    settings.caFile = try await TestCertificates.shared.rootFile
    change(&settings)
    let client = try await TlsClient(server.port, TlsContext(settings), host: host)
    defer { client.close() }
    return try await client.failure()
  }

  @Test func oneOfSeveralPinsIsEnough() async throws {
    let pin = try await TestCertificates.shared.identity(.localhost).pin
    let other = try await TestCertificates.shared.identity(.rsa).pin
    #expect(try await result(.localhost) { $0.pins = [other, pin] } == nil)
    #expect(try await result(.localhost) { $0.pins = ["sha256/" + pin.dropFirst(8)] } == nil)
  }

  @Test func aMismatchShowsThePinThatIsThere() async throws {
    let pin = try await TestCertificates.shared.identity(.localhost).pin
    let other = try await TestCertificates.shared.identity(.rsa).pin
    let error = try #require(try await result(.localhost) { $0.pins = [other] })
    #expect(error.kind == .pinMismatch)
    #expect(error.description == "the certificate of localhost (CN=localhost) has none of the pins: its own is \(pin)")
  }

  @Test func aPinOfAnAuthorityInTheChainCounts() async throws {
    for authority: CertificateSpec.Authority in [.root, .intermediate] {
      let pin = try await TestCertificates.shared.authority(authority).pin
      #expect(try await result(.localhostChain) { $0.pins = [pin] } == nil)
    }
    let stranger = try await TestCertificates.shared.authority(.otherRoot).pin
    #expect(try await result(.localhostChain) { $0.pins = [stranger] }?.kind == .pinMismatch)
  }

  @Test func theChainIsVerifiedBesideThePin() async throws {
    for (spec, kind) in [
      (.selfSigned, .selfSigned), (.expired, .expired), (.wrongName, .nameMismatch), (.unknownIssuer, .unknownIssuer),
    ] as [(CertificateSpec, TlsError.Kind)] {
      let pin = try await TestCertificates.shared.identity(spec).pin
      #expect(try await result(spec) { $0.pins = [pin] }?.kind == kind)
    }
  }

  @Test func aPinAloneReplacesTheChainButNotNamesAndDates() async throws {
    func pinned(_ spec: CertificateSpec, host: String = "localhost", by pin: String) async throws -> TlsError? {
      try await result(spec, host: host) {
        $0.pins = [pin]
        $0.pinMode = .pinOnly
      }
    }
    for spec: CertificateSpec in [.selfSigned, .unknownIssuer, .missingIntermediate, .localhost] {
      let pin = try await TestCertificates.shared.identity(spec).pin
      #expect(try await pinned(spec, by: pin) == nil)
      #expect(try await pinned(spec, host: "127.0.0.1", by: pin) == nil)
      let error = try await pinned(spec, host: "other.example.com", by: pin)
      #expect(error?.description == "the certificate does not cover other.example.com: it has localhost, 127.0.0.1" || spec == .localhost)
      #expect(error?.kind == .nameMismatch)
      #expect(try await pinned(spec, host: "127.0.0.2", by: pin)?.kind == .nameMismatch)
    }
    let expired = try await TestCertificates.shared.identity(.expired).pin
    #expect(try await pinned(.expired, by: expired)?.kind == .expired)
    let early = try await TestCertificates.shared.identity(.notYetValid).pin
    #expect(try await pinned(.notYetValid, by: early)?.kind == .notYetValid)
    // The key of an authority proves nothing where the chain is not verified.
    let root = try await TestCertificates.shared.authority(.root).pin
    #expect(try await pinned(.localhost, by: root)?.kind == .pinMismatch)
    let nameless = try await TestCertificates.shared.identity(.commonNameOnly).pin
    #expect(try await pinned(.commonNameOnly, by: nameless)?.kind == .nameMismatch)
  }

  @Test func withoutVerificationAPinStillCounts() async throws {
    let pin = try await TestCertificates.shared.identity(.selfSigned).pin
    let other = try await TestCertificates.shared.identity(.rsa).pin
    for mode: PinMode in [.withChain, .pinOnly] {
      for (pins, kind) in [([pin], nil), ([other], .pinMismatch)] as [([String], TlsError.Kind?)] {
        let error = try await result(.selfSigned, host: "elsewhere.example.com") {
          $0.verify = false
          $0.pins = pins
          $0.pinMode = mode
        }
        #expect(error?.kind == kind)
      }
    }
  }

  @Test func withoutVerificationEachConnectionIsTold() async throws {
    let told = Locked<[String]>([])
    var settings = TlsSettings()
    settings.verify = false
    let context = try TlsContext(settings, onUnverified: { words in told.withLock { $0.append(words) } })
    for spec: CertificateSpec in [.selfSigned, .expired, .localhost] {
      let server = try await OpensslServer(try await TestCertificates.shared.identity(spec))
      let client = try await TlsClient(server.port, context)
      defer { client.close() }
      #expect(try await client.facts().isVerified == false)
    }
    let start = "the certificate of localhost was not verified, as the settings say: "
    let words = told.withLock { $0 }
    #expect(words.count == 3)
    #expect(words.allSatisfy { $0.hasPrefix(start) })
    #expect(words.first == start + "the certificate of localhost (CN=localhost) is signed by itself, and is not trusted")
  }
}
