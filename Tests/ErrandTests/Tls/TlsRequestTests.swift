import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite("Requests over TLS", .oneAtATime)
struct TlsRequestTests {
  private func words(_ response: HttpResponse) -> [String] { response.text.split(separator: " ").map(String.init) }

  private func words(_ client: HttpClient, _ request: HttpRequest) async throws -> [String] {
    words(try await client.send(request))
  }

  @Test func theVersionOfHttpIsAgreedOnInTls() async throws {
    let server = try await NginxServer.serving([.localhostChain])
    try await tlsScene { client in
      for (choice, spoken) in [(.auto, "HTTP/2.0"), (.http1, "HTTP/1.1"), (.http2, "HTTP/2.0")] as [(HttpVersionChoice, String)] {
        var request = HttpRequest("https://localhost:\(server.port)/")
        request.httpVersion = choice
        let told = try await words(client, request)
        #expect(told.first == spoken)
      }
    }
    let old = try await NginxServer.serving([.localhost], listen: "ssl")
    try await tlsScene { client in
      #expect(try await words(client, HttpRequest("https://localhost:\(old.port)/")).first == "HTTP/1.1")
      var request = HttpRequest("https://localhost:\(old.port)/")
      request.httpVersion = .http2
      let error = try await client.failure(request)
      #expect(error.code == .tls && error.phase == .tls)
      #expect(error.message == "localhost speaks none of h2 (alert no application protocol)")
    }
    let silent = try await OpensslServer(try await TestCertificates.shared.identity(.localhost), ["-www"])
    try await tlsScene { client in
      var request = HttpRequest("https://localhost:\(silent.port)/")
      request.httpVersion = .http2
      let error = try await client.failure(request)
      #expect(error.code == .tls && error.message == "localhost does not offer HTTP/2")
    }
  }

  @Test(arguments: [HttpVersionChoice.http1, .http2]) func aConnectionIsKeptAndItsSessionTakenUp(choice: HttpVersionChoice) async throws {
    let server = try await NginxServer.serving([.localhost])
    var request = HttpRequest("https://localhost:\(server.port)/")
    request.httpVersion = choice
    let wanted = request
    try await tlsScene { client in
      let first = try await client.send(wanted)
      #expect((first.timings.tls ?? 0) > 0 && first.timings.connect != nil)
      for _ in 0..<5 {
        let next = try await client.send(wanted)
        #expect(words(next)[1] == words(first)[1])
        #expect(next.timings.tls == nil)
      }
    }
    try await tlsScene { client in
      var once = wanted
      once.httpVersion = .http1
      once.headers = ["Connection": "close"]
      let first = try await words(client, once)
      #expect(first[2] == "[.]")
      for _ in 0..<3 { #expect(try await words(client, once)[2] == "[r]") }
      #expect(await client.stats().connectionsOpened == 4)
    }
  }

  @Test func whatWasAgreedOnIsInTheTimeline() async throws {
    let server = try await NginxServer.serving([.localhost])
    try await tlsScene { client in
      let sink = EndingTraces(client)
      await client.onLoop { _ = $0.submitOnLoop(HttpRequest("https://localhost:\(server.port)/"), sink: sink) }
      let trace = try #require(try await sink.traces.first(1).first)
      let events = trace.timeline.map(\.event)
      #expect(events == ["queued", "slot", "resolved", "connected", "tls", "sent", "head"])
      #expect(
        trace.timeline.first { $0.event == "tls" }?.note == "TLSv1.3, TLS_AES_256_GCM_SHA384, h2, certificate CN=localhost")
      #expect(trace.tls?.version == "TLSv1.3" && trace.tls?.alpn == "h2" && trace.tls?.isVerified == true)
    }
  }

  @Test func eachBadCertificateIsToldInWords() async throws {
    let rows: [(CertificateSpec, String)] = [
      (.expired, "the certificate of localhost (CN=localhost) expired on 2021-01-01"),
      (.notYetValid, "the certificate of localhost (CN=localhost) is not valid before 2098-01-01"),
      (.wrongName, "the certificate does not cover localhost: it has a.example.com, *.b.example.com, 192.0.2.7"),
      (.selfSigned, "the certificate of localhost (CN=localhost) is signed by itself, and is not trusted"),
      (.unknownIssuer, "unknown issuer CN=Errand Test Other Root"), (.missingIntermediate, "is an intermediate certificate missing?"),
      (.commonNameOnly, "it has no names, and its subject (CN=localhost) does not count"),
    ]
    let server = try await NginxServer.serving(rows.map(\.0))
    try await tlsScene { client in
      for (port, row) in zip(server.ports, rows) {
        let error = try await client.failure(HttpRequest("https://localhost:\(port)/"))
        #expect(error.code == .tls && error.phase == .tls && error.sent == .notSent && !error.retryable)
        #expect(error.message.contains(row.1), "\(error)")
        #expect(error.timings.connect != nil)
      }
    }
  }

  @Test func anAddressIsVerifiedAsOneAndNeverToldToTheServer() async throws {
    let server = try await NginxServer.serving([.ip4, .ip6, .localhost])
    try await tlsScene { client in
      #expect(try await words(client, HttpRequest("https://127.0.0.1:\(server.ports[0])/"))[3] == "[]")
      #expect(try await words(client, HttpRequest("https://[::1]:\(server.ports[1])/"))[3] == "[]")
      #expect(try await words(client, HttpRequest("https://localhost:\(server.ports[2])/"))[3] == "[localhost]")
      let error = try await client.failure(HttpRequest("https://[::1]:\(server.ports[0])/"))
      #expect(error.message == "the certificate does not cover ::1: it has 127.0.0.1")
    }
  }

