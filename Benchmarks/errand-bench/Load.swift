import Errand
import EventLoop
import Synchronization

/// So many requests at a time; each outcome starts the next one.
final class Load: HttpClientDelegate, OutcomeSink {
  private let client: HttpClient
  private let request: HttpRequest
  private let bodyBytes: Int?
  private let inFlight: Int
  private let finished = Atomic<Int>(0)
  private let failed = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)

  init(_ target: Target, inFlight: Int) {
    client = target.client(slots: inFlight)
    request = target.request
    bodyBytes = target.bodyBytes
    self.inFlight = inFlight
  }

  func run(seconds: Int, onLoop: Bool) async -> String {
    let started = Instant.now()
    let cpu = Measures.cpuSeconds()
    if onLoop {
      await startOnLoop()
    } else {
      for _ in 0..<inFlight { client.submit(request, delegate: self) }
    }
    try? await Task.sleep(for: .seconds(seconds))
    let requests = finished.load(ordering: .relaxed)
    let elapsed = started.duration(to: .now())
    let used = Measures.cpuSeconds() - cpu
    isOver.store(true, ordering: .relaxed)
    await client.shutdown(grace: .seconds(2))
    return jsonLine([
      "requests": requests, "failed": failed.load(ordering: .relaxed), "seconds": elapsed / .seconds(1), "cpu_seconds": used,
      "peak_kb": Measures.peakKilobytes(),
    ])
  }

  // The delegate, called on the client's delivery queue.

  func requestDidFinish(_ info: RequestInfo, response: HttpResponse) {
    if let bodyBytes, response.body.count != bodyBytes {
      failed.wrappingAdd(1, ordering: .relaxed)
    } else {
      finished.wrappingAdd(1, ordering: .relaxed)
    }
    next()
  }

  func requestDidFail(_ info: RequestInfo, error: HttpClientError) {
    // One that was on its way in as the client shut down.
    if isOver.load(ordering: .relaxed) { return }
    if failed.wrappingAdd(1, ordering: .relaxed).oldValue == 0 { complain(error) }
    next()
  }

  private func next() {
    if !isOver.load(ordering: .relaxed) { client.submit(request, delegate: self) }
  }

  // The same as a sink, called on the loop.

  @LoopActor private func startOnLoop() {
    for _ in 0..<inFlight { client.submitOnLoop(request, sink: self) }
  }

  @LoopActor func requestEnded(_ info: RequestInfo, _ outcome: Outcome) {
    if case .finished = outcome {
      finished.wrappingAdd(1, ordering: .relaxed)
    } else {
      failed.wrappingAdd(1, ordering: .relaxed)
    }
    if !isOver.load(ordering: .relaxed) { client.submitOnLoop(request, sink: self) }
  }
}
