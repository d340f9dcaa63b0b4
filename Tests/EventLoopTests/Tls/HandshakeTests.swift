import EventLoop
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct HandshakeTests {
  private func context(_ change: (inout TlsSettings) -> Void = { _ in }) async throws -> TlsContext {
    var settings = TlsSettings()
    settings.caFile = try await TestCertificates.shared.rootFile
    change(&settings)
    return try TlsContext(settings)
  }

  private func nginx(_ identity: TestIdentity, _ more: String, location: String) async throws -> NginxServer {
    try await NginxServer { ports in
      """
      server {
        listen 127.0.0.1:\(ports[0]) ssl http2; listen [::1]:\(ports[0]) ssl;
        ssl_certificate \(identity.chainFile); ssl_certificate_key \(identity.keyFile);
        \(more)
        location / { return 200 "\(location)\\n"; }
      }
      """
    }
  }

  private func get(_ client: TlsClient) async throws -> String {
    client.send("GET / HTTP/1.0\r\n\r\n")
    _ = try await client.readToEnd()
    return client.text.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
  }

  @Test func theServerIsToldTheNameAndNeverAnAddress() async throws {
    let server = try await nginx(
      try await TestCertificates.shared.identity(.localhost), "", location: "[$ssl_server_name] $ssl_protocol $ssl_cipher")
    let context = try await context()
    for (host, v6, seen) in [
      ("localhost", false, "[localhost]"), ("LocalHost.", false, "[localhost]"), ("127.0.0.1", false, "[]"), ("::1", true, "[]"),
    ] {
      let client = try await TlsClient(server.port, context, host: host, v6: v6)
      defer { client.close() }
      let told = try await get(client)
      #expect(told == seen + " TLSv1.3 TLS_AES_256_GCM_SHA384")
      #expect(client.end == "closed")
      #expect(client.tls.facts?.version == "TLSv1.3" && client.tls.facts?.cipher == "TLS_AES_256_GCM_SHA384")
    }
  }

  @Test func theServerChoosesAmongTheProtocolsThatAreOffered() async throws {
    let server = try await nginx(try await TestCertificates.shared.identity(.localhost), "", location: "[$ssl_alpn_protocol]")
    let context = try await context()
    for (offered, chosen) in [(["h2", "http/1.1"], "h2"), (["http/1.1"], "http/1.1"), ([], nil)] as [([String], String?)] {
      let client = try await TlsClient(server.port, context, alpn: offered)
      defer { client.close() }
      #expect(try await client.facts().alpn == chosen)
    }
    let other = try await TlsClient(server.port, context, alpn: ["spdy/9"])
    defer { other.close() }
    let error = try #require(try await other.failure())
    #expect(error.kind == .refused)
    #expect(error.description == "localhost speaks none of spdy/9 (alert no application protocol)")
    let unsayable = try await TlsClient(server.port, context, alpn: [String(repeating: "a", count: 256)])
    defer { unsayable.close() }
    #expect(try await unsayable.failure()?.kind == .settings)
  }

  @Test func aServerThatIsTooOldIsRefusedInWords() async throws {
    let identity = try await TestCertificates.shared.identity(.rsa)
    let old = try await OpensslServer(identity, ["-rev", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
    let client = try await TlsClient(old.port, try await context())
    defer { client.close() }
    let error = try #require(try await client.failure())
    #expect(error.kind == .version)
    #expect(error.description == "localhost does not speak TLS 1.2 or newer")
    let middle = try await OpensslServer(identity, ["-rev", "-tls1_2"])
    let strict = try await TlsClient(middle.port, try await context { $0.minVersion = .tls13 })
    defer { strict.close() }
    #expect(try await strict.failure() == TlsError(.version, "localhost does not speak TLS 1.3"))
    let lax = try await TlsClient(middle.port, try await context())
    defer { lax.close() }
    #expect(try await lax.facts().version == "TLSv1.2")
  }

  @Test func aServerHelloOfAnOldVersionIsRefusedInWords() async throws {
    // TLS 1.1, as a server that ignores what the client offers would choose it.
    let hello: [UInt8] =
      [0x16, 3, 2, 0, 0x2a, 2, 0, 0, 0x26, 3, 2] + [UInt8](repeating: 7, count: 32) + [0, 0xc0, 0x14, 0]
    let error = try await answered(by: hello)
    #expect(error == TlsError(.version, "localhost does not speak TLS 1.2 or newer"))
  }

  @Test func whatIsNoTlsIsNamedSo() async throws {
    for text in [
      "HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "220 mail ESMTP\r\n", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
    ] {
      let error = try await answered(by: Array(text.utf8))
      #expect(error == TlsError(.notTls, "what answers at localhost does not speak TLS"), "\(text.debugDescription)")
    }
    let plain = try await NginxServer { "server { listen 127.0.0.1:\($0[0]); }" }
    let client = try await TlsClient(plain.port, try await context())
    defer { client.close() }
    #expect(try await client.failure()?.kind == .notTls)
  }

  @Test func aServerThatShutsUpIsNamedSo() async throws {
    #expect(try await answered(by: []) == TlsError(.closed, "localhost closed the connection in the middle of the TLS handshake"))
    #expect(try await answered(by: [0x16, 3, 3, 0])?.kind == .closed)
    let reset = try await answered(by: [], reset: true)
    #expect(reset == TlsError(.connection, "the connection to localhost failed: Connection reset by peer"))
  }

  @Test func alertsAreToldInWords() async throws {
    for (alert, words) in [
      (40, "it shares no cipher or other parameter with this client"), (112, "the server does not know the name localhost"),
      (80, "localhost refused the connection (alert internal error)"), (0x99, "localhost refused the connection (alert unknown)"),
    ] as [(UInt8, String)] {
      let error = try #require(try await answered(by: [0x15, 3, 3, 0, 2, 2, alert]))
      #expect(error.kind == .refused && error.description.contains(words), "\(error)")
    }
  }

  @Test func theServerAndTheClientShareNoCipher() async throws {
    let server = try await OpensslServer(
      try await TestCertificates.shared.identity(.rsa), ["-rev", "-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"])
    let context = try await context { $0.ciphers = "ECDHE-RSA-AES256-GCM-SHA384" }
    let client = try await TlsClient(server.port, context)
    defer { client.close() }
    let error = try #require(try await client.failure())
    #expect(error.kind == .refused && error.description.contains("shares no cipher"), "\(error)")
  }

  @Test func aCipherWithoutACertificateIsRefused() async throws {
    let server = try await OpensslServer(
      try await TestCertificates.shared.identity(.rsa), ["-rev", "-tls1_2", "-cipher", "AECDH:@SECLEVEL=0"])
    let context = try await context { $0.ciphers = "AECDH:@SECLEVEL=0" }
    let client = try await TlsClient(server.port, context)
    defer { client.close() }
    #expect(try await client.failure() == TlsError(.badCertificate, "localhost sent no certificate"))
  }

  @Test func aClientCertificateIsShown() async throws {
    let identity = try await TestCertificates.shared.identity(.localhost)
    let own = try await TestCertificates.shared.identity(.client)
    let root = try await TestCertificates.shared.rootFile
    let server = try await nginx(
      identity, "ssl_verify_client on; ssl_client_certificate \(root);", location: "$ssl_client_verify $ssl_client_s_dn")
    let context = try await context {
      $0.certificateFile = own.certificateFile
      $0.keyFile = own.keyFile
    }
    let client = try await TlsClient(server.port, context)
    defer { client.close() }
    #expect(try await get(client) == "SUCCESS CN=client")
    let encrypted = try await self.context {
      $0.certificatePem = PeerProcess.text(of: own.chainFile)
      $0.keyPem = PeerProcess.text(of: own.encryptedKeyFile)
      $0.keyPassword = TestIdentity.keyPassword
    }
    let second = try await TlsClient(server.port, encrypted)
    defer { second.close() }
    #expect(try await get(second) == "SUCCESS CN=client")
    let nobody = try await TlsClient(server.port, try await self.context())
    defer { nobody.close() }
    _ = try await get(nobody)
    #expect(nobody.text.contains("400 No required SSL certificate was sent"))
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"]) func aRefusedClientCertificateIsToldInWords(version: String) async throws {
    let identity = try await TestCertificates.shared.identity(.localhost)
    let root = try await TestCertificates.shared.rootFile
    let server = try await OpensslServer(
      identity, ["-rev", version, "-Verify", "1", "-verify_return_error", "-CAfile", root, "-no-CApath", "-no-CAstore"])
    let none = try await TlsClient(server.port, try await context())
    defer { none.close() }
    // TLS 1.3 tells only after the client's side of the handshake is over.
    let noneWords = try await none.failureOrEnd()
    #expect(noneWords.contains(version == "-tls1_3" ? "asks for a client certificate" : "handshake failure"), "\(noneWords)")
    let stranger = try await TestCertificates.shared.identity(
      CertificateSpec(commonName: "stranger", issuer: .otherRoot, usage: "clientAuth"))
    let context = try await context {
      $0.certificateFile = stranger.chainFile
      $0.keyFile = stranger.keyFile
    }
    let client = try await TlsClient(server.port, context)
    defer { client.close() }
    let words = try await client.failureOrEnd()
    #expect(words == "localhost refused the client certificate (alert unknown CA)", "\(words)")
  }

  @Test func tlsWithinTls() async throws {
    let inner = try await nginx(try await TestCertificates.shared.identity(.localhost), "", location: "[$ssl_server_name] $ssl_protocol")
    let outer = try await PythonPeer(PeerScripts.tlsRelay, try await PeerScripts.identity(.localhostChain), "\(inner.port)")
    let context = try await context()
    let first = try await TlsClient(outer.port, context, host: "127.0.0.1")
    #expect(try await first.facts().subject == "CN=localhost")
    let second = TlsClient(over: first.handOver(), context)
    defer { second.close() }
    #expect(try await get(second) == "[localhost] TLSv1.3")
    #expect(second.end == "closed")
  }

  @Test func muchComesThroughTlsWithinTls() async throws {
    let directory = try TemporaryDirectory()
    let content = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    try directory.write("big", content)
    let identity = try await TestCertificates.shared.identity(.localhost)
    let inner = try await NginxServer { ports in
      """
      server { listen 127.0.0.1:\(ports[0]) ssl; ssl_certificate \(identity.chainFile); ssl_certificate_key \(identity.keyFile);
        root \(directory.path); }
      """
    }
    let outer = try await PythonPeer(PeerScripts.tlsRelay, try await PeerScripts.identity(.localhostChain), "\(inner.port)")
    let context = try await context()
    let first = try await TlsClient(outer.port, context)
    _ = try await first.facts()
    let second = TlsClient(over: first.handOver(), context)
    second.bufferSize = 5_000
    defer { second.close() }
    second.send("GET /big HTTP/1.0\r\n\r\n")
    #expect(try await second.readToEnd() == "closed")
    #expect(Array(second.received.suffix(content.count)) == content)
  }

  @Test func aFailureOfTheLayerBelowIsToldByTheOneAbove() async throws {
    // Says nothing.
    let outer = try await OpensslServer(try await TestCertificates.shared.identity(.localhost), [])
    let context = try await context()
    let first = try await TlsClient(outer.port, context)
    _ = try await first.facts()
    let second = TlsClient(over: first.handOver(), context)
    defer { second.close() }
    outer.stop()
    let error = try await second.failure()
    #expect(error?.kind == .closed || error?.kind == .connection, "\(String(describing: error))")
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"]) func aHandshakeThatArrivesByteByByteSucceeds(version: String) async throws {
    let server = try await OpensslServer(try await TestCertificates.shared.identity(.localhostChain), ["-rev", version])
    let relay = try await PythonPeer(PeerScripts.slowRelay, "\(server.port)")
    let client = try await TlsClient(relay.port, try await context())
    defer { client.close() }
    _ = try await client.facts()
    #expect(client.steps > 100)
    client.send("abc\n")
    #expect(try await client.read(through: "\n") == "cba\n")
  }

  // MARK: A peer that sends given bytes

  private func answered(by bytes: [UInt8], reset: Bool = false) async throws -> TlsError? {
    let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let peer = try await PythonPeer(PeerScripts.answer, hex, reset ? "reset" : "close")
    let client = try await TlsClient(peer.port, try await context())
    defer { client.close() }
    return try await client.failure()
  }
}