  @Test func requestsWithSettingsOfTheirOwnDoNotShareConnections() async throws {
    let server = try await NginxServer.serving([.localhost, .selfSigned])
    let own = try await TestCertificates.shared.identity(.localhost)
    let selfSigned = try await TestCertificates.shared.identity(.selfSigned)
    let trusting = try await TlsSettings.test()
    try await tlsScene { client in
      var request = HttpRequest("https://localhost:\(server.ports[0])/")
      let first = try await words(client, request)[1]
      request.tls = trusting
      #expect(try await words(client, request)[1] == first)
      request.tls?.pins = [own.pin]
      let pinned = try await words(client, request)[1]
      #expect(pinned != first)
      #expect(try await words(client, request)[1] == pinned)
      request.tls?.pins = [selfSigned.pin]
      #expect(try await client.failure(request).message.contains("has none of the pins: its own is \(own.pin)"))
      var other = HttpRequest("https://localhost:\(server.ports[1])/")
      other.tls = trusting
      other.tls?.pins = [selfSigned.pin]
      other.tls?.pinMode = .pinOnly
      _ = try await client.send(other)
      other.tls?.pins = ["nonsense"]
      let error = try await client.failure(other)
      #expect(error.code == .invalidRequest && error.field == "tls" && error.message.contains("does not begin with sha256//"))
    }
  }

  @Test func aClientCertificateIsShown() async throws {
    let root = try await TestCertificates.shared.rootFile
    let identity = try await TestCertificates.shared.identity(.client)
    let server = try await NginxServer.serving([.localhost], "ssl_verify_client on; ssl_client_certificate \(root);")
    let settings = try await TlsSettings.test {
      $0.certificateFile = identity.certificateFile
      $0.keyFile = identity.keyFile
    }
    try await tlsScene {
      $0.tls = settings
    } test: { client in
      let told = try await words(client, HttpRequest("https://localhost:\(server.port)/"))
      #expect(told.last == "CN=client")
    }
    try await tlsScene { client in
      let error = try await client.failure(HttpRequest("https://localhost:\(server.port)/"))
      #expect(error.status == 400)
    }
  }

  @Test func aServerThatMissesAClientCertificateIsToldInWords() async throws {
    let root = try await TestCertificates.shared.rootFile
    let server = try await OpensslServer(
      try await TestCertificates.shared.identity(.localhost), ["-www", "-Verify", "1", "-verify_return_error", "-CAfile", root])
    try await tlsScene { client in
      let error = try await client.failure(HttpRequest("https://localhost:\(server.port)/"))
      #expect(error.code == .tls && error.phase == .tls)
      #expect(error.message == "localhost asks for a client certificate (alert certificate required)")
    }
  }

  @Test func withoutVerificationTheClientsLogIsTold() async throws {
    let server = try await NginxServer.serving([.selfSigned])
    let told = Record<String>("warnings")
    try await tlsScene {
      $0.tls.verify = false
      $0.onUnverifiedTls = { told.add($0) }
    } test: { client in
      _ = try await client.send(HttpRequest("https://localhost:\(server.port)/"))
      let words = try await told.first(1)
      #expect(
        words == [
          "the certificate of localhost was not verified, as the settings say: the certificate of localhost (CN=localhost) is signed by itself,"
            + " and is not trusted"
        ])
    }
  }

  @Test func aUnixSocketsServerIsVerifiedByTheUrlsHost() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("socket")
    let identity = try await TestCertificates.shared.identity(.localhost)
    let server = try await NginxServer(ports: 1) { ports in
      """
      server { listen 127.0.0.1:\(ports[0]); listen unix:\(path) ssl;
        ssl_certificate \(identity.chainFile); ssl_certificate_key \(identity.keyFile); location / { return 200 "[$ssl_server_name]"; } }
      """
    }
    defer { server.stop() }
    try await tlsScene { client in
      var request = HttpRequest("https://localhost/")
      request.unixSocket = path
      let response = try await client.send(request)
      #expect(response.text == "[localhost]")
      request.url = "https://elsewhere.example.com/"
      let error = try await client.failure(request)
      #expect(error.message.hasPrefix("the certificate does not cover elsewhere.example.com: it has localhost"), "\(error)")
    }
  }

  @Test func settingsThatAreOfNoUseFailEachRequest() async throws {
    try await tlsScene {
      $0.tls.caFile = "/nowhere/ca.pem"
    } test: { client in
      let error = try await client.failure(HttpRequest("https://localhost:1/"))
      #expect(error.code == .tls && error.phase == .tls && !error.retryable)
      #expect(error.message == "the CA file /nowhere/ca.pem can't be read: No such file or directory")
      #expect(throws: HttpClientError.self) { try client.prepareTls() }
    }
  }

  @Test func theSystemsStoreIsUsedByDefault() async throws {
    let server = try await NginxServer.serving([.localhostChain])
    setenv("SSL_CERT_DIR", try await TestCertificates.shared.rootHashDirectory, 1)
    defer { unsetenv("SSL_CERT_DIR") }
    try await tlsScene {
      $0.tls = TlsSettings()
    } test: { client in
      try client.prepareTls()
      #expect(try await client.send(HttpRequest("https://localhost:\(server.port)/")).status == 200)
    }
  }
}
