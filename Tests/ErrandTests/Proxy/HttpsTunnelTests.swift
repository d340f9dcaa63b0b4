import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// `https` through tunnels, and through TLS to the proxy itself.
@Suite("HTTPS and proxies", .oneAtATime, .timeLimit(.minutes(2)))
struct HttpsTunnelTests {
  /// Runs a test with a scripted origin, and what ends TLS before it: the port of that is given.
  private func httpsScene(
    _ change: (inout HttpClient.Configuration) -> Void = { _ in }, _ script: @escaping ScriptedPeer.Script,
    test: (HttpClient, ScriptedPeer, UInt16) async throws -> Void
  ) async throws {
    var configuration = HttpClient.Configuration.test
    configuration.tls = try await .test()
    configuration.proxyTls = configuration.tls
    change(&configuration)
    try await scene(configuration, script) { client, peer in
      let relay = try await relay(to: await peer.address.port ?? 0)
      try await test(client, peer, relay.port)
      relay.stop()
    }
  }

  private func relay(to port: UInt16) async throws -> PythonPeer {
    try await PythonPeer(PeerScripts.tlsRelay, try await PeerScripts.identity(.localhost), "\(port)")
  }

  @Test("tinyproxy opens a tunnel, once for many requests; the origin sees nothing of the credentials")
  func tinyproxy() async throws {
    try await httpsScene {
      $0.answer($1.target)
    } test: { client, peer, port in
      try await Tinyproxy.with(["BasicAuth user hush", "ConnectPort \(port)"]) { proxy in
        let url = "https://localhost:\(port)"
        let request = HttpRequest.through("http://user:hush@127.0.0.1:\(proxy)", url + "/path?q") {
          $0.headers = ["Authorization": "Bearer mine"]
          $0.httpVersion = .http1
        }
        for _ in 0..<3 { try await client.expect("/path?q", request) }
        #expect(peer.requests.all.map(\.connection) == [1, 1, 1])
        for seen in peer.requests.all.map(\.head.headers) {
          #expect(seen["Proxy-Authorization"] == nil && seen["Authorization"] == "Bearer mine" && seen["Host"] == "localhost:\(port)")
        }
        let without = try await client.failure(.through("http://127.0.0.1:\(proxy)", url))
        #expect(without.code == .connect && without.phase == .connect && !without.retryable && without.sent == .notSent)
        #expect(without.message.hasPrefix("the proxy http://127.0.0.1:\(proxy) asks for credentials (407 "), "\(without)")
        let wrong = try await client.failure(.through("http://user:wrong@127.0.0.1:\(proxy)", url))
        #expect(wrong.code == .connect && !wrong.retryable && !"\(wrong)".contains("wrong"), "\(wrong)")
        let forbidden = try await client.failure(.through("http://user:hush@127.0.0.1:\(proxy)", "https://localhost:1/"))
        #expect(forbidden.code == .connect && forbidden.message.contains("refused the tunnel to localhost:1: "), "\(forbidden)")
        let own = HttpRequest.through("http://127.0.0.1:\(proxy)", url) { $0.headers = ["Proxy-Authorization": "Basic x"] }
        let refused = try await client.failure(own)
        #expect(refused.code == .invalidRequest && refused.field == "headers")
      }
      #expect(peer.requests.count == 3)
    }
  }

  @Test("Dante's tunnels carry it, too", arguments: ["socks5", "socks5h"])
  func dante(kind: String) async throws {
    try await httpsScene {
      $0.answer($1.target)
    } test: { client, peer, port in
      try await Dante.with { proxy in
        let request = HttpRequest.through("\(kind)://127.0.0.1:\(proxy)", "https://localhost:\(port)/x") { $0.httpVersion = .http1 }
        for _ in 0..<3 { try await client.expect("/x", request) }
      }
      #expect(peer.accepted.count == 1)
    }
  }

  @Test("the environment's https_proxy is for https alone")
  func environment() async throws {
    try await httpsScene {
      $0.answer($1.target)
    } test: { _, peer, port in
      let direct = await peer.url("/direct")
      try await Tinyproxy.with(["ConnectPort \(port)"]) { proxy in
        let tls = try await TlsSettings.test()
        let client = HttpClient(
          .test {
            $0.proxy = .environment
            $0.tls = tls
          }, environment: ProxyEnvironment(["https_proxy": "http://127.0.0.1:\(proxy)", "no_proxy": "127.0.0.1"]))
        try await client.expect("/direct", HttpRequest(direct))
        let handle = RecordingSink()
        await client.onLoop { _ = $0.submitOnLoop(HttpRequest("https://localhost:\(port)/tunnelled"), sink: handle) }
        let outcome = try await handle.outcomes.first(1)[0].outcome
        guard case .finished(let response) = outcome else {
          Issue.record("\(outcome)")
          return
        }
        #expect(response.text == "/tunnelled")
        await expectNothingLeft(client)
      }
    }
  }

  @Test("a certificate of the origin's that is wrong is the origin's error, through whatever tunnel")
  func wrongCertificate() async throws {
    let server = try await NginxServer.serving([.expired])
    try await tlsScene { client in
      try await Tinyproxy.with(["ConnectPort \(server.port)"]) { proxy in
        let error = try await client.failure(.through("http://127.0.0.1:\(proxy)", "https://localhost:\(server.port)/"))
        #expect(error.code == .tls && error.phase == .tls && error.message.contains("expired on") && !error.message.contains("proxy"))
      }
    }
  }

