import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// A denied address is reached by no way.
@Suite(.timeLimit(.minutes(1))) struct EgressTests {
  private static let loopback = EgressPolicy([
    EgressRule(.deny, networks: ["127.0.0.0/8", "::1", "0.0.0.0/8"].compactMap { IPNetwork($0) })
  ])
  /// 127.0.0.1 is allowed.
  private static let other = EgressPolicy([EgressRule(.deny, networks: ["127.0.0.2"].compactMap { IPNetwork($0) })])

  @Test(arguments: [
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "127.0.0.1.", "localhost", "LOCALHOST",
    "localhost.",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "127.0.0.2", "0.0.0.0",
    "①②⑦.⓪.⓪.①",
  ])
  func `not by any spelling`(host: String) async throws {
    try await scene { connection, _ in
      connection.answer("reached")
    } test: { client, peer in
      let port = try #require(await peer.address.port)
      var request = HttpRequest("http://\(host):\(port)/")
      request.egress = EgressTests.loopback
      let error = await #expect(throws: HttpClientError.self) { try await client.send(request) }
      #expect([HttpClientError.Code.denied, .dns, .invalidRequest].contains(error?.code), "\(String(describing: error))")
      #expect(error?.sent == .notSent)
      #expect(peer.accepted.count == 0)
    }
  }

  private func withNames(_ test: (HttpClient, ScriptedPeer, ScriptedPeer, DnsServer) async throws -> Void) async throws {
    let server = try await DnsServer()
    var settings = ResolverSettings()
    settings.servers = await server.servers
    settings.tries = 1
    settings.hostsFile = "/nonexistent/hosts"
    settings.configurationFile = "/nonexistent/resolv.conf"
    let resolver = CaresResolver(settings)
    let configuration = HttpClient.Configuration.test { $0.resolver = resolver }
    try await scene(configuration) { connection, request in
      let target = request.target
      if target.hasPrefix("/to?") {
        return connection.answer("elsewhere", status: 302, fields: "Location: \(target.dropFirst(4))\r\n")
      }
      connection.answer("allowed")
    } test: { client, peer in
      let port = try #require(await peer.address.port)
      let denied = await ScriptedPeer { connection, _ in connection.answer("denied") }
      try await denied.start(on: try #require(.ip("127.0.0.2", port: port)))
      var failure: (any Error)?
      do { try await test(client, peer, denied, server) } catch { failure = error }
      await denied.cutAll()
      await loopTurn()
      await denied.stop()
      if let failure { throw failure }
    }
    await server.close()
  }

  private func request(_ peer: ScriptedPeer, _ host: String = "host.test", _ path: String = "/") async throws -> HttpRequest {
    let port = try #require(await peer.address.port)
    var request = HttpRequest("http://\(host):\(port)\(path)")
    request.egress = EgressTests.other
    return request
  }

  @Test func `not by a name, and not by one whose answer changes`() async throws {
    try await withNames { client, peer, denied, names in
      await names.answers { question in question.isIPv6 ? .addresses([]) : .addresses([[127, 0, 0, 2]], ttl: 0) }
      var asked = try await request(peer)
      #expect(await client.text(asked).hasPrefix("failed: denied"))
      // Two addresses, of which one is denied: the other is taken.
      await names.answers { question in question.isIPv6 ? .addresses([]) : .addresses([[127, 0, 0, 2], [127, 0, 0, 1]], ttl: 0) }
      #expect(await client.text(try await request(peer, "two.test")) == "allowed")
      // The first look-up is harmless, the second is not; the connection is not kept.
      await names.answers { question in question.isIPv6 ? .addresses([]) : .addresses([[127, 0, 0, 1]], ttl: 0) }
      asked = try await request(peer, "turns.test")
      asked.headers = ["Connection": "close"]
      #expect(await client.text(asked) == "allowed")
      await names.answers { question in question.isIPv6 ? .addresses([]) : .addresses([[127, 0, 0, 2]], ttl: 0) }
      #expect(await client.text(asked).hasPrefix("failed: denied"))
      // An IPv6 answer that stands for the address.
      await names.answers { question in
        question.isIPv6 ? .addresses([[UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 2]], ttl: 0) : .addresses([], ttl: 0)
      }
      #expect(await client.text(try await request(peer, "six.test")).hasPrefix("failed: denied"))
      #expect(denied.accepted.count == 0)
    }
  }

  @Test func `not by a redirect, an override, a proxy, or a connection that another policy made`() async throws {
    try await withNames { client, peer, denied, names in
      await names.answers { question in
        question.isIPv6 ? .addresses([]) : .addresses([[127, 0, 0, question.name == "bad.test" ? 2 : 1]], ttl: 60)
      }
      let port = try #require(await peer.address.port)
      for place in ["http://127.0.0.2:\(port)/", "http://bad.test:\(port)/"] {
        let error = await client.text(try await request(peer, "good.test", "/to?\(place)"))
        #expect(error.hasPrefix("failed: denied"), "\(error)")
      }
      var asked = try await request(peer, "good.test")
      asked.resolve = [try ResolveOverride(parsing: "good.test:\(port):127.0.0.2")]
      #expect(await client.text(asked).hasPrefix("failed: denied"))
      asked = try await request(peer, "good.test")
      asked.proxy = .url("http://127.0.0.2:\(port)")
      #expect(await client.text(asked).hasPrefix("failed: denied"))
      #expect(denied.accepted.count == 0)
      // Whoever may goes there, and leaves a connection that others must not use.
      asked = try await request(peer, "bad.test")
      asked.egress = nil
      #expect(await client.text(asked) == "denied")
      #expect(await client.text(try await request(peer, "bad.test")).hasPrefix("failed: denied"))
      #expect(denied.accepted.count == 1 && denied.requests.count == 1)
    }
  }

  @Test func `rules on methods hold on kept connections`() async throws {
    try await scene { connection, _ in
      connection.answer("reached")
    } test: { client, peer in
      let policy = EgressPolicy([
        EgressRule(.allow, methods: ["GET"]), EgressRule(.deny, networks: ["127.0.0.0/8"].compactMap { IPNetwork($0) }),
      ])
      for (method, isReached) in [(HttpMethod.get, true), (.post, false), (.get, true)] {
        var request = HttpRequest(await peer.url(), method: method)
        request.egress = policy
        #expect(await client.text(request).hasPrefix("reached") == isReached)
      }
      #expect(peer.requests.count == 2)
    }
  }
}
