import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Plain `http` through an HTTP proxy: the request itself is handed over.
@Suite("Requests handed to an HTTP proxy", .oneAtATime, .timeLimit(.minutes(2)))
struct ForwardProxyTests {
  /// The scripted peer plays the proxy.
  private func proxy(_ peer: ScriptedPeer, _ userInfo: String = "") async -> String {
    "http://\(userInfo)127.0.0.1:\(await peer.address.port ?? 0)"
  }

  // MARK: What is sent

  @Test("the target is the whole URL, byte for byte, and Host is the origin's")
  func wholeUrl() async throws {
    try await scene {
      $0.answer($1.target)
    } test: { client, peer in
      let proxy = await proxy(peer)
      let cases = [
        ("http://a.test", "http://a.test/", "a.test"), ("http://A.test:80/x?y=%20#z", "http://a.test/x?y=%20", "a.test"),
        ("http://a.test:81//x/../y;z?", "http://a.test:81//x/../y;z?", "a.test:81"),
        ("http://[::1]:8080/", "http://[::1]:8080/", "[::1]:8080"),
      ]
      for (url, target, host) in cases {
        try await client.expect(target, .through(proxy, url))
        #expect(peer.requests.all.last?.head.headers.values("Host") == [host])
      }
      #expect(peer.accepted.count == 1, "one connection to the proxy for all hosts")
      #expect(peer.requests.all.allSatisfy { $0.head.headers["Proxy-Authorization"] == nil })
    }
  }

  @Test("the proxy's credentials go to the proxy, beside the origin's, and a field of the caller's comes before them")
  func credentials() async throws {
    try await scene {
      $0.answer()
      _ = $1
    } test: { client, peer in
      let proxy = await proxy(peer, "us%65r:p%3Aw@")
      _ = try await client.send(.through(proxy, "http://a.test/") { $0.headers = ["Authorization": "Bearer mine"] })
      let own = HttpRequest.through(proxy, "http://a.test/") { $0.headers = ["proxy-authorization": "Bearer other"] }
      _ = try await client.send(own)
      let seen = peer.requests.all.map(\.head.headers)
      #expect(seen[0].values("Proxy-Authorization") == ["Basic dXNlcjpwOnc="])
      #expect(seen[0].values("Authorization") == ["Bearer mine"])
      #expect(seen[1].values("Proxy-Authorization") == ["Bearer other"])
    }
  }

  @Test("a body goes through, and so does one that waits for 100 (Continue)")
  func bodies() async throws {
    try await scene {
      $0.answer("\($1.bodyCount)")
    } test: { client, peer in
      await peer.watchHeads { connection, head in
        if head.headers["Expect"] != nil { connection.write("HTTP/1.1 100 Continue\r\n\r\n") }
        return false
      }
      let request = HttpRequest.through(await proxy(peer), "http://a.test/") { $0.body = .bytes([UInt8](repeating: 0, count: 100_000)) }
      try await client.expect("100000", request)
      var expecting = request
      expecting.headers = ["Expect": "100-continue"]
      try await client.expect("100000", expecting)
    }
  }

  // MARK: Connections

  @Test("overrides stand in for the proxy's name, not for the origin's")
  func overrides() async throws {
    try await scene {
      $0.answer($1.target)
    } test: { client, peer in
      let proxy = "http://proxy.test:\(await peer.address.port ?? 0)"
      let overrides = try ["proxy.test:*:127.0.0.1", "a.test:*:127.0.0.2"].map { try ResolveOverride(parsing: $0) }
      try await client.expect("http://a.test/", .through(proxy, "http://a.test/") { $0.resolve = overrides })
      try await client.expect("http://b.test/", .through(proxy, "http://b.test/") { $0.resolve = overrides })
      #expect(peer.accepted.count == 1)
    }
  }

  @Test("different credentials share no connection")
  func credentialsApart() async throws {
    try await scene {
      $0.answer()
      _ = $1
    } test: { client, peer in
      for userInfo in ["", "a:b@", "a:c@", "a:b@"] { _ = try await client.send(.through(await proxy(peer, userInfo), "http://a.test/")) }
      #expect(peer.requests.all.map(\.connection) == [1, 2, 3, 2])
    }
  }

  @Test("a request to the proxy's own address goes through it, too, over the same connections")
  func toTheProxyItself() async throws {
    try await scene {
      $0.answer($1.target)
    } test: { client, peer in
      let url = await peer.url("/x")
      try await client.expect(url, .through(await proxy(peer), url))
      try await client.expect("http://a.test/", .through(await proxy(peer), "http://a.test/"))
      #expect(peer.accepted.count == 1)
      try await client.expect("/x", HttpRequest(url))
      #expect(peer.accepted.count == 2, "a direct one is another origin")
    }
  }

  @Test("limits count for each host, not for the proxy")
  func limits() async throws {
    try await scene(.test(perHost: 1)) { connection, request in
      if !request.target.hasSuffix("/hold") { connection.answer(request.target) }
    } test: { client, peer in
      let proxy = await proxy(peer)
      let held = client.submit(.through(proxy, "http://a.test/hold"), delegate: nil)
      try await peer.requests.first(1)
      let waiting = RecordingDelegate()
      let second = client.submit(.through(proxy, "http://a.test/second"), delegate: waiting)
      try await client.expect("http://b.test/", .through(proxy, "http://b.test/"))
      let described = try #require(await client.describe(second))
      #expect(described.state == "queued" && described.host == "a.test")
      #expect(described.explanation.contains("host a.test:80: 1 of 1 connections in use"), "\(described.explanation)")
      #expect(peer.requests.count == 2)
      // b's connection is free: a's next takes it.
      #expect(await client.cancel(held).result == .cancelled)
      let told = try await waiting.outcomes.first(1)
      #expect(told[0].event.response?.text == "http://a.test/second")
      #expect(peer.requests.all.map(\.connection) == [1, 2, 2])
    }
  }

