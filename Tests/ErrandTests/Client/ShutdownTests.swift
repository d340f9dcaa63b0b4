import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) struct ShutdownTests {
  @Test(arguments: CancelPoint.allCases) func aRequestInAnyStateHasOneOutcomeBeforeShutdownReturns(point: CancelPoint) async throws {
    try await point.stage { stage in
      let client = stage.client
      let shutdown = Task { await client.shutdown(grace: .milliseconds(20)) }
      if point == .delivering { stage.release() }
      await shutdown.value
      #expect(stage.delegate.outcomes.count == 1)
      let event = try #require(stage.delegate.outcomes.all.first).event
      #expect(event.name == "cancelled" || point == .delivering, "\(event)")
    }
  }

  @Test func withoutGraceThoseThatWereCancelledAreToldBeforeItReturns() async throws {
    for _ in 0..<20 {
      try await scene(.test(perHost: 2)) { _, _ in
      } test: { client, peer in
        let delegate = RecordingDelegate()
        let url = await peer.url()
        for _ in 0..<30 { client.request(url, delegate: delegate) }
        client.request("nonsense", delegate: delegate)
        await client.shutdown(grace: .zero)
        #expect(delegate.outcomes.count == 31)
      }
    }
  }

  @Test func thoseUnderWayMayEndWithinTheGraceAndQueuedOnesToo() async throws {
    try await scene(.test(perHost: 2)) { connection, _ in
      after(.milliseconds(2)) { connection.answer() }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      for _ in 0..<20 { client.request(await peer.url(), delegate: delegate) }
      await client.shutdown(grace: .seconds(80))
      let outcomes = delegate.outcomes.all
      #expect(outcomes.count == 20 && outcomes.allSatisfy { $0.event.response != nil })
    }
  }

  @Test func whatIsStillUnderWayAfterTheGraceIsCancelled() async throws {
    try await scene(.test(perHost: 5)) { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      for _ in 0..<20 { client.request(await peer.url(), delegate: delegate) }
      let start = Instant.now()
      await client.shutdown(grace: .milliseconds(50))
      #expect(start.duration(to: .now()) >= .milliseconds(50))
      let outcomes = delegate.outcomes.all
      #expect(outcomes.count == 20 && outcomes.allSatisfy { $0.event.name == "cancelled" })
      #expect(peer.requests.count <= 5)
    }
  }

  @Test func newRequestsAreDeniedFromThenOn() async throws {
    try await scene { _, _ in
    } test: { client, peer in
      let held = RecordingDelegate()
      client.request(await peer.url(), delegate: held)
      try await peer.requests.first(1)
      let shutdown = Task { await client.shutdown(grace: .seconds(80)) }
      try await client.wait("shutdown to begin") { $0.engine.isShutDown }
      let error = try await client.failure(HttpRequest(await peer.url()))
      #expect(error.code == .denied && error.sent == .notSent)
      await peer.answerAll()
      await shutdown.value
      #expect(held.outcomes.all.first?.event.response != nil)
      let later = try await client.failure(HttpRequest(await peer.url()))
      #expect(later.code == .denied)
    }
  }

  @Test func idleConnectionsAreClosedAndASecondShutdownReturnsToo() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url()))
      await client.shutdown(grace: .seconds(80))
      try await peer.closed.first(1)
      await client.shutdown(grace: .zero)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<5 { group.addTask { await client.shutdown(grace: .milliseconds(1)) } }
      }
    }
  }
}
