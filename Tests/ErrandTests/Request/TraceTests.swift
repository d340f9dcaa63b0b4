import EventLoop
import HttpWire
import Testing

@testable import Errand

/// What a sink on the loop learns of a request's life as it ends.
@Suite(.timeLimit(.minutes(1))) struct TraceTests {
  @LoopActor
  private final class Tracer: OutcomeSink {
    nonisolated let traces = Record<RequestTrace>("traces")
    private let client: HttpClient
    private(set) var lateReceipt: CancelReceipt?

    init(_ client: HttpClient) {
      self.client = client
    }

    func start(_ url: String) -> RequestHandle {
      client.submitOnLoop(HttpRequest(url), sink: self)
    }

    func requestEnded(_ request: RequestInfo, _ outcome: Outcome) {
      lateReceipt = client.cancelOnLoop(request.handle)
      if let trace = client.trace(request.handle) { traces.add(trace) }
    }
  }

  @Test func theTraceIsThereAtTheEndAndGoneAfterIt() async throws {
    try await scene { connection, _ in
      connection.answer("body")
    } test: { client, peer in
      let tracer = await Tracer(client)
      _ = await tracer.start(await peer.url())
      try await tracer.traces.first(1)
      let handle = await tracer.start(await peer.url())
      let traces = try await tracer.traces.first(2)
      #expect(traces[0].timeline.map(\.event) == ["queued", "slot", "resolved", "connected", "sent", "head"])
      #expect(traces[1].timeline.map(\.event) == ["queued", "slot", "reused", "sent", "head"])
      #expect(traces.map(\.connectionID) == [1, 1])
      #expect(traces[0].remoteAddress == "\(await peer.address)")
      #expect(traces[0].bytesReceived == 4)
      #expect(traces[0].bytesWritten > 0)
      let times = traces[0].timeline.map(\.at)
      #expect(times == times.sorted())
      #expect(await client.trace(handle) == nil)
    }
  }

  @LoopActor
  @Test func noTimeIsNegativeThoughTheCallbackThatSubmitsIsOld() async throws {
    let client = HttpClient()
    let sink = RecordingSink()
    // The loop's reading of the clock for this callback; then time goes on in it.
    let began = EventLoop.shared.now
    while began.duration(to: .now()) < .milliseconds(3) {}
    var request = HttpRequest("http://127.0.0.1/")
    request.unixSocket = "/nonexistent/socket"
    client.submitOnLoop(request, sink: sink)
    guard case .failed(let error)? = sink.outcomes.all.first?.outcome else {
      Issue.record("no failure at once")
      return
    }
    #expect(error.timings.total >= 0)
    #expect(error.timings.queue ?? 0 >= 0)
    await client.shutdown(grace: .zero)
  }

  @Test func aSinkCanNotCancelWhatItIsBeingToldOf() async throws {
    try await scene { connection, _ in
      connection.answer("body")
    } test: { client, peer in
      let tracer = await Tracer(client)
      _ = await tracer.start(await peer.url())
      try await tracer.traces.first(1)
      #expect(await tracer.lateReceipt?.result == .alreadyFinished)
    }
  }
}