  @Test("requests are found by their own host, not by the proxy's")
  func scopes() async throws {
    try await scene { _, _ in
    } test: { client, peer in
      let proxy = await proxy(peer)
      let handle = client.submit(.through(proxy, "http://a.test/"), delegate: nil)
      client.submit(.through(proxy, "http://b.test/"), delegate: nil)
      try await peer.requests.first(2)
      #expect(await client.cancel(CancelScope(host: "127.0.0.1")).isEmpty)
      #expect(await client.cancel(CancelScope(host: "a.test")).map(\.handle) == [handle])
    }
  }

  @Test("a kept connection that the proxy closes is replaced once, where the method allows it", arguments: [HttpMethod.get, .post])
  func stale(method: HttpMethod) async throws {
    try await scene { connection, request in
      if request.connection == 1, request.number == 2 { connection.reset() } else { connection.answer(request.target) }
    } test: { client, peer in
      let proxy = await proxy(peer)
      _ = try await client.send(.through(proxy, "http://a.test/1"))
      let second = HttpRequest.through(proxy, "http://b.test/2") { $0.method = method }
      if method == .get {
        try await client.expect("http://b.test/2", second)
        #expect(peer.requests.all.map(\.connection) == [1, 1, 2])
      } else {
        let error = try await client.failure(second)
        #expect(error.code == .connectionLost && error.sent == .maybeSent)
        #expect(peer.requests.count == 2)
      }
    }
  }

  @Test("many hosts come and go over few connections, and nothing of them is left")
  func manyHosts() async throws {
    try await scene(.test { $0.maxConnections = 4 }) {
      $0.answer($1.target)
    } test: { client, peer in
      let proxy = await proxy(peer)
      let answers = Record<String>("answers")
      for number in 0..<200 {
        client.submit(.through(proxy, "http://h\(number % 50).test/")) { answers.add((try? $0.get().text) ?? "failed") }
      }
      let texts = try await answers.first(200)
      #expect(Set(texts).count == 50 && !texts.contains("failed"))
      #expect(await peer.mostOpen <= 4)
      let (inUse, hosts) = await client.slots()
      #expect(inUse == 0 && hosts == 1, "the proxy alone is remembered, for its idle connections")
    }
  }

  // MARK: What goes wrong

  @Test("a 407 is a response, and names nothing of the credentials")
  func refusedCredentials() async throws {
    try await scene { connection, _ in
      connection.answer("who?", status: 407, fields: "Proxy-Authenticate: Basic realm=x\r\n")
    } test: { client, peer in
      let error = try await client.failure(.through(await proxy(peer, "user:hush@"), "http://a.test/"))
      #expect(error.code == .httpStatus && error.status == 407 && error.response?.text == "who?")
      #expect(!"\(error)".contains("hush") && !"\(error)".contains("dXNl"))
    }
  }

  @Test("a proxy that can't be reached is an error that names it, without its credentials")
  func unreachable() async throws {
    let client = HttpClient(.test)
    let refused = try await client.failure(.through("http://user:hush@127.0.0.1:1", "http://a.test/"))
    #expect(refused.code == .connect && refused.phase == .connect && refused.retryable && refused.sent == .notSent)
    #expect(refused.message == "can't connect to the proxy http://127.0.0.1:1: 127.0.0.1:1: Connection refused")
    await expectNothingLeft(client)
    let resolver = await StubResolver()
    let nameless = HttpClient(.test { $0.resolver = resolver })
    let failure = Record<HttpClientError>("failures")
    nameless.submit(.through("http://user:hush@proxy.test", "http://a.test/")) { if case .failure(let error) = $0 { failure.add(error) } }
    try await resolver.asked.first(1)
    await resolver.answerAll(.failure(ResolveError("proxy.test has no address", isTemporary: false)))
    let unknown = try await failure.first(1)[0]
    #expect(unknown.code == .dns && !unknown.retryable && unknown.message.hasPrefix("the proxy http://proxy.test:1080: "), "\(unknown)")
    #expect(resolver.asked.all == ["proxy.test"], "the origin's name is the proxy's to resolve")
    await expectNothingLeft(nameless)
  }

  // MARK: Real

  @Test("tinyproxy takes requests, with credentials where it wants them, and the origin sees none of those")
  func tinyproxy() async throws {
    try await scene {
      $0.answer($1.target)
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      try await Tinyproxy.with(["BasicAuth user hush"]) { proxy in
        let url = "http://localhost:\(port)/path?q"
        let request = HttpRequest.through("http://user:hush@127.0.0.1:\(proxy)", url) { $0.headers = ["Authorization": "Bearer mine"] }
        for _ in 0..<3 { try await client.expect("/path?q", request) }
        let seen = peer.requests.all
        #expect(seen.allSatisfy { $0.head.headers["Proxy-Authorization"] == nil && $0.head.headers["Authorization"] == "Bearer mine" })
        #expect(seen.allSatisfy { $0.head.headers["Host"] == "localhost:\(port)" })
        for userInfo in ["", "user:wrong@"] {
          let error = try await client.failure(.through("http://\(userInfo)127.0.0.1:\(proxy)", url))
          #expect(error.code == .httpStatus && (error.status == 407 || error.status == 401), "\(error)")
        }
        #expect(peer.requests.count == 3)
      }
    }
  }
}
