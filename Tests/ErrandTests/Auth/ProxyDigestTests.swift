import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite("Digest to proxies", .oneAtATime, .timeLimit(.minutes(2)))
struct ProxyDigestTests {
  /// A client, a proxy that wants Digest, its URL with and without the right password, and an origin that answers with the Authorization it saw.
  private func withProxy(
    _ change: (inout DigestServer.Settings) -> Void = { _ in },
    _ body: (HttpClient, PeerProcess, _ right: String, _ wrong: String, ScriptedPeer) async throws -> Void
  ) async throws {
    var settings = DigestServer.Settings()
    settings.isProxy = true
    settings.user = "user"
    settings.password = "hush"
    settings.algorithms = ["SHA-256"]
    change(&settings)
    let proxy = try DigestServer.start(settings)
    let port = try await proxy.line(after: "port ")
    try await scene {
      $0.answer($1.head.headers["Authorization"] ?? "none")
    } test: { client, peer in
      try await body(client, proxy, "http://user:hush@127.0.0.1:\(port)", "http://user:wrong@127.0.0.1:\(port)", peer)
      await client.onLoop { $0.dropIdleConnections() }
      proxy.end()
    }
  }

  /// `STATUS METHOD WHY` of each request that the proxy saw.
  private func seen(_ proxy: PeerProcess) -> [String] {
    proxy.output.split(separator: "\n").filter { $0.hasPrefix("seen ") }.map { line in
      let words = line.split(separator: " ")
      return "\(words[1]) \(words[2]) \(words[4])"
    }
  }

  @Test("a forwarding proxy's challenge is answered, and the next request says it at once")
  func forward() async throws {
    try await withProxy { client, proxy, right, wrong, _ in
      for index in 0..<3 {
        var request = HttpRequest.through(right, "http://a.test/\(index)?x")
        request.credentials = .bearer("for-the-origin")
        try await client.expect("ok", request)
      }
      #expect(seen(proxy) == ["407 GET wrong", "200 GET ok", "200 GET ok", "200 GET ok"])
      let error = try await client.failure(.through(wrong, "http://a.test/"))
      #expect(error.code == .httpStatus && error.status == 407 && !"\(error)".contains("wrong@"))
      #expect(seen(proxy).count == 6)
    }
  }

  @Test("CONNECT is answered over another connection, and the next one says it at once; the origin sees nothing of it")
  func connect() async throws {
    try await withProxy { _, proxy, right, wrong, peer in
      var configuration = HttpClient.Configuration.test
      configuration.tls = try await .test()
      let client = HttpClient(configuration)
      let relay = try await PythonPeer(
        PeerScripts.tlsRelay, try await PeerScripts.identity(.localhost), "\(await peer.address.port ?? 0)")
      let url = "https://localhost:\(relay.port)/"
      for _ in 0..<3 {
        let request = HttpRequest.through(right, url) {
          $0.httpVersion = .http1
          $0.headers = ["Connection": "close"]
          $0.credentials = .bearer("mine")
        }
        try await client.expect("Bearer mine", request)
      }
      #expect(seen(proxy) == ["407 CONNECT wrong", "200 CONNECT ok", "200 CONNECT ok", "200 CONNECT ok"])
      #expect(peer.requests.all.allSatisfy { !$0.head.headers.contains("Proxy-Authorization") })
      #expect(!proxy.output.contains("Bearer"))

      let error = try await client.failure(.through(wrong, url) { $0.httpVersion = .http1 })
      #expect(error.code == .connect && error.sent == .notSent && !error.retryable && error.attempts == 1)
      #expect(error.message.contains("does not take the credentials it got") && !error.message.contains("wrong"), "\(error)")
      #expect(seen(proxy).suffix(2) == ["407 CONNECT wrong", "407 CONNECT wrong"])
      let none = try await client.failure(.through(right.replacing("user:hush@", with: ""), url) { $0.httpVersion = .http1 })
      #expect(none.code == .connect && none.message.contains("asks for credentials"), "\(none)")
      await expectNothingLeft(client)
      relay.stop()
    }
  }

  @Test("a proxy behind TLS is answered over TLS: forwarded requests, and CONNECT with TLS to the origin in it")
  func overTls() async throws {
    try await withProxy { _, proxy, right, wrong, peer in
      var configuration = HttpClient.Configuration.test
      configuration.tls = try await .test()
      configuration.proxyTls = configuration.tls
      let client = HttpClient(configuration)
      let identity = try await PeerScripts.identity(.localhost)
      let toProxy = try await PythonPeer(PeerScripts.tlsRelay, identity, right.split(separator: ":").last.map(String.init) ?? "")
      let toOrigin = try await PythonPeer(PeerScripts.tlsRelay, identity, "\(await peer.address.port ?? 0)")
      func proxied(_ password: String, _ url: String) -> HttpRequest {
        .through("https://user:\(password)@localhost:\(toProxy.port)", url) {
          $0.httpVersion = .http1
          $0.headers = ["Connection": "close"]
          $0.credentials = .bearer("mine")
        }
      }
      let url = "https://localhost:\(toOrigin.port)/"
      for _ in 0..<3 { try await client.expect("Bearer mine", proxied("hush", url)) }
      for _ in 0..<2 { try await client.expect("ok", proxied("hush", "http://a.test/x")) }
      #expect(seen(proxy) == ["407 CONNECT wrong", "200 CONNECT ok", "200 CONNECT ok", "200 CONNECT ok", "200 GET ok", "200 GET ok"])
      #expect(peer.requests.all.allSatisfy { !$0.head.headers.contains("Proxy-Authorization") })

      let error = try await client.failure(proxied("wrong", url))
      #expect(error.code == .connect && error.sent == .notSent && !error.retryable && error.attempts == 1)
      #expect(error.message.contains("does not take the credentials it got") && !error.message.contains("wrong"), "\(error)")
      let forwarded = try await client.failure(proxied("wrong", "http://a.test/x"))
      #expect(forwarded.status == 407)
      await expectNothingLeft(client)
      toProxy.stop()
      toOrigin.stop()
    }
  }

  @Test("a nonce of the proxy's that went stale is replaced")
  func stale() async throws {
    try await withProxy {
      $0.uses = 1
    } _: { client, proxy, right, _, _ in
      for index in 0..<3 { try await client.expect("ok", .through(right, "http://a.test/\(index)")) }
      #expect(seen(proxy) == ["407 GET wrong", "200 GET ok", "407 GET stale", "200 GET ok", "407 GET stale", "200 GET ok"])
    }
  }

  @Test("an origin's 407, and a proxy's without credentials, are answers like others")
  func others() async throws {
    try await scene { connection, _ in
      connection.answer("no", status: 407, fields: "Proxy-Authenticate: Digest realm=a, nonce=b\r\n")
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.credentials = .any(user: "user", password: "hush")
      let direct = try await client.failure(request)
      #expect(direct.status == 407 && direct.attempts == 1)
      let through = try await client.failure(.through("http://127.0.0.1:\(await peer.address.port ?? 0)", "http://a.test/"))
      #expect(through.status == 407 && through.attempts == 1)
      #expect(peer.requests.all.allSatisfy { !$0.head.headers.contains("Proxy-Authorization") })
    }
  }
}
