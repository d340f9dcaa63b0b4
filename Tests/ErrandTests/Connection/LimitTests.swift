import EventLoop
import HttpWire
import Testing

@testable import Errand

/// Limits on connections: what waits, and for whom.
@Suite(.timeLimit(.minutes(2))) struct LimitTests {
  @Test(arguments: [1, 3, 8]) func theServerNeverSeesMoreRequestsAtOnceThanTheLimit(limit: Int) async throws {
    let inside = Inside()
    try await scene(.test(perHost: limit)) { connection, _ in
      inside.enter()
      EventLoop.shared.atEndOfTurn {
        after(.milliseconds(1)) {
          inside.leave()
          connection.answer()
        }
      }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let url = await peer.url()
      for _ in 0..<10 * limit { client.request(url, delegate: delegate) }
      let outcomes = try await delegate.outcomes.first(10 * limit)
      #expect(outcomes.allSatisfy { $0.event.response != nil })
      #expect(await inside.most == limit)
      #expect(peer.accepted.count == limit)
    }
  }

  @Test func theTotalLimitHoldsOverAllHosts() async throws {
    let inside = Inside()
    let configuration = HttpClient.Configuration.test {
      $0.maxConnections = 4
      $0.maxConnectionsPerHost = 3
    }
    try await scene(configuration) { connection, _ in
      inside.enter()
      after(.milliseconds(1)) {
        inside.leave()
        connection.answer()
      }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let port = await peer.address.port ?? 0
      // Each name is an origin of its own, all of them this machine.
      for index in 0..<60 { client.request("http://h\(index % 6).localhost:\(port)/", delegate: delegate) }
      let outcomes = try await delegate.outcomes.first(60)
      #expect(outcomes.allSatisfy { $0.event.response != nil })
      #expect(await inside.most <= 4)
      let stats = await client.stats()
      #expect(stats.openConnections <= 4)
    }
  }

  @Test func anIdleConnectionOfOneHostMakesRoomForAnother() async throws {
    try await scene(.test { $0.maxConnections = 2 }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      for index in 0..<6 { _ = try await client.send(HttpRequest("http://h\(index).localhost:\(port)/")) }
      #expect(await client.stats().openConnections == 2)
      #expect(await client.slots().hosts == 2)
    }
  }

  @Test func waitingForASlotCountsAgainstTheQueueTimerAlone() async throws {
    try await scene(.test(perHost: 1)) { connection, request in
      if request.target != "/slow" { connection.answer() }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      client.request(await peer.url("/slow"), delegate: delegate)
      try await peer.requests.first(1)
      var request = HttpRequest(await peer.url("/patient"))
      request.timeouts = Timeouts(queue: .zero, connect: .seconds(2), firstByte: .seconds(2), idle: .seconds(2), total: .seconds(2))
      let patient = client.submit(request, delegate: delegate)
      var hasty = HttpRequest(await peer.url("/hasty"))
      hasty.timeouts.queue = .milliseconds(30)
      let error = try await client.failure(hasty)
      #expect(error.code == .timeout && error.phase == .queue && error.sent == .notSent && error.retryable)
      // The patient one waits for longer than all of its other timers.
      await pause(.milliseconds(2_100))
      #expect(delegate.outcomes.count == 0)
      await peer.answerAll()
      let outcomes = try await delegate.outcomes.first(2)
      #expect(outcomes[1].info.handle == patient)
      #expect(outcomes[1].event.response != nil)
      #expect(peer.requests.all.map(\.target) == ["/slow", "/patient"])
    }
  }

  @Test func aHostThatNeverAnswersDoesNotHoldUpTheOthers() async throws {
    try await scene(.test(perHost: 2)) { connection, request in
      if request.head.headers["Host"]?.hasPrefix("dead") != true { connection.answer() }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let port = await peer.address.port ?? 0
      for _ in 0..<200 { client.request("http://dead.localhost:\(port)/", delegate: delegate) }
      try await peer.requests.first(2)
      for index in 0..<20 { _ = try await client.send(HttpRequest("http://live\(index % 2).localhost:\(port)/")) }
      #expect(delegate.outcomes.count == 0)
      #expect(await client.stats().queued == 198)
    }
  }

  @Test func ownersOfAHostTakeTurns() async throws {
    try await scene(.test(perHost: 1)) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let url = await peer.url()
      await client.onLoop { client in
        for index in 0..<100 {
          var request = HttpRequest(url + "greedy\(index)")
          request.owner = "greedy"
          client.submit(request, delegate: delegate)
        }
        for index in 0..<3 {
          var request = HttpRequest(url + "modest\(index)")
          request.owner = "modest"
          client.submit(request, delegate: delegate)
        }
      }
      try await delegate.outcomes.first(103)
      let modest = peer.requests.all.enumerated().filter { $0.element.target.hasPrefix("/modest") }.map(\.offset)
      #expect(modest.allSatisfy { $0 <= 7 }, "\(modest)")
    }
  }

  @Test func aFullQueueRefusesTheNextRequest() async throws {
    let configuration = HttpClient.Configuration.test {
      $0.maxConnectionsPerHost = 1
      $0.maxQueued = 3
    }
    try await scene(configuration) { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      for _ in 0..<6 { client.request(await peer.url(), delegate: delegate) }
      let refused = try await delegate.outcomes.first(2)
      for (info, event) in refused {
        #expect(event.error?.code == .queueFull && event.error?.phase == .queue && event.error?.sent == .notSent)
        #expect(info.handle.id > 4)
      }
      #expect(await client.stats().queued == 3)
      await client.cancel(.all)
      try await delegate.outcomes.first(6)
    }
  }

  @Test func tenThousandWaitBehindALimitAndAreGivenUpAgain() async throws {
    try await scene(.test(perHost: 1)) { _, _ in
    } test: { client, peer in
      let sink = RecordingSink()
      let url = await peer.url()
      for tag in 0..<50 {
        await client.onLoop { client in
          for index in 0..<200 {
            var request = HttpRequest(url, tag: tag)
            request.owner = "owner \(index)"
            client.submitOnLoop(request, sink: sink)
          }
        }
      }
      try await peer.requests.first(1)
      #expect(await client.stats().queued == 9_999)
      for tag in (0..<50).reversed() {
        let receipts = await client.cancel(CancelScope(tag: tag))
        #expect(receipts.count == 200)
      }
      #expect(sink.outcomes.count == 10_000)
      #expect(peer.requests.count == 1)
    }
  }
}

/// How many are inside at once, and were at the most.
@LoopActor
final class Inside {
  private var count = 0
  private(set) var most = 0

  nonisolated init() {}

  func enter() {
    count += 1
    most = max(most, count)
  }

  func leave() { count -= 1 }
}
