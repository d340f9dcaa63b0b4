import EventLoop
import HttpWire
import Testing

@testable import Errand

private final class Observer: OutcomeObserver {
  enum Event: Sendable {
    case began(RequestInfo)
    case ended(RequestInfo, Outcome, RequestTrace?, onLoop: Bool)
  }

  let events = Record<Event>("what an observer was told")

  func requestBegan(_ request: RequestInfo) { events.add(.began(request)) }
  func requestEnded(_ request: RequestInfo, _ outcome: Outcome, _ trace: RequestTrace?) {
    events.add(.ended(request, outcome, trace, onLoop: EventLoop.shared.isOnLoop))
  }

  /// What was told, as handle and word.
  func words(_ count: Int) async throws -> [String] {
    try await events.first(count).map { event in
      switch event {
      case .began(let info): return "\(info.handle) began"
      case .ended(let info, .finished, _, _): return "\(info.handle) finished"
      case .ended(let info, .failed(let error), _, _): return "\(info.handle) \(error.code)"
      case .ended(let info, .cancelled, _, _): return "\(info.handle) cancelled"
      }
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct ObserverTests {
  private let observer = Observer()
  private var configuration: HttpClient.Configuration { .test { [observer] in $0.observers = [observer] } }

  @Test func eachWayInIsObservedOnceFromBeginningToEnd() async throws {
    try await scene(configuration) { connection, request in
      connection.answer(status: request.target == "/missing" ? 404 : 200)
    } test: { client, peer in
      let url = await peer.url()
      _ = try await client.send(HttpRequest(url))
      _ = try await client.failure(HttpRequest(await peer.url("/missing")))
      let delegate = RecordingDelegate()
      client.submit(HttpRequest(url), delegate: delegate)
      try await delegate.outcomes.first(1)
      let done = Record<Int>("completions")
      client.submit(HttpRequest(url)) { _ in done.add(1) }
      try await done.first(1)
      let sink = RecordingSink()
      await client.onLoop { _ = $0.submitOnLoop(HttpRequest(url), sink: sink) }
      try await sink.outcomes.first(1)
      client.submit(HttpRequest(url), delegate: nil)
      let words = try await observer.words(12)
      #expect(
        words == [
          "1 began", "1 finished", "2 began", "2 http_status", "3 began", "3 finished", "4 began", "4 finished", "5 began", "5 finished",
          "6 began", "6 finished",
        ])
      for case .ended(_, _, let trace, let onLoop) in observer.events.all {
        #expect(!onLoop && trace?.timeline.contains { $0.event == "head" } == true)
      }
    }
  }

  @Test func aRefusedRequestIsObservedWithoutATrace() async throws {
    try await scene(configuration) { connection, _ in
      connection.answer()
    } test: { client, _ in
      _ = try await client.failure(HttpRequest("nonsense"))
      let words = try await observer.words(2)
      #expect(words == ["1 began", "1 invalid_request"])
      guard case .ended(_, _, let trace, _) = observer.events.all[1] else { return }
      #expect(trace == nil)
    }
  }

  @Test func aCancelledRequestIsObservedAsThat() async throws {
    try await scene(configuration) { _, _ in
    } test: { client, peer in
      let handle = client.submit(HttpRequest(await peer.url()), delegate: nil)
      try await peer.requests.first(1)
      await client.cancel(handle)
      let words = try await observer.words(2)
      #expect(words == ["1 began", "1 cancelled"])
    }
  }

  @Test func aCancelThatBeatsTheDeliveryIsTheOneOutcomeObserved() async throws {
    try await scene(configuration) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let gate = Gate()
      let blocker = RecordingDelegate(before: { _ in gate.pass() })
      client.submit(HttpRequest(await peer.url()), delegate: blocker)
      try await peer.requests.first(1)
      try await gate.reached.first(1)
      let delegate = RecordingDelegate()
      let second = client.submit(HttpRequest(await peer.url()), delegate: delegate)
      try await client.wait("the second outcome on its way") { $0.engine.deliveries.undelivered == 2 }
      let receipt = await client.cancel(second)
      #expect(receipt.result == .cancelled)
      gate.open()
      let told = try await delegate.outcomes.first(1)
      #expect(told[0].event.name == "cancelled")
      let words = try await observer.words(4)
      #expect(words == ["1 began", "1 finished", "2 began", "2 cancelled"])
      await client.shutdown(grace: .zero)
      await loopTurn()
      #expect(observer.events.count == 4)
    }
  }

  @Test func observersDoNotHoldUpDelegates() async throws {
    let gate = Gate()
    struct Slow: OutcomeObserver {
      let gate: Gate
      func requestEnded(_ request: RequestInfo, _ outcome: Outcome, _ trace: RequestTrace?) { gate.pass() }
    }
    try await scene(.test { $0.observers = [Slow(gate: gate)] }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let delegate = RecordingDelegate()
      for _ in 0..<5 { client.submit(HttpRequest(await peer.url()), delegate: delegate) }
      try await delegate.outcomes.first(5)
      gate.open()
    }
  }
}
