import EventLoop
import TestSupport
import Testing

@testable import Errand

/// Hosts with several addresses, some of which lead nowhere.
@Suite(.timeLimit(.minutes(1))) struct ManyAddressesTests {
  @Test func aHostWithADeadIPv6AddressAnswersOverIPv4AfterTheAttemptDelay() async throws {
    let resolver = await StubResolver(answer: [.loopback(port: 0, v6: true), .loopback(port: 0)])
    let configuration = HttpClient.Configuration.test {
      $0.resolver = resolver
      $0.attemptDelay = .milliseconds(20)
    }
    try await scene(configuration) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      let dead = try FullListener(v6: true, port: port)
      defer { dead.close() }
      let response = try await client.send(HttpRequest("http://both.test:\(port)/"))
      #expect(response.status == 200 && peer.accepted.count == 1)
      // The attempt delay was waited for, and not the connect timer.
      let connect = try #require(response.timings.connect)
      #expect(connect >= 20_000 && connect < 10_000_000, "\(connect)")
    }
  }

  @Test func whileOneAddressIsSilentTheExplanationSaysWhich() async throws {
    let resolver = await StubResolver(answer: [.loopback(port: 0), .loopback(port: 0, v6: true)])
    let configuration = HttpClient.Configuration.test {
      $0.resolver = resolver
      $0.attemptDelay = .seconds(60)
    }
    try await scene(configuration) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      let dead = try FullListener(v6: true, port: port)
      defer { dead.close() }
      let delegate = RecordingDelegate()
      let handle = client.request("http://both.test:\(port)/", delegate: delegate)
      try await client.wait(for: handle) { $0.attempt?.isConnecting == true }
      let words = await client.onLoop { $0.describe(handle)?.explanation } ?? ""
      #expect(words.contains("connecting to [::1]:\(port), 1 of 2 addresses tried"), "\(words)")
      #expect(await client.cancel(handle).result == .cancelled)
      #expect(peer.accepted.count == 0)
    }
  }

  @Test func ipv4IsUsedThoughTheAnswerForIPv6NeverComes() async throws {
    let server = try await DnsServer()
    await server.answers { $0.isIPv6 ? .hold : .addresses([[127, 0, 0, 1]]) }
    let resolver = CaresResolver(servers: await server.servers)
    try await scene(.test { $0.resolver = resolver }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      let response = try await client.send(HttpRequest("http://half.test:\(port)/"))
      #expect(response.status == 200)
      #expect(await resolver.waitingCount == 0)
    }
    await server.close()
  }

  @Test func theConnectionHasTheTcpSettings() async throws {
    var tcp = TcpSettings()
    tcp.keepAliveIdle = .seconds(123)
    try await scene(.test { [tcp] in $0.tcp = tcp }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url()))
      let port = await peer.address.port ?? 0
      #expect(Descriptors.keepAliveIdle(connectedTo: port) == [123])
    }
  }
}