  @Test("a proxy that says more than its answer before TLS is refused")
  func surplus() async throws {
    let tls = try await TlsSettings.test()
    try await proxyScene(.test { $0.tls = tls }) { connection in
      guard connection.takeHead() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\n\r\nX")
    } test: { client, proxy in
      let error = try await client.failure(.through("http://127.0.0.1:\(await proxy.port)", "https://a.test/"))
      #expect(error.code == .connect && error.message.hasSuffix(" sent more than its answer to CONNECT a.test:443"), "\(error)")
    }
  }

  @Test("behind a tunnel that leads nowhere the handshake is cut, and no request was sent")
  func cutHandshake() async throws {
    let tls = try await TlsSettings.test()
    try await proxyScene(.test { $0.tls = tls }) { connection in
      if connection.takeHead() != nil { connection.write("HTTP/1.1 200 OK\r\n\r\n") }
      if !connection.received.isEmpty { connection.close() }
    } test: { client, proxy in
      let error = try await client.failure(.through("http://127.0.0.1:\(await proxy.port)", "https://a.test/"))
      #expect(error.code == .tls && error.sent == .notSent && error.retryable, "\(error)")
    }
  }

  // MARK: TLS to the proxy

  @Test("a proxy behind TLS takes requests for all hosts over one connection, with its credentials")
  func forwardOverTls() async throws {
    try await httpsScene {
      $0.answer($1.target)
    } test: { client, peer, port in
      let proxy = "https://user:hush@localhost:\(port)"
      for host in ["a.test", "b.test", "a.test"] { try await client.expect("http://\(host)/x", .through(proxy, "http://\(host)/x")) }
      #expect(peer.accepted.count == 1)
      #expect(peer.requests.all.allSatisfy { $0.head.headers["Proxy-Authorization"] == "Basic dXNlcjpodXNo" })
    }
  }

  @Test("a proxy whose certificate is wrong gets nothing, least of all its credentials")
  func untrustedProxy() async throws {
    try await httpsScene {
      $0.proxyTls = TlsSettings()
    } _: {
      $0.answer($1.target)
    } test: { client, peer, port in
      for url in ["http://a.test/", "https://a.test/"] {
        let error = try await client.failure(.through("https://user:hush@localhost:\(port)", url))
        #expect(error.code == .tls && error.phase == .tls && error.sent == .notSent && !error.retryable, "\(error)")
        #expect(
          error.message.hasPrefix("the proxy https://localhost:\(port): unknown issuer") && !error.message.contains("hush"), "\(error)")
      }
      #expect(peer.requests.count == 0)
    }
  }

  @Test(
    "large bodies go up and down through TLS to the proxy and TLS to the origin within it", arguments: [HttpVersionChoice.http1, .http2])
  func tlsInTls(version: HttpVersionChoice) async throws {
    let directory = try TemporaryDirectory()
    let content = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let identity = try await TestCertificates.shared.identity(.localhost)
    let server = try await NginxServer { ports in
      """
      server { listen 127.0.0.1:\(ports[0]) ssl http2; ssl_certificate \(identity.chainFile); ssl_certificate_key \(identity.keyFile);
        client_max_body_size 20m; root \(directory.path); location / { dav_methods PUT; }
      }
      """
    }
    let trusted = try await TlsSettings.test()
    try await Tinyproxy.with(["ConnectPort \(server.port)"]) { tinyproxy in
      let relay = try await relay(to: tinyproxy)
      try await tlsScene {
        $0.proxy = .url("https://localhost:\(relay.port)", noProxy: "")
        $0.proxyTls = trusted
      } test: { client in
        var request = HttpRequest("https://localhost:\(server.port)/big", method: .put, body: .bytes(content))
        request.httpVersion = version
        let made = try await client.response(request)
        #expect(made.status == 201)
        (request.method, request.body) = (.get, nil)
        for _ in 0..<2 {
          let response = try await client.response(request)
          #expect(response.body == content)
        }
        #expect(await client.stats().connectionsOpened == 1)
      }
      relay.stop()
    }
  }

  @Test("cancels while TLS with a silent proxy is agreed on leave nothing behind")
  func cancelledInTls() async throws {
    let tls = try await TlsSettings.test()
    try await proxyScene(.test { $0.proxyTls = tls }) { _ in
    } test: { client, proxy in
      let url = "https://127.0.0.1:\(await proxy.port)"
      let handles = (0..<10).map { client.submit(.through(url, "http://h\($0).test/"), delegate: nil) }
      try await proxy.accepted.first(10)
      for handle in handles { try await client.wait(for: handle) { $0.attempt?.connector.explanation.contains("handshake") == true } }
      let explanation = await client.describe(handles[0])?.explanation ?? ""
      #expect(explanation.hasPrefix("is in the TLS handshake with the proxy \(url), "), "\(explanation)")
      #expect(try await client.cancelEach(handles).allSatisfy { $0.result == .cancelled && $0.sent == .notSent })
      _ = try await proxy.closed.first(10)
    }
  }
}
