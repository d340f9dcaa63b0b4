import Errand
import EventLoop
import Synchronization

/// As many requests at a time as there are connections; each outcome starts the next request.
final class Load: HttpClientDelegate, OutcomeSink {
  private let client: HttpClient
  private let request: HttpRequest
  private let connections: Int
  private let finished = Atomic<Int>(0)
  private let failed = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)

  init(url: String, connections: Int, expect: Expectation) {
    var configuration = HttpClient.Configuration()
    configuration.maxConnectionsPerHost = connections
    configuration.maxConnections = connections
    client = HttpClient(configuration)
    var request = HttpRequest(url, tag: 7, key: "bench")
    request.expect = expect
    self.request = request
    self.connections = connections
  }

  func run(seconds: Int, onLoop: Bool) async -> String {
    let started = Instant.now()
    let cpu = Measures.cpuSeconds()
    if onLoop {
      await startOnLoop()
    } else {
      for _ in 0..<connections { client.submit(request, delegate: self) }
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
    finished.wrappingAdd(1, ordering: .relaxed)
    next()
  }

  func requestDidFail(_ info: RequestInfo, error: HttpClientError) {
    if failed.wrappingAdd(1, ordering: .relaxed).oldValue == 0 { report(error) }
    next()
  }

  private func next() {
    if !isOver.load(ordering: .relaxed) { client.submit(request, delegate: self) }
  }

  private func report(_ error: HttpClientError) {
    var standardError = StandardError()
    print("errand-bench: \(error)", to: &standardError)
  }

  // The same as a sink, called on the loop.

  @LoopActor private func startOnLoop() {
    for _ in 0..<connections { client.submitOnLoop(request, sink: self) }
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
