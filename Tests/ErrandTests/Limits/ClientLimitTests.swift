import EventLoop
import HttpWire
import Testing

@testable import Errand

/// Limits as a client's requests and its server see them.
@Suite(.timeLimit(.minutes(2))) struct ClientLimitTests {
  private func request(_ url: String, owner: String? = nil, service: String? = nil, priority: Int = 0) -> HttpRequest {
    var request = HttpRequest(url)
    (request.owner, request.service, request.priority) = (owner, service, priority)
    return request
  }

  // MARK: Owners and services

  @Test func anOwnerHasNoMoreInFlightThanItsLimitOverAllHosts() async throws {
    try await scene(.test { $0.maxInFlightPerOwner = 3 }) { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let port = await peer.address.port ?? 0
      var waiting: RequestHandle?
      for index in 0..<9 {
        waiting = client.submit(request("http://h\(index % 3).localhost:\(port)/greedy", owner: "greedy"), delegate: delegate)
      }
      client.submit(request("http://h0.localhost:\(port)/modest", owner: "modest"), delegate: delegate)
      client.submit(request("http://h0.localhost:\(port)/nobody"), delegate: delegate)
      try await peer.requests.first(5)
      #expect(peer.requests.all.count { $0.target == "/greedy" } == 3)
      let explanation = try await client.explanation(of: #require(waiting))
      #expect(explanation.hasSuffix("owner greedy: 3 of 3 requests in flight"), "\(explanation)")
      while delegate.outcomes.count < 11 {
        await peer.answerAll()
        await pause(.milliseconds(1))
      }
      #expect(await client.slots().inUse == 0)
    }
  }

  @Test func aServiceHasNoMoreInFlightThanItsLimitWhateverHostsItGoesTo() async throws {
    try await scene(.test { $0.services = ["maps": ServiceLimits(maxInFlight: 2)] }) { connection, request in
      if request.target != "/maps" { connection.answer() }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let port = await peer.address.port ?? 0
      var waiting: RequestHandle?
      for index in 0..<6 {
        waiting = client.submit(request("http://h\(index % 3).localhost:\(port)/maps", service: "maps"), delegate: delegate)
      }
      try await peer.requests.first(2)
      _ = try await client.send(request("http://h0.localhost:\(port)/other"))
      _ = try await client.send(request("http://h0.localhost:\(port)/other", service: "unheard of"))
      #expect(peer.requests.all.count { $0.target == "/maps" } == 2)
      let explanation = try await client.explanation(of: #require(waiting))
      #expect(explanation.hasSuffix("service maps: 2 of 2 requests in flight"), "\(explanation)")
      await client.cancel(.all)
      try await delegate.outcomes.first(6)
    }
  }

  // MARK: Order

  @Test func anOwnersRequestsGoByPriorityAndTakeNoTurnOfAnother() async throws {
    try await scene(.test(perHost: 1)) { connection, request in
      if request.target != "/first" { connection.answer() }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let url = await peer.url("/")
      client.submit(request(url + "first"), delegate: delegate)
      try await peer.requests.first(1)
      await client.onLoop { client in
        for priority in [0, 5, -128, 127, 5] {
          client.submit(request(url + "a\(priority)", owner: "a", priority: priority), delegate: delegate)
        }
        for number in 0..<3 { client.submit(request(url + "b\(number)", owner: "b", priority: -128), delegate: delegate) }
      }
      await peer.answerAll()
      try await delegate.outcomes.first(9)
      #expect(peer.requests.all.map(\.target) == ["/first", "/a127", "/b0", "/a5", "/b1", "/a5", "/b2", "/a0", "/a-128"])
    }
  }

  @Test(arguments: [-129, 128, Int.min, .max]) func aPriorityOutsideItsRangeIsInvalid(priority: Int) async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let error = try await client.failure(request(await peer.url(), priority: priority))
      #expect(error.code == .invalidRequest && error.field == "priority")
    }
  }

  // MARK: Rates

  @Test func aHostsRateSpacesWhatItsServerSees() async throws {
    let seen = Record<Instant>("requests with their times")
    try await scene(.test { $0.rateLimits = ["slow.localhost": RateLimit(perSecond: 40)] }) { connection, request in
      if request.target == "/slow" { seen.add(.now()) }
      connection.answer()
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let port = await peer.address.port ?? 0
      for _ in 0..<9 { client.request("http://slow.localhost:\(port)/slow", delegate: delegate) }
      let last = client.request("http://slow.localhost:\(port)/slow", delegate: delegate)
      // Others do not wait for it.
      for _ in 0..<5 { _ = try await client.send(HttpRequest("http://fast.localhost:\(port)/")) }
      if let explanation = try? await client.explanation(of: last) {
        #expect(explanation.contains("the rate of slow.localhost: the next of its requests may go in "), "\(explanation)")
      }
      try await delegate.outcomes.first(10)
      let times = seen.all
      #expect(times.count == 10)
      // Nine gaps of 25 ms: what comes late may be followed closely, but none can go before its time.
      for (index, time) in times.enumerated() {
        #expect(times[0].duration(to: time) > .milliseconds(25 * index - 20), "\(index)")
      }
    }
  }

  @Test func cancellingWhatWaitsForARateLeavesNothingBehind() async throws {
    try await scene(.test { $0.services = ["s": ServiceLimits(rate: RateLimit(perSecond: 0.01))] }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let url = await peer.url()
      _ = try await client.send(request(url, service: "s"))
      for _ in 0..<20 { client.submit(request(url, service: "s"), delegate: delegate) }
      _ = try await client.send(request(url))
      await client.cancel(.all)
      try await delegate.outcomes.first(20)
      #expect(peer.requests.count == 2)
    }
  }

  // MARK: Bounded queues

  @Test func aFullQueueOfAHostOrAnOwnerRefusesByNameAndLeavesTheOthersAlone() async throws {
    let configuration = HttpClient.Configuration.test {
      $0.maxConnectionsPerHost = 1
      $0.maxQueuedPerHost = 4
      $0.maxQueuedPerOwner = 2
    }
    try await scene(configuration) { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let port = await peer.address.port ?? 0
      for host in ["a", "b"] { client.request("http://\(host).localhost:\(port)/", delegate: delegate) }
      try await peer.requests.first(2)
      for index in 0..<3 { client.submit(request("http://a.localhost:\(port)/", owner: "x", priority: index), delegate: delegate) }
      let first = try await delegate.outcomes.first(1)[0].event.error
      #expect(first?.code == .queueFull && first?.limit == "max_queued_per_owner")
      #expect(first?.message == "2 requests of x are waiting already (limit max_queued_per_owner)")
      for _ in 0..<3 { client.request("http://a.localhost:\(port)/", delegate: delegate) }
      let second = try await delegate.outcomes.first(2)[1].event.error
      #expect(second?.message == "4 requests are waiting for a.localhost:\(port) already (limit max_queued_per_host)")
      client.submit(request("http://b.localhost:\(port)/", owner: "y"), delegate: delegate)
      #expect(await client.stats().queued == 5)
      await client.cancel(.all)
      try await delegate.outcomes.first(9)
    }
  }

  @Test func aRequestThatComesBackFromItsBackOffIsNotTurnedAwayByAFullQueue() async throws {
    let configuration = HttpClient.Configuration.test {
      $0.maxConnectionsPerHost = 1
      $0.maxQueued = 1
    }
    try await scene(configuration) { connection, request in
      switch request.target {
      case "/again" where request.number == 1: connection.answer(status: 503, fields: "Retry-After: 1\r\n")
      case "/held": break
      default: connection.answer("done")
      }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      var again = HttpRequest(await peer.url("/again"))
      again.retry.max = 1
      let handle = client.submit(again, delegate: delegate)
      try await client.wait(for: handle) { $0.machine.state == .backingOff }
      for _ in 0..<2 { client.request(await peer.url("/held"), delegate: delegate) }
      try await client.wait(for: handle) { $0.machine.state == .queued }
      #expect(await client.stats().queued == 2)
      while delegate.outcomes.count < 3 {
        await peer.answerAll()
        await pause(.milliseconds(1))
      }
      #expect(delegate.outcomes.all.allSatisfy { $0.event.response != nil })
    }
  }

  // MARK: Words

  @Test func aRequestThatWaitsForItsHostSaysHowManyAreBeforeItAndForHowLong() async throws {
    try await scene(.test(perHost: 2)) { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let port = await peer.address.port ?? 0
      let handles = (0..<5).map { _ in client.request("http://api.localhost:\(port)/", delegate: delegate) }
      try await peer.requests.first(2)
      await pause(.milliseconds(60))
      let words = try await client.explanation(of: handles[4])
      let sentence = try #require(words.wholeMatch(of: /waits for a slot for \d+\.\d s: (.*), the oldest for \d+ ms, (.*)/))
      #expect(sentence.1 == "host api.localhost:\(port): 2 of 2 connections in use" && sentence.2 == "3 requests wait for it")
      await client.cancel(.all)
      try await delegate.outcomes.first(5)
    }
  }

  @Test func aRequestThatWaitsForTheTotalLimitSaysSo() async throws {
    try await scene(.test { $0.maxConnections = 1 }) { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let port = await peer.address.port ?? 0
      let handles = (0..<2).map { client.request("http://h\($0).localhost:\(port)/", delegate: delegate) }
      try await peer.requests.first(1)
      #expect(try await client.explanation(of: handles[1]).hasSuffix("1 of 1 requests in flight in all"))
      await client.cancel(.all)
      try await delegate.outcomes.first(2)
    }
  }

  // MARK: HTTP/2

  @Test func anOriginThatSpeaksHttp2HasItsOwnLimit() async throws {
    let configuration = HttpClient.Configuration.test {
      $0.maxConnectionsPerHost = 2
      $0.maxInFlightPerHost = 50
    }
    try await http2Scene(configuration, settings: [3: 100]) { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      var last: RequestHandle?
      for index in 0..<60 { last = client.submit(await peer.request("/\(index)"), delegate: delegate) }
      try await peer.requests.first(50)
      #expect(await client.stats().queued == 10)
      #expect(await client.slots().inUse == 50 && peer.accepted.count == 1)
      let words = try await client.explanation(of: #require(last))
      #expect(words.contains("50 of 50 requests in flight, the oldest for "), "\(words)")
      await peer.with(0) { server in for stream in server.order { server.answer(stream) } }
      try await peer.requests.first(60)
      await peer.with(0) { server in for stream in server.order.suffix(10) { server.answer(stream) } }
      let outcomes = try await delegate.outcomes.first(60)
      #expect(outcomes.allSatisfy { $0.event.response != nil })
    }
  }

  @Test func connectionsStayWithinTheirLimitWhereAServerTakesFewRequestsOnEach() async throws {
    let configuration = HttpClient.Configuration.test { $0.maxConnectionsPerHost = 3 }
    try await http2Scene(configuration, settings: [3: 2]) { server, _ in
      server.onRequest = { server, request in
        let stream = request.stream
        after(.milliseconds(1)) { server.answer(stream) }
      }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      for index in 0..<100 { client.submit(await peer.request("/\(index)"), delegate: delegate) }
      let outcomes = try await delegate.outcomes.first(100)
      #expect(outcomes.allSatisfy { $0.event.response != nil })
      // One more where a slot is free a moment before its stream is closed.
      #expect(peer.accepted.count <= 4)
    }
  }
}

extension HttpClient {
  /// What a request is doing, in one sentence.
  func explanation(of handle: RequestHandle) async throws -> String {
    try await #require(describe(handle)).explanation
  }
}
