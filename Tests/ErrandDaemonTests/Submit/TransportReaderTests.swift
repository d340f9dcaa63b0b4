import Errand
import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct TransportReaderTests {
  private static let pin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  private static var rules: SubmissionRules {
    var rules = SubmissionRules()
    rules.connecting.tls.caPem = "ours\n"
    rules.connecting.tls.certificatePem = "our certificate"
    rules.connecting.tls.keyPem = "our key"
    var own = TlsSettings()
    own.minVersion = .tls13
    rules.connecting.services = ["own": .init(tls: own, proxy: ProxyChoice.none), "plain": .init()]
    return rules
  }

  private func read(_ members: String) throws -> HttpRequest {
    try SubmissionReader(rules: Self.rules).read(JsonValue.parse(Array("{\"url\": \"https://h/\", \(members)}".utf8))).request
  }

  @Test func `what a request says of TLS stands above the settings`() throws {
    let tls = try #require(
      try read(
        """
        "tls": {"ca_pem": "theirs", "cert_pem": "c", "key_pem": "k", "key_password": "p", "pins": ["\(Self.pin)"], "pin_mode": "pin-only",
         "min_version": "1.3", "ciphers": "X", "cipher_suites": "Y", "verify": false}
        """
      ).tls)
    #expect(tls.caPem == "ours\ntheirs")
    #expect(tls.useSystemStore)
    #expect(tls.certificatePem == "c")
    #expect(tls.keyPem == "k")
    #expect(tls.keyPassword == "p")
    #expect(tls.pins == [Self.pin])
    #expect(tls.pinMode == .pinOnly)
    #expect(tls.minVersion == .tls13)
    #expect(tls.ciphers == "X")
    #expect(tls.cipherSuites == "Y")
    #expect(!tls.verify)
  }

  @Test func `what a request leaves out is as in the settings`() throws {
    #expect(try read("\"tag\": 1").tls == nil)
    #expect(try read("\"tls\": {}").tls == Self.rules.connecting.tls)
    #expect(try read("\"tls\": {\"ca_pem\": null, \"verify\": null}").tls == Self.rules.connecting.tls)
    #expect(try read("\"tls\": {\"cert_pem\": \"c\"}").tls?.keyPem == nil)
    let only = try read("\"tls\": {\"ca_pem\": \"theirs\", \"ca_only\": true}").tls
    #expect(only?.caPem == "theirs")
    #expect(only?.useSystemStore == false)
  }

  @Test func `a service brings its own ways`() throws {
    let own = try read("\"service\": \"own\"")
    #expect(own.service == "own")
    #expect(own.tls?.minVersion == .tls13)
    #expect(own.tls?.caPem == nil)
    #expect(own.proxy == ProxyChoice.none)
    let above = try read("\"service\": \"own\", \"tls\": {\"min_version\": \"1.2\"}, \"proxy\": \"http://p:1\"")
    #expect(above.tls?.minVersion == .tls12)
    #expect(above.proxy == .url("http://p:1", noProxy: ""))
    let plain = try read("\"service\": \"plain\"")
    #expect(plain.tls == nil)
    #expect(plain.proxy == nil)
  }

  @Test func `routes, versions, priorities and retries are read`() throws {
    let request = try read(
      """
      "proxy": "socks5h://u:p@h:1", "no_proxy": "a,b", "http_version": "2", "priority": -128,
      "resolve": {"a.example:443": ["127.0.0.1", "::1"], "b.example": "192.0.2.1", "[::1]:80": ["::2"], "*": ["192.0.2.2"]},
      "retry": {"max": 3, "statuses": [500], "errors": ["dns", "idle_timeout"], "base_delay_ms": 1, "max_delay_ms": 2}
      """)
    #expect(request.proxy == .url("socks5h://u:p@h:1", noProxy: "a,b"))
    #expect(request.httpVersion == .http2)
    #expect(request.priority == -128)
    #expect(
      request.resolve.map(\.description) == ["a.example:443:127.0.0.1,::1", "b.example:*:192.0.2.1", "[::1]:80:::2", "*:*:192.0.2.2"])
    #expect(request.retry.max == 3)
    #expect(request.retry.statuses == [500])
    #expect(request.retry.errors == [.dns, .idleTimeout])
    #expect(request.retry.baseDelay == .milliseconds(1))
    #expect(request.retry.maxDelay == .milliseconds(2))
    #expect(try read("\"proxy\": \"none\"").proxy == ProxyChoice.none)
  }

  /// A member, the field that the problem must name, and its kind.
  static let faults: [(member: String, field: String, kind: String)] = [
    ("\"tls\": 1", "/tls", "wrong_type"),
    ("\"tls\": {\"ca_file\": \"/x\"}", "/tls/ca_file", "unknown_field"),
    ("\"tls\": {\"ca_pem\": 1}", "/tls/ca_pem", "wrong_type"),
    ("\"tls\": {\"ca_pem\": \"nothing\"}", "/tls/ca_pem", "invalid_value"),
    ("\"tls\": {\"ca_only\": true}", "/tls/ca_only", "invalid_value"),
    ("\"tls\": {\"ca_only\": \"yes\"}", "/tls/ca_only", "wrong_type"),
    ("\"tls\": {\"cert_pem\": \"nothing\"}", "/tls/cert_pem", "invalid_value"),
    ("\"tls\": {\"key_pem\": \"k\"}", "/tls/key_pem", "invalid_value"),
    ("\"tls\": {\"key_password\": \"k\"}", "/tls/key_password", "invalid_value"),
    ("\"tls\": {\"pins\": \"sha256//x\"}", "/tls/pins", "wrong_type"),
    ("\"tls\": {\"pins\": [\"sha1//x\"]}", "/tls/pins/0", "invalid_value"),
    ("\"tls\": {\"pins\": [1]}", "/tls/pins/0", "wrong_type"),
    ("\"tls\": {\"pin_mode\": \"loose\"}", "/tls/pin_mode", "invalid_value"),
    ("\"tls\": {\"pin_mode\": \"pin-only\"}", "/tls/pin_mode", "invalid_value"),
    ("\"tls\": {\"min_version\": \"1.1\"}", "/tls/min_version", "invalid_value"),
    ("\"tls\": {\"min_version\": 1.2}", "/tls/min_version", "wrong_type"),
    ("\"tls\": {\"ciphers\": \"nonsense\"}", "/tls/ciphers", "invalid_value"),
    ("\"tls\": {\"cipher_suites\": \"nonsense\"}", "/tls/cipher_suites", "invalid_value"),
    ("\"tls\": {\"verify\": 0}", "/tls/verify", "wrong_type"),
    ("\"proxy\": 1", "/proxy", "wrong_type"),
    ("\"proxy\": \"ftp://u:secret@h\"", "/proxy", "invalid_value"),
    ("\"no_proxy\": \"h\"", "/no_proxy", "invalid_value"),
    ("\"proxy\": \"http://h\", \"no_proxy\": []", "/no_proxy", "wrong_type"),
    ("\"resolve\": []", "/resolve", "wrong_type"),
    ("\"resolve\": {\"a:80\": 1}", "/resolve/a:80", "wrong_type"),
    ("\"resolve\": {\"a:80\": []}", "/resolve/a:80", "invalid_value"),
    ("\"resolve\": {\"a:80\": [\"b\"]}", "/resolve/a:80", "invalid_value"),
    ("\"resolve\": {\"a:80\": [\"127.0.0.1\", 1]}", "/resolve/a:80/1", "wrong_type"),
    ("\"resolve\": {\"a:x\": [\"127.0.0.1\"]}", "/resolve/a:x", "invalid_value"),
    ("\"resolve\": {\"a/b\": [\"127.0.0.1\"]}", "/resolve/a~1b", "invalid_value"),
    ("\"http_version\": 2", "/http_version", "wrong_type"),
    ("\"http_version\": \"3\"", "/http_version", "invalid_value"),
    ("\"priority\": \"high\"", "/priority", "wrong_type"),
    ("\"priority\": 128", "/priority", "invalid_value"),
    ("\"service\": 1", "/service", "wrong_type"),
    ("\"service\": \"none\"", "/service", "invalid_value"),
    ("\"retry\": {\"statuses\": 500}", "/retry/statuses", "wrong_type"),
    ("\"retry\": {\"statuses\": [99]}", "/retry/statuses/0", "invalid_value"),
    ("\"retry\": {\"errors\": [\"tls\"]}", "/retry/errors/0", "invalid_value"),
    ("\"retry\": {\"base_delay_ms\": -1}", "/retry/base_delay_ms", "invalid_value"),
    ("\"retry\": {\"max_delay_ms\": \"1\"}", "/retry/max_delay_ms", "wrong_type"),
    ("\"proxy\": \"http://h\", \"unix_socket\": \"/x\"", "/proxy", "invalid_request"),
  ]

  @Test func `each wrong member is refused with problem details that name it, alone and in a batch`() async throws {
    try await TestDaemon.with { test in
      for (member, field, kind) in Self.faults {
        let body = "{\"url\": \"https://h/\", \(member)}"
        let answer = try await test.submit(body)
        #expect(answer.status == 400, "\(member): \(answer.text)")
        #expect(answer.json["type"]?.string == "urn:errand:problem:\(kind)", "\(member): \(answer.text)")
        #expect(answer.json["field"]?.string == field, "\(member): \(answer.text)")
        #expect(!answer.text.contains("secret"))
      }
      let lines = Self.faults.map { "{\"url\": \"https://h/\", \($0.member)}" }
      let batch = try await test.batch(lines).lines
      #expect(batch.map { $0["field"]?.string } == Self.faults.map(\.field))
      #expect(batch.compactMap { $0["line"]?.int } == (1...Int64(lines.count)).map { $0 })
      #expect(try await test.get("/v1/requests").json["requests"]?.array == [])
    }
  }

  @Test func `a key that takes long to open holds up nobody else`() async throws {
    let client = try await TestCertificates.shared.identity(.client)
    let directory = try TemporaryDirectory()
    let slow = directory.file("slow.pem")
    let made = try await Command.run(
      "openssl", "pkcs8", "-topk8", "-in", client.keyFile, "-out", slow, "-iter", "3000000", "-passout", "pass:p")
    try #require(made.status == 0, "\(made.text)")
    func text(_ path: String) throws -> String { JsonValue.string(try #require(try StateFile.read(path))).description }
    let tls = "{\"cert_pem\": \(try text(client.certificateFile)), \"key_pem\": \(try text(slow)), \"key_password\": \"p\"}"
    try await TestDaemon.with { test in
      let isAnswered = Locked(false)
      async let waiting = {
        let answer = try await test.submit("{\"url\": \"https://127.0.0.1:1/\", \"tls\": \(tls)}")
        isAnswered.withLock { $0 = true }
        return answer.status
      }()
      for _ in 0..<20 {
        let event = try await test.outcome(path: "/json")
        #expect(event["type"] == "finished")
      }
      #expect(!isAnswered.withLock { $0 })
      let status = try await waiting
      #expect(status == 202)
    }
  }

  @Test func `a key that does not open is told, with its member`() async throws {
    let client = try await TestCertificates.shared.identity(.client)
    let other = try await TestCertificates.shared.identity(.localhost)
    func text(_ path: String) throws -> String { JsonValue.string(try #require(try StateFile.read(path))).description }
    let certificate = try text(client.certificateFile)
    let cases = [
      ("\"cert_pem\": \(certificate)", "/tls/cert_pem", "has no private key"),
      ("\"cert_pem\": \(certificate), \"key_pem\": \(try text(client.encryptedKeyFile))", "/tls/key_pem", "needs its password"),
      (
        "\"cert_pem\": \(certificate), \"key_pem\": \(try text(client.encryptedKeyFile)), \"key_password\": \"wrong-secret\"",
        "/tls/key_pem", "password does not open"
      ),
      ("\"cert_pem\": \(certificate), \"key_pem\": \(try text(other.keyFile))", "/tls/key_pem", "does not belong"),
    ]
    try await TestDaemon.with { test in
      for (members, field, words) in cases {
        let answer = try await test.submit("{\"url\": \"https://h/\", \"tls\": {\(members)}}")
        #expect(answer.status == 400)
        #expect(answer.json["field"]?.string == field, "\(answer.text)")
        #expect(answer.json["detail"]?.string?.contains(words) == true, "\(answer.text)")
        #expect(!answer.text.contains("wrong-secret") && !answer.text.contains("PRIVATE KEY-----"))
      }
    }
  }
}
