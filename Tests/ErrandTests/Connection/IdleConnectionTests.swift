import EventLoop
import TestSupport
import Testing

@testable import Errand

/// When connections without a request are given up.
@Suite(.timeLimit(.minutes(1))) struct IdleConnectionTests {
  private func wait(for client: HttpClient, idle: Int) async throws {
    try await client.wait("\(idle) idle connections") { $0.statsOnLoop.idleConnections == idle }
  }

  @Test func idleConnectionsAreDroppedOnRequestAndBusyOnesAreNot() async throws {
    try await scene { connection, request in
      if request.target == "/now" { connection.answer() }
    } test: { client, peer in
      let url = await peer.url()
      _ = try await client.send(HttpRequest(url + "now"))
      let busy = Task { try await client.send(HttpRequest(url + "later")) }
      try await peer.requests.first(2)
      let second = Task { try await client.send(HttpRequest(url + "now")) }
      _ = try await second.value
      try await wait(for: client, idle: 1)
      client.dropIdleConnections()
      try await peer.closed.first(1)
      let stats = await client.stats()
      #expect(stats.idleConnections == 0 && stats.openConnections == 1)
      await peer.answerAll("late")
      #expect(try await busy.value.text == "late")
    }
  }

  @Test func aChangeOfTheNetworkDropsIdleConnectionsAndForgetsNames() async throws {
    let server = try await DnsServer()
    await server.answers { _ in .addresses([[127, 0, 0, 1]]) }
    let resolver = CaresResolver(servers: await server.servers)
    try await scene(.test { $0.resolver = resolver }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      _ = try await client.send(HttpRequest("http://host.test:\(port)/"))
      #expect(await resolver.answerCount == 2)
      await client.onLoop { $0.engine.networkChanged() }
      try await peer.closed.first(1)
      #expect(await resolver.answerCount == 0)
      _ = try await client.send(HttpRequest("http://host.test:\(port)/"))
      #expect(peer.accepted.count == 2)
    }
    await server.close()
  }

  @Test(.enabled("the kernel lets this user change addresses (CAP_NET_ADMIN)") { await LoopbackAddress.mayChange() })
  func anAddressOfTheMachineThatComesIsSuchAChange() async throws {
    try await scene(.test { $0.followsNetworkChanges = true }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url()))
      try await LoopbackAddress.add(4)
      try await peer.closed.first(1)
      try await LoopbackAddress.remove(4)
    }
    LoopbackAddress.removeAllBlocking()
  }

  @Test func theNetworkIsWatchedFromTheFirstConnectionUntilTheClientIsDone() async throws {
    try await scene(.test { $0.followsNetworkChanges = true }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      #expect(await client.onLoop { $0.engine.networkObserver } == nil)
      _ = try await client.send(HttpRequest(await peer.url()))
      #expect(await client.onLoop { $0.engine.networkObserver } != nil)
      await client.shutdown(grace: .zero)
      #expect(await client.onLoop { $0.engine.networkObserver } == nil)
    }
  }

  @Test func aConnectionThatIsTooOldIsNotKept() async throws {
    try await scene(.test { $0.maxConnectionAge = .milliseconds(30) }) { connection, request in
      if request.target == "/now" { connection.answer() }
    } test: { client, peer in
      let url = await peer.url()
      // Idle, it is closed when it is old enough.
      _ = try await client.send(HttpRequest(url + "now"))
      try await peer.closed.first(1)
      // With a request, it is closed after that.
      let slow = Task { try await client.send(HttpRequest(url + "later")) }
      try await peer.requests.first(2)
      await pause(.milliseconds(35))
      #expect(peer.closed.count == 1)
      await peer.answerAll()
      #expect(try await slow.value.status == 200)
      try await peer.closed.first(2)
    }
  }

  @Test func anHttp2ConnectionThatIsTooOldIsNotKeptEither() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("index.html", Array("hello".utf8))
    let arguments: (UInt16) -> [String] = { ["nghttpd", "--no-tls", "-a", "127.0.0.1", "-d", directory.path, "\($0)"] }
    try await PeerProcess.with(in: directory, arguments) { port in
      let client = HttpClient(.test { $0.maxConnectionAge = .milliseconds(30) })
      var request = HttpRequest("http://127.0.0.1:\(port)/index.html")
      request.httpVersion = .http2
      for number in UInt64(1)...2 {
        let response = try await client.send(request)
        #expect(response.text == "hello")
        try await client.wait("the connection to go") { $0.statsOnLoop.openConnections == 0 }
        let stats = await client.stats()
        #expect(stats.connectionsOpened == number)
      }
      await expectNothingLeft(client)
    }
  }

  @Test func aConnectionThatIsYoungIsKept() async throws {
    try await scene(.test { $0.maxConnectionAge = .seconds(600) }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      for _ in 0..<3 { _ = try await client.send(HttpRequest(await peer.url())) }
      #expect(peer.accepted.count == 1)
    }
  }
}
