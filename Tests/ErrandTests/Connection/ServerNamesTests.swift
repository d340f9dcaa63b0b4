import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Errand

/// Clients whose names a scripted name server answers.
@Suite(.timeLimit(.minutes(1))) struct ServerNamesTests {
  private func withNames(
    timeout: Duration = .seconds(5), overrides: [ResolveOverride] = [],
    test: (HttpClient, ScriptedPeer, DnsServer, CaresResolver) async throws -> Void
  ) async throws {
    let server = try await DnsServer()
    var settings = ResolverSettings()
    settings.servers = await server.servers
    settings.tries = 1
    settings.timeout = timeout
    settings.hostsFile = "/nonexistent/hosts"
    settings.configurationFile = "/nonexistent/resolv.conf"
    let resolver = CaresResolver(settings)
    let configuration = HttpClient.Configuration.test {
      $0.resolver = resolver
      $0.resolve = overrides
    }
    try await scene(configuration) { connection, request in
      connection.answer(request.head.headers["Host"] ?? "")
    } test: { client, peer in
      try await test(client, peer, server, resolver)
    }
    await server.close()
  }

  /// A second peer, on the port of the first at another address.
  private func withOtherPeer(_ port: UInt16, _ body: (ScriptedPeer) async throws -> Void) async throws {
    let other = await ScriptedPeer { connection, _ in connection.answer("other") }
    try await other.start(on: try #require(.ip("127.0.0.2", port: port)))
    var failure: (any Error)?
    do {
      try await body(other)
    } catch {
      failure = error
    }
    // Its connections are the peer's own to end.
    await other.cutAll()
    await loopTurn()
    await other.stop()
    if let failure { throw failure }
  }

  @Test func aSilentNameServerHoldsUpNeitherAThousandCancelsNorShutdownNorOtherHosts() async throws {
    try await withNames(timeout: .seconds(80)) { client, peer, _, resolver in
      let delegate = RecordingDelegate()
      let handles = (0..<1_000).map { client.request("http://name\($0).test/", delegate: delegate) }
      try await client.wait("all to be resolving") { _ in resolver.waitingCount == 1_000 }
      // Others are served meanwhile.
      for _ in 0..<10 { #expect(await client.text(HttpRequest(await peer.url())).hasPrefix("127.0.0.1:")) }
      let took = await client.onLoop { client in
        let start = Instant.now()
        for handle in handles { #expect(client.cancelOnLoop(handle).result == .cancelled) }
        return start.duration(to: .now())
      }
      // To wait for the server would take 80 s. How fast it is otherwise is no matter of a shared machine's clock.
      #expect(took < .seconds(5), "1,000 cancels took \(took)")
      let outcomes = try await delegate.outcomes.first(1_000)
      #expect(outcomes.allSatisfy { $0.event.name == "cancelled" })
      #expect(await resolver.waitingCount == 0)

      // Those told on the loop need nobody else to be told in time.
      let sink = RecordingSink()
      let shutdownTook = await client.onLoop { client in
        for number in 0..<1_000 { client.submitOnLoop(HttpRequest("http://late\(number).test/"), sink: sink) }
        #expect(resolver.waitingCount == 1_000)
        let start = Instant.now()
        client.engine.shutdown(grace: .zero) {}
        return start.duration(to: .now())
      }
      #expect(shutdownTook < .seconds(5), "shutdown took \(shutdownTook)")
      #expect(sink.outcomes.count == 1_000)
      #expect(await resolver.waitingCount == 0)
    }
  }

  @Test func aNewConnectionUsesAFreshAnswerAndOneThatStandsIsKept() async throws {
    let last = Locked<UInt8>(1)
    try await withNames { client, peer, server, _ in
      await server.answers { _ in .addresses([[127, 0, 0, last.withLock { $0 }]], ttl: 0) }
      let port = await peer.address.port ?? 0
      let request = HttpRequest("http://moving.test:\(port)/")
      try await withOtherPeer(port) { _ in
        #expect(await client.text(request) == "moving.test:\(port)")
        last.withLock { $0 = 2 }
        // The connection leads to where the name once did, which is fine.
        #expect(await client.text(request) == "moving.test:\(port)")
        #expect(await server.count(1) == 1)
        client.dropIdleConnections()
        #expect(await client.text(request) == "other")
        #expect(await server.count(1) == 2)
      }
    }
  }

  @Test func anAnswerIsUsedForManyConnectionsWithinItsTimeToLive() async throws {
    try await withNames { client, peer, server, _ in
      await server.answers { _ in .addresses([[127, 0, 0, 1]]) }
      let port = await peer.address.port ?? 0
      let tasks = (0..<30).map { _ in Task { try await client.send(HttpRequest("http://host.test:\(port)/")) } }
      for task in tasks { #expect(try await task.value.status == 200) }
      client.dropIdleConnections()
      _ = try await client.send(HttpRequest("http://HOST.test.:\(port)/"))
      #expect(await server.count(1) == 1)
    }
  }

  @Test func aNameThatDoesNotExistIsAskedForOnce() async throws {
    try await withNames { client, _, server, _ in
      await server.answers { _ in .code(3) }
      for _ in 0..<20 {
        let error = try await client.failure(HttpRequest("http://none.test/"))
        #expect(error.code == .dns && error.phase == .dns && error.message.contains("none.test: there is no such name"))
      }
      #expect(await server.questions.count == 2)
    }
  }

  @Test func aHostOutsideAsciiIsAskedForAndSentEncoded() async throws {
    try await withNames { client, peer, server, _ in
      await server.answers { $0.name == "xn--bcher-kva.test" ? .addresses([[127, 0, 0, 1]]) : .code(3) }
      let port = await peer.address.port ?? 0
      let response = try await client.send(HttpRequest("http://Bücher.test:\(port)/"))
      #expect(response.text == "xn--bcher-kva.test:\(port)")
    }
  }

  @Test func localhostNeverLeavesTheMachine() async throws {
    try await withNames { client, peer, server, _ in
      await server.answers { _ in .addresses([[127, 0, 0, 9]]) }
      let port = await peer.address.port ?? 0
      for host in ["localhost", "LOCALHOST", "api.localhost", "localhost."] {
        let response = try await client.send(HttpRequest("http://\(host):\(port)/"))
        #expect(response.status == 200)
      }
      #expect(await server.questions.isEmpty)
    }
  }

  @Test func namesThatCannotBeAreRefusedInWords() async throws {
    try await withNames { client, _, server, _ in
      await server.answers { _ in .addresses([[127, 0, 0, 1]]) }
      for host in ["127.1", "a..b", String(repeating: "a", count: 64) + ".test", "0x7f000001"] {
        let error = try await client.failure(HttpRequest("http://\(host)/"))
        #expect(error.code == .dns && error.message.contains(host), "\(error.message)")
      }
      #expect(await server.questions.isEmpty)
    }
  }

  // MARK: Overrides

  @Test func overridesStandInForNamesAndTheRequestsGoBeforeTheClients() async throws {
    let overrides = try [ResolveOverride(parsing: "*:*:127.0.0.1"), ResolveOverride(parsing: "dead.test:*:127.0.0.7")]
    try await withNames(overrides: overrides) { client, peer, server, _ in
      let port = await peer.address.port ?? 0
      #expect(await client.text(HttpRequest("http://any.test:\(port)/")) == "any.test:\(port)")
      #expect(try await client.failure(HttpRequest("http://dead.test:\(port)/")).message.contains("127.0.0.7"))
      var request = HttpRequest("http://dead.test:\(port)/")
      request.resolve = [try ResolveOverride(host: "dead.test", port: port, addresses: ["127.0.0.1"])]
      #expect(await client.text(request) == "dead.test:\(port)")
      #expect(await server.questions.isEmpty)
    }
  }

  @Test func requestsWithDifferentOverridesDoNotShareConnections() async throws {
    try await withNames { client, peer, server, _ in
      await server.answers { _ in .addresses([[127, 0, 0, 1]]) }
      let port = await peer.address.port ?? 0
      try await withOtherPeer(port) { other in
        var request = HttpRequest("http://host.test:\(port)/")
        #expect(await client.text(request) == "host.test:\(port)")
        request.resolve = [try ResolveOverride(parsing: "host.test:\(port):127.0.0.2")]
        for _ in 0..<2 { #expect(await client.text(request) == "other") }
        request.resolve = []
        #expect(await client.text(request) == "host.test:\(port)")
        #expect(peer.accepted.count == 1 && other.accepted.count == 1)
      }
    }
  }
}

extension DnsServer {
  func answers(_ answer: @escaping @LoopActor (Question) -> Answer) { self.answer = answer }
}

extension HttpClient {
  /// The body of the response, or `failed` and why.
  func text(_ request: HttpRequest) async -> String {
    do throws(HttpClientError) {
      return try await send(request).text
    } catch {
      return "failed: \(error)"
    }
  }
}
