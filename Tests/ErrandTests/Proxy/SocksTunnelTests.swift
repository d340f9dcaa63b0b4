import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Requests through tunnels of SOCKS 5.
@Suite("Requests through SOCKS", .oneAtATime, .timeLimit(.minutes(2)))
struct SocksTunnelTests {
  // MARK: Real

  @Test("Dante carries requests to addresses and names, many over one connection", arguments: ["socks5", "socks5h"])
  func dante(kind: String) async throws {
    try await scene {
      $0.answer($1.target)
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      try await Dante.with { proxy in
        for host in ["127.0.0.1", "localhost"] {
          for number in 0..<3 {
            let request = HttpRequest.through("\(kind)://127.0.0.1:\(proxy)", "http://\(host):\(port)/\(number)")
            try await client.expect("/\(number)", request)
          }
        }
      }
      #expect(peer.accepted.count == 2, "one tunnel for each origin")
      #expect(peer.requests.all.map(\.connection) == [1, 1, 1, 2, 2, 2])
      #expect(peer.requests.all.allSatisfy { $0.target.hasPrefix("/") })
    }
  }

  @Test(
    "Dante asks for credentials; the origin sees nothing of them, and errors don't either",
    .enabled("needs a mount namespace") { try await Dante.takesLogins() })
  func danteLogin() async throws {
    try await scene {
      $0.answer($1.target)
    } test: { client, peer in
      let url = await peer.url("/x")
      try await Dante.with(login: ("user", "hush")) { proxy in
        let request = HttpRequest.through("socks5h://user:hush@127.0.0.1:\(proxy)", url) { $0.headers = ["Authorization": "Bearer mine"] }
        try await client.expect("/x", request)
        #expect(peer.requests.all[0].head.headers["Proxy-Authorization"] == nil)
        #expect(peer.requests.all[0].head.headers["Authorization"] == "Bearer mine")
        let without = try await client.failure(.through("socks5h://127.0.0.1:\(proxy)", url))
        #expect(without.message == "the proxy socks5h://127.0.0.1:\(proxy) does not let in without credentials")
        let wrong = try await client.failure(.through("socks5h://user:wrong@127.0.0.1:\(proxy)", url))
        #expect(wrong.message == "the proxy socks5h://127.0.0.1:\(proxy) does not take the credentials it got (status 1)")
        for error in [without, wrong] {
          #expect(error.code == .connect && error.phase == .connect && error.sent == .notSent && !error.retryable, "\(error)")
        }
      }
      #expect(peer.requests.count == 1)
    }
  }

  @Test("Dante's refusals are told in words, and whether another try may help")
  func danteRefusals() async throws {
    let client = HttpClient(.test)
    try await Dante.with { port in
      let proxy = "socks5h://127.0.0.1:\(port)"
      let forbidden = try await client.failure(.through(proxy, "http://127.0.0.1:1/"))
      #expect(forbidden.message == "the proxy \(proxy) does not allow this connection by its rules (127.0.0.1 port 1)")
      #expect(forbidden.code == .connect && !forbidden.retryable)
      let nobody = try await client.failure(.through(proxy, "http://127.0.0.1:2/"))
      #expect(nobody.message == "the proxy \(proxy) was refused the connection by the host (127.0.0.1 port 2)")
      #expect(nobody.code == .connect && nobody.retryable)
    }
    await expectNothingLeft(client)
  }

  // MARK: Names

  @Test("with socks5h the proxy gets the name, and nobody here is asked for it")
  func nameAtTheProxy() async throws {
    let resolver = await StubResolver()
    await resolver.answerLiterals()
    try await proxyScene(.test { $0.resolver = resolver }) {
      $0.socks()
    } test: { client, proxy in
      let port = await proxy.port
      try await client.expect("/x", .through("socks5h://127.0.0.1:\(port)", "http://a.test:81/x"))
      try await client.expect("/y", .through("socks5h://127.0.0.1:\(port)", "http://[::1]:82/y"))
      #expect(resolver.asked.count == 0)
      #expect(proxy.seen.all.filter { !$0.contains("HTTP") } == ["name a.test:81", "address ::1:82"])
    }
  }

