import EventLoop
import HttpWire
import TestSupport
import Testing

/// `errand` over TLS, directly and through a daemon: what each option does.
@LoopActor
@Suite(.timeLimit(.minutes(5))) struct CommandTlsTests {
  @Test func anAuthorityIsTrustedThatTheOptionNamesAndNoOther() async throws {
    let hashes = try await TestCertificates.shared.rootHashDirectory
    let other = try await TestCertificates.shared.authority(.otherRoot).certificateFile
    try await TransportScene.both { (scene, way, errand) async throws in
      let refused = try await errand(["get", scene.secure])
      #expect(refused.status == 35, "\(way): \(refused.errors)")
      #expect(refused.errors.contains("tls: ") && refused.errors.contains("Errand Test Root"), "\(way): \(refused.errors)")
      #expect(refused.output.isEmpty)
      for trust in [["--cacert", scene.root], ["--capath", hashes], ["--cacert", other, "--capath", hashes]] {
        let trusted = try await errand(["get", scene.secure] + trust)
        #expect(trusted.text.hasPrefix("HTTP/2.0 TLSv1.3"), "\(way) \(trust): \(trusted.errors)")
      }
      let wrong = try await errand(["get", scene.secure, "--cacert", other])
      #expect(wrong.status == 35, "\(way)")
    }
  }

  @Test(arguments: ["SSL_CERT_DIR", "SSL_CERT_FILE"]) func theSystemsStoreIsTrustedAndWithCacertItIsNot(_ variable: String) async throws {
    let hashes = try await TestCertificates.shared.rootHashDirectory
    let root = try await TestCertificates.shared.rootFile
    let other = try await TestCertificates.shared.authority(.otherRoot).certificateFile
    let environment = [variable: variable == "SSL_CERT_DIR" ? hashes : root]
    try await TransportScene.both(environment: environment) { (scene, way, errand) async throws in
      #expect(try await errand(["get", scene.secure]).status == 0, "\(way)")
      #expect(try await errand(["get", scene.secure, "--cacert", other]).status == 35, "\(way)")
      // What is said of the client leaves the trust as it is.
      #expect(try await errand(["get", scene.secure, "--tlsv1.3"]).status == 0, "\(way)")
    }
  }

  @Test func aClientShowsItsCertificate() async throws {
    let password = TestIdentity.keyPassword
    let directory = try TemporaryDirectory()
    try await TransportScene.both { (scene, way, errand) async throws in
      let (certificate, key, encrypted) = (scene.client.certificateFile, scene.client.keyFile, scene.client.encryptedKeyFile)
      let joined = directory.file("joined")
      _ = try await Command.run("bash", "-c", "cat \(certificate) \(encrypted) > \(joined)")
      let trusted = ["get", scene.restricted, "--cacert", scene.root]
      let without = try await errand(trusted)
      #expect(without.text.contains("No required SSL certificate"), "\(way): \(without.errors)")
      let ways = [
        ["--cert", certificate, "--key", key], ["-E", certificate, "--key", encrypted, "--pass", password],
        ["--cert", "\(certificate):\(password)", "--key", encrypted], ["--cert", "\(joined):\(password)"],
      ]
      for words in ways {
        let ended = try await errand(trusted + words)
        #expect(ended.text.contains("[CN=client]"), "\(way) \(words): \(ended.text) \(ended.errors)")
      }
    }
  }

  @Test func aPinAdmitsOneKeyOnly() async throws {
    let other = try await TestCertificates.shared.identity(.rsa).pin
    try await TransportScene.both { (scene, way, errand) async throws in
      let trusted = ["get", scene.secure, "--cacert", scene.root]
      #expect(try await errand(trusted + ["--pin", scene.identity.pin]).status == 0, "\(way)")
      #expect(try await errand(trusted + ["--pin", other, "--pin", scene.identity.pin]).status == 0, "\(way)")
      #expect(try await errand(trusted + ["--pinnedpubkey", "\(other);\(scene.identity.pin)"]).status == 0, "\(way)")
      for option in ["--pin", "--pinnedpubkey"] {
        let refused = try await errand(trusted + [option, other])
        #expect(refused.status == 35, "\(way)")
        #expect(refused.errors.contains("has none of the pins"), "\(way): \(refused.errors)")
      }
      // Pins count for who does not verify, and do not stand in for the chain.
      #expect(try await errand(["get", scene.secure, "-k", "--pin", scene.identity.pin]).status == 0, "\(way)")
      #expect(try await errand(["get", scene.secure, "-k", "--pin", other]).status == 35, "\(way)")
      #expect(try await errand(["get", scene.secure, "--pin", scene.identity.pin]).status == 35, "\(way)")
    }
  }

  @Test func insecureTakesWhoeverAnswers() async throws {
    try await TransportScene.both { (scene, way, errand) async throws in
      for option in ["--insecure", "-k"] {
        let ended = try await errand(["get", scene.secure, option])
        #expect(ended.text.hasPrefix("HTTP/2.0"), "\(way): \(ended.errors)")
      }
    }
  }

  @Test func anOldVersionOfTlsCanBeRefused() async throws {
    try await TransportScene.both { (scene, way, errand) async throws in
      let trusted = ["get", scene.old, "--cacert", scene.root]
      #expect(try await errand(trusted).text.hasPrefix("HTTP/1.1 TLSv1.2"), "\(way)")
      let refused = try await errand(trusted + ["--tlsv1.3"])
      #expect(refused.status == 35, "\(way): \(refused.errors)")
    }
  }

  @Test func aCertificateThatIsWrongIsToldInWords() async throws {
    let cases: [(CertificateSpec, String)] = [
      (.expired, "expired on 2021-01-01"), (.notYetValid, "2098-01-01"), (.wrongName, "a.example.com"), (.selfSigned, "signed by itself"),
      (.unknownIssuer, "Errand Test Other Root"),
    ]
    let root = try await TestCertificates.shared.rootFile
    for (spec, words) in cases {
      let identity = try await TestCertificates.shared.identity(spec)
      let server = try await OpensslServer(identity, ["-www"])
      defer { server.stop() }
      let ended = try await errand(["get", "--direct", "https://localhost:\(server.port)/", "--cacert", root])
      #expect(ended.status == 35)
      #expect(ended.errors.contains("tls: ") && ended.errors.contains(words), "\(ended.errors)")
    }
  }

  @Test func theDaemonTellsHowItConnected() async throws {
    let scene = try await TransportScene()
    defer { scene.nginx.stop() }
    let daemon = try await RunningDaemon()
    let password = TestIdentity.keyPassword
    for _ in 0..<2 {
      let event = try await daemon.errand(
        "submit", scene.restricted, "--wait", "--cacert", scene.root, "--cert", scene.client.certificateFile, "--cert-key",
        scene.client.encryptedKeyFile, "--pass", password)
      #expect(event.text.contains("\"http_version\":\"2\""), "\(event.text) \(event.errors)")
    }
    let verbose = try await daemon.errand("get", "-v", "-i", scene.secure, "--cacert", scene.root)
    #expect(verbose.errors.contains("HTTP/2, 1 attempt") && verbose.errors.contains(", tls "), "\(verbose.errors)")
    #expect(verbose.text.hasPrefix("HTTP/2 200\r\n"))
    let first = try JsonValue.parse(try await daemon.errand("show", "1", "--json").output)
    let connection = first["connection"]
    #expect(connection?["protocol"] == "HTTP/2")
    #expect(connection?["reused"] == false)
    #expect(connection?["tls"]?["version"] == "TLSv1.3")
    #expect(connection?["tls"]?["cipher"]?.string?.hasPrefix("TLS_") == true)
    #expect(connection?["tls"]?["resumed"] == false)
    #expect(connection?["address"]?.string?.hasSuffix(":\(scene.nginx.ports[1])") == true)
    #expect(connection?["local_address"]?.string?.hasPrefix("127.0.0.1:") == true)
    #expect(first["event"]?["timings"]?["tls_us"]?.int ?? 0 > 0)
    let steps = first["timeline"]?.array?.compactMap { $0["event"]?.string } ?? []
    #expect(steps.contains("tls") && steps.contains("connected"), "\(steps)")
    let second = try JsonValue.parse(try await daemon.errand("show", "2", "--json").output)
    #expect(second["connection"]?["reused"] == true)
    #expect(second["connection"]?["id"] == connection?["id"])
    // No secret is anywhere.
    let page = try await daemon.errand("show", "1").text
    #expect(page.contains("connection.tls.version") && page.contains("TLSv1.3"))
    let listed = try await daemon.errand("list", "--json").text
    for text in [page, listed, first.description, daemon.log] {
      #expect(!text.contains("PRIVATE KEY") && !text.contains(password))
    }
    await daemon.stop()
  }

  @Test func theConfigurationSaysWhomTheDaemonTrustsAndWhoItIs() async throws {
    let scene = try await TransportScene()
    defer { scene.nginx.stop() }
    let directory = try TemporaryDirectory()
    let password = try directory.write("password", Array("\(TestIdentity.keyPassword)\n".utf8))
    let client = """
      cert_file: "\(scene.client.certificateFile)", key_file: "\(scene.client.encryptedKeyFile)", key_password_file: "\(password)"
      """
    let daemon = try await RunningDaemon(
      configuration: """
        {client: {
          tls: {ca_file: "\(scene.root)"},
          services: {vault: {max_in_flight: 1, tls: {ca_file: "\(scene.root)", \(client)}}, blind: {tls: {verify: false}}},
        }}
        """)
    #expect(try await daemon.errand("get", scene.secure).text.hasPrefix("HTTP/2.0"))
    #expect(try await daemon.errand("get", scene.restricted).text.contains("No required SSL certificate"))
    #expect(try await daemon.errand("get", scene.restricted, "--service", "vault").text.contains("[CN=client]"))
    let unknown = try await daemon.errand("get", scene.secure, "--service", "valut")
    #expect(unknown.status == 4)
    #expect(unknown.errors.contains("/service") && unknown.errors.contains("vault"), "\(unknown.errors)")
    for _ in 0..<2 { #expect(try await daemon.errand("get", scene.secure, "--service", "blind").status == 0) }
    await daemon.stop()
    #expect(daemon.log.contains("client.services.blind.tls.verify"))
    #expect(daemon.log.split(separator: "\n").count { $0.contains("level=warning") && $0.contains("localhost") } == 1, "\(daemon.log)")
  }

  @Test func aDaemonDoesNotStartWithFilesOfNoUse() async throws {
    let directory = try TemporaryDirectory()
    let client = try await TestCertificates.shared.identity(.client)
    let faults = [
      ("{client: {tls: {ca_file: '/nonexistent/ca.pem'}}}", "client.tls: the CA file /nonexistent/ca.pem can't be read"),
      ("{client: {tls: {ca_file: '\(client.keyFile)'}}}", "has no certificate"),
      ("{client: {tls: {cert_file: '\(client.certificateFile)', key_file: '\(client.encryptedKeyFile)'}}}", "it needs its password"),
      ("{client: {tls: {ciphers: 'nonsense'}}}", "client.tls: the list of ciphers"),
      ("{client: {services: {a: {tls: {ca_directory: '\(directory.path)'}}}}}", "client.services.a.tls: the CA directory"),
    ]
    for (text, words) in faults {
      let file = try directory.write("faulty.json5", Array(text.utf8))
      let checked = try await RunningProgram([Programs.path("errandd"), "--check-config", "--config", file, "--state-dir", directory.path])
        .wait()
      #expect(checked.status == 2)
      #expect(checked.errors.contains(words), "\(checked.errors)")
    }
  }
}
