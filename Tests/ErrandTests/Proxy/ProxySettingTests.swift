import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Which proxy a client's requests go through, and which are refused for it.
@Suite("The choice of a proxy, by client, request and environment", .oneAtATime, .timeLimit(.minutes(1)))
struct ProxySettingTests {
  /// Runs a test with a peer that is both origin and proxy: the form of the target tells which.
  private func choosing(
    _ choice: ProxyChoice, _ variables: [String: String], _ test: (HttpClient, ScriptedPeer, String) async throws -> Void
  ) async throws {
    try await scene {
      $0.answer($1.target.hasPrefix("http:") ? "proxied" : "direct")
    } test: { _, peer in
      let port = await peer.address.port ?? 0
      let client = HttpClient(
        .test { $0.proxy = choice }, environment: ProxyEnvironment(variables.mapValues { $0.replacing("PORT", with: "\(port)") }))
      do {
        try await test(client, peer, "http://127.0.0.1:\(port)")
      } catch {
        await client.shutdown(grace: .zero)
        throw error
      }
      await expectNothingLeft(client)
    }
  }

  @Test("the environment's proxy is the default, and a request may leave it out")
  func environment() async throws {
    try await choosing(.environment, ["http_proxy": "127.0.0.1:PORT"]) { client, peer, url in
      try await client.expect("proxied", HttpRequest(url))
      var request = HttpRequest(url)
      request.proxy = ProxyChoice.none
      try await client.expect("direct", request)
      request.proxy = .environment
      try await client.expect("proxied", request)
      request.proxy = .url("")
      try await client.expect("direct", request)
    }
    #expect(HttpClient.Configuration().proxy == .environment)
  }

  @Test("off is off, whatever the environment says, and a request may ask for the environment's all the same")
  func off() async throws {
    try await choosing(.none, ["http_proxy": "127.0.0.1:PORT", "all_proxy": "127.0.0.1:PORT"]) { client, _, url in
      try await client.expect("direct", HttpRequest(url))
      var request = HttpRequest(url)
      request.proxy = .environment
      try await client.expect("proxied", request)
    }
  }

  @Test("hosts of no_proxy are spoken to directly, and a list of the request's own counts instead")
  func exceptions() async throws {
    try await choosing(.environment, ["http_proxy": "127.0.0.1:PORT", "no_proxy": "127.0.0.0/8"]) { client, peer, url in
      try await client.expect("direct", HttpRequest(url))
      var request = HttpRequest(url)
      request.proxy = .url(url)
      try await client.expect("direct", request)
      request.proxy = .url(url, noProxy: "other.test")
      try await client.expect("proxied", request)
    }
  }

  @Test("the client's proxy by URL is used again and again, as ready as the environment's")
  func byUrl() async throws {
    try await scene {
      $0.answer($1.target)
    } test: { _, peer in
      let proxy = await peer.url("")
      let client = HttpClient(.test { $0.proxy = .url(proxy, noProxy: "") })
      for number in 0..<3 { try await client.expect("http://h\(number).test/", HttpRequest("http://h\(number).test/")) }
      #expect(peer.accepted.count == 1)
      await expectNothingLeft(client)
    }
  }

  @Test("the process's environment is read once, when the client is made")
  func readOnce() async throws {
    try await scene {
      $0.answer($1.target)
    } test: { _, peer in
      let proxy = await peer.url("")
      setenv("http_proxy", proxy, 1)
      let client = HttpClient(.test { $0.proxy = .environment })
      unsetenv("http_proxy")
      let later = HttpClient(.test { $0.proxy = .environment })
      let url = await peer.url("/x")
      try await client.expect(url, HttpRequest(url))
      try await later.expect("/x", HttpRequest(url))
      await expectNothingLeft(client)
      await expectNothingLeft(later)
    }
  }

  @Test("a Unix socket goes through no proxy: the client's is left out, and one of the request's own is refused")
  func unixSocket() async throws {
    try await withTemporaryPath { path in
      try await scene(.test { $0.proxy = .url("http://127.0.0.1:1", noProxy: "") }, on: try .unix(path)) {
        $0.answer($1.target)
      } test: { client, _ in
        var request = HttpRequest("http://unix.invalid/x")
        request.unixSocket = path
        try await client.expect("/x", request)
        for choice in [ProxyChoice.none, .environment, .url("")] {
          request.proxy = choice
          try await client.expect("/x", request)
        }
        // The client's own counts as asked for, too, if the request names it.
        for url in ["http://us3r:hush@127.0.0.1:2", "http://127.0.0.1:1"] {
          request.proxy = .url(url, noProxy: "")
          let error = try await client.failure(request)
          #expect(error.code == .invalidRequest && error.field == "proxy" && !error.message.contains("hush"), "\(error)")
        }
      }
    }
  }

  @Test(
    "a proxy that can't be used is refused before anything is connected, without its secrets",
    arguments: [
      "socks4://us3r:hush@h", "ftp://us3r:hush@h", "http://us3r:hush@h:99999", "http://us3r:hush@h/path", "http://us3r:hush%0a@h",
    ])
  func unusable(url: String) async throws {
    let client = HttpClient(.test)
    let error = try await client.failure(.through(url, "http://127.0.0.1:1/"))
    #expect(error.code == .invalidRequest && error.field == "proxy" && error.sent == .notSent, "\(error)")
    #expect(!"\(error)".contains("hush") && !"\(error)".contains("us3r"), "\(error)")
    await expectNothingLeft(client)
  }

  @Test("a wrong variable is an error of the requests that would use it, by name")
  func wrongVariable() async throws {
    try await choosing(.environment, ["all_proxy": "socks4://hush@h", "no_proxy": "localhost"]) { client, peer, url in
      let error = try await client.failure(HttpRequest(url))
      #expect(error.field == "proxy" && error.message.hasPrefix("all_proxy in the environment: ") && !error.message.contains("hush"))
      try await client.expect("direct", HttpRequest(url.replacing("127.0.0.1", with: "localhost")))
    }
  }

  @Test("Proxy-Authorization of the caller's is refused where the tunnel would bring it to the origin")
  func wouldReachTheOrigin() async throws {
    let client = HttpClient(.test)
    for proxy in ["socks5://127.0.0.1:1", "socks5h://user:pass@127.0.0.1:1"] {
      let request = HttpRequest.through(proxy, "http://a.test/") { $0.headers = ["PROXY-authorization": "Basic hush"] }
      let error = try await client.failure(request)
      #expect(error.code == .invalidRequest && error.field == "headers" && !error.message.contains("hush"), "\(error)")
    }
    await expectNothingLeft(client)
  }
}