  @Test("with socks5 the name is resolved here, and so is the proxy's; a failure says whose")
  func nameHere() async throws {
    let resolver = await StubResolver()
    try await proxyScene(.test { $0.resolver = resolver }) {
      $0.socks()
    } test: { client, proxy in
      let url = "socks5://proxy.test:\(await proxy.port)"
      let outcomes = Record<Result<HttpResponse, HttpClientError>>("outcomes")
      client.submit(.through(url, "http://a.test/x")) { outcomes.add($0) }
      try await resolver.asked.first(1)
      await resolver.answerAll(.success([.loopback(port: 0)]))
      try await resolver.asked.first(2)
      await resolver.answerAll(.success([.loopback(port: 0)]))
      #expect(try await outcomes.first(1)[0].get().text == "/x")
      #expect(resolver.asked.all == ["a.test", "proxy.test"])
      #expect(proxy.seen.all[0] == "address 127.0.0.1:80")

      client.submit(.through(url, "http://b.test/")) { outcomes.add($0) }
      try await resolver.asked.first(3)
      await resolver.answerAll(.failure(ResolveError("b.test has no address", isTemporary: false)))
      let second = try await outcomes.first(2)[1]
      guard case .failure(let error) = second else {
        Issue.record("resolved")
        return
      }
      #expect(error.code == .dns && error.message == "b.test has no address")
    }
  }

  @Test("overrides stand in for the names that are resolved here, and for no others")
  func overrides() async throws {
    let resolver = await StubResolver()
    try await proxyScene(.test { $0.resolver = resolver }) {
      $0.socks()
    } test: { client, proxy in
      let port = await proxy.port
      let overrides = try ["proxy.test:*:127.0.0.1", "a.test:81:192.0.2.1"].map { try ResolveOverride(parsing: $0) }
      for kind in ["socks5", "socks5h"] {
        try await client.expect("/x", .through("\(kind)://proxy.test:\(port)", "http://a.test:81/x") { $0.resolve = overrides })
      }
      #expect(proxy.seen.all.filter { !$0.contains("HTTP") } == ["address 192.0.2.1:81", "name a.test:81"])
      #expect(resolver.asked.count == 0)
    }
  }

  @Test("a cancel while either name is being resolved leaves nothing behind", arguments: [1, 2])
  func cancelWhileResolving(names: Int) async throws {
    let resolver = await StubResolver()
    let client = HttpClient(.test { $0.resolver = resolver })
    let handle = client.submit(.through("socks5://proxy.test", "http://a.test/"), delegate: nil)
    for number in 1...names {
      try await resolver.asked.first(number)
      if number < names { await resolver.answerAll(.success([.loopback(port: 0)])) }
    }
    let explanation = await client.describe(handle)?.explanation ?? ""
    let name = names == 1 ? "a.test" : "the proxy socks5://proxy.test:1080: proxy.test"
    #expect(explanation.hasPrefix("is resolving \(name), "), "\(explanation)")
    #expect(await client.cancel(handle).result == .cancelled)
    await resolver.answerAll(.success([.loopback(port: 0)]))
    #expect(await resolver.cancelCount == 1)
    await expectNothingLeft(client)
  }

  @Test("where the proxy can't reach one address of the origin, it is asked for the next")
  func nextAddress() async throws {
    let resolver = await StubResolver(answer: [.loopback(port: 0, v6: true), .loopback(port: 0)])
    await resolver.answerLiterals()
    try await proxyScene(.test { $0.resolver = resolver }) { connection in
      connection.socks { $0.contains("::1") ? 8 : $0.hasSuffix(":82") ? 4 : 0 }
    } test: { client, proxy in
      let url = "socks5://127.0.0.1:\(await proxy.port)"
      try await client.expect("/x", .through(url, "http://a.test:81/x"))
      #expect(Array(proxy.seen.all.prefix(2)) == ["address ::1:81", "address 127.0.0.1:81"])
      let error = try await client.failure(.through(url, "http://a.test:82/"))
      #expect(error.message == "the proxy \(url) can't reach the host (127.0.0.1 port 82)")
      #expect(proxy.accepted.count == 4)
    }
  }

