import Errand
import EventLoop

/// Many requests queued behind few slots. They are submitted in one turn of the loop, so that none is answered meanwhile: what that turn
/// takes is the price of submitting and queueing.
@LoopActor
final class Queue: OutcomeSink {
  private let client: HttpClient
  private let request: HttpRequest
  private let limit: Int
  private let count: Int
  private var waiting: CheckedContinuation<Void, Never>?
  private var outstanding = 0
  private var finished = 0
  private var failed = 0
  private var admissionSeconds = 0.0

  nonisolated init(_ target: Target, limit: Int, count: Int) {
    client = target.client(slots: limit)
    request = target.request
    self.limit = limit
    self.count = count
  }

  func run(total: Int) async -> String {
    // Not measured: connections are made, memory comes from the system.
    await batch()
    (finished, failed, admissionSeconds) = (0, 0, 0)
    let started = Instant.now()
    let cpu = Measures.cpuSeconds()
    while finished + failed < total { await batch() }
    let elapsed = started.duration(to: .now())
    let used = Measures.cpuSeconds() - cpu
    await client.shutdown(grace: .seconds(2))
    return jsonLine([
      "requests": finished, "failed": failed, "seconds": elapsed / .seconds(1), "cpu_seconds": used, "peak_kb": Measures.peakKilobytes(),
      "admission_seconds": admissionSeconds,
    ])
  }

  private func batch() async {
    await withCheckedContinuation { continuation in
      waiting = continuation
      outstanding = limit + count
      // These take the slots; they are sent at once and not queued.
      for _ in 0..<limit { client.submitOnLoop(request, sink: self) }
      let cpu = Measures.threadCpuSeconds()
      for _ in 0..<count { client.submitOnLoop(request, sink: self) }
      admissionSeconds += Measures.threadCpuSeconds() - cpu
    }
  }

  func requestEnded(_ info: RequestInfo, _ outcome: Outcome) {
    if case .finished = outcome { finished += 1 } else { failed += 1 }
    if case .failed(let error) = outcome, failed == 1 { complain(error) }
    outstanding -= 1
    guard outstanding == 0 else { return }
    waiting?.resume()
    waiting = nil
  }
}