  // MARK: Connections

  @Test("tunnels are the origin's own: limits count there, and none is shared")
  func limits() async throws {
    try await proxyScene(.test(perHost: 1)) { connection in
      if !connection.received.starts(with: Array("GET /hold".utf8)) { connection.socks() }
    } test: { client, proxy in
      let url = "socks5h://127.0.0.1:\(await proxy.port)"
      let held = client.submit(.through(url, "http://a.test/hold"), delegate: nil)
      try await client.wait(for: held) { $0.connection != nil }
      let second = client.submit(.through(url, "http://a.test/second"), delegate: nil)
      try await client.expect("/", .through(url, "http://b.test/"))
      #expect(await client.describe(second)?.state == "queued")
      #expect(proxy.accepted.count == 2)
      await client.cancel(.all)
    }
  }

  @Test("requests in the clear, direct and tunnelled, share no connections, nor do those of different credentials")
  func apart() async throws {
    try await proxyScene { connection in
      if connection.received.first == 5 || connection.stage > 0 { connection.socks() } else { connection.serveRequests() }
    } test: { client, proxy in
      let port = await proxy.port
      let url = "http://127.0.0.1:\(port)/x"
      try await client.expect("/x", HttpRequest(url))
      for _ in 0..<2 { try await client.expect("/x", .through("socks5h://127.0.0.1:\(port)", url)) }
      try await client.expect(url, .through("http://127.0.0.1:\(port)", url))
      #expect(proxy.accepted.count == 3)
    }
  }

  @Test("a kept tunnel that was closed is replaced by another, once")
  func stale() async throws {
    try await proxyScene { connection in
      if connection.number == 1, connection.received.starts(with: Array("GET /2".utf8)) { connection.reset() } else { connection.socks() }
    } test: { client, proxy in
      let url = "socks5h://127.0.0.1:\(await proxy.port)"
      try await client.expect("/1", .through(url, "http://a.test/1"))
      try await client.expect("/2", .through(url, "http://a.test/2"))
      #expect(proxy.accepted.count == 2)
    }
  }

  @Test("the timeline tells of the tunnel, once, and never of the credentials")
  func timeline() async throws {
    try await proxyScene { connection in
      if connection.stage == 0, connection.take(4) != nil {
        connection.stage = 10
        connection.write([5, 2])
      } else if connection.stage == 10, connection.take(11) != nil {
        connection.stage = 1
        connection.write([1, 0])
      } else {
        connection.socks()
      }
    } test: { client, proxy in
      let port = await proxy.port
      let traces = Record<RequestTrace>("traces")
      for number in 1...2 {
        await client.onLoop { client in
          let sink = TraceSink(client, traces)
          client.submitOnLoop(.through("socks5h://user:hush@127.0.0.1:\(port)", "http://a.test/"), sink: sink)
        }
        try await traces.first(number)
      }
      let (first, second) = (traces.all[0].timeline, traces.all[1].timeline)
      #expect(first.map(\.event) == ["queued", "slot", "resolved", "connected", "tunnel", "sent", "head"])
      #expect(first[2].note == "the proxy's 127.0.0.1")
      #expect(first[3].note?.contains("to 127.0.0.1:\(port)") == true)
      #expect(first[4].note == "to a.test:80 through socks5h://127.0.0.1:\(port)")
      #expect(first.map(\.at) == first.map(\.at).sorted())
      #expect(second.map(\.event) == ["queued", "slot", "reused", "sent", "head"])
    }
  }
}

@LoopActor
private final class TraceSink: OutcomeSink {
  private let client: HttpClient
  private let traces: Record<RequestTrace>

  init(_ client: HttpClient, _ traces: Record<RequestTrace>) {
    self.client = client
    self.traces = traces
  }

  func requestEnded(_ request: RequestInfo, _ outcome: Outcome) {
    if let trace = client.trace(request.handle) { traces.add(trace) }
  }
}
