import Errand
import EventLoop
import Glibc
import Synchronization

/// Many requests without an answer: what each costs in memory, and cancelling all of them against closing as many sockets.
final class InFlight: HttpClientDelegate {
  private let count: Int
  private let server: HoldServer
  private let ports: [UInt16]
  private let client: HttpClient
  private let cancelled = Atomic<Int>(0)
  private let others = Atomic<Int>(0)

  init(count: Int, server: HoldServer, ports: [UInt16]) {
    self.count = count
    self.server = server
    self.ports = ports
    var configuration = HttpClient.Configuration()
    configuration.maxConnectionsPerHost = count
    configuration.maxConnections = count
    client = HttpClient(configuration)
  }

  func run() async -> String {
    var rounds: [String] = []
    var bytesPerRequest = 0.0
    for round in 0..<ports.count / 2 {
      // Memory counts in the first round only: later ones find it allocated.
      let before = Measures.residentKilobytes()
      await submit(to: ports[2 * round])
      if round == 0 { bytesPerRequest = Double(Measures.residentKilobytes() - before) * 1_024 / Double(count) }
      let cancel = await cancelAll()
      let close = await closePlainSockets(at: ports[2 * round + 1])
      rounds.append(jsonLine(["cancel_ns": cancel, "close_ns": close]))
    }
    let failed = others.load(ordering: .relaxed)
    await client.shutdown(grace: .seconds(2))
    return jsonLine([
      "in_flight": count, "failed": failed, "bytes_per_request": bytesPerRequest, "rounds": "[" + rounds.joined(separator: ", ") + "]",
    ])
  }

  private func submit(to port: UInt16) async {
    let request = HttpRequest("http://127.0.0.1:\(port)/", tag: 7, key: "bench")
    for _ in 0..<count { client.submit(request, delegate: self) }
    await server.wait(for: count)
  }

  /// Until all receipts are there. The delegate hears of them after that.
  private func cancelAll() async -> Int64 {
    let told = cancelled.load(ordering: .relaxed)
    let started = Instant.now()
    let receipts = await client.cancel(CancelScope(tag: 7))
    let elapsed = Instant.now().nanoseconds - started.nanoseconds
    guard receipts.count == count else {
      print("errand-bench: \(receipts.count) receipts for \(count) requests")
      exit(1)
    }
    await server.wait(for: 0)
    while cancelled.load(ordering: .relaxed) - told < count { try? await Task.sleep(for: .milliseconds(2)) }
    return elapsed
  }

  private func closePlainSockets(at port: UInt16) async -> Int64 {
    let request = Array("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8)
    var descriptors: [Int32] = []
    descriptors.reserveCapacity(count)
    for _ in 0..<count {
      let descriptor = PlainSockets.connect(to: port)
      PlainSockets.send(request, on: descriptor)
      descriptors.append(descriptor)
    }
    await server.wait(for: count)
    let started = Instant.now()
    for descriptor in descriptors { close(descriptor) }
    let elapsed = Instant.now().nanoseconds - started.nanoseconds
    await server.wait(for: 0)
    return elapsed
  }

  func requestDidFinish(_ info: RequestInfo, response: HttpResponse) { others.wrappingAdd(1, ordering: .relaxed) }
  func requestDidFail(_ info: RequestInfo, error: HttpClientError) { others.wrappingAdd(1, ordering: .relaxed) }
  func requestWasCancelled(_ info: RequestInfo, receipt: CancelReceipt) { cancelled.wrappingAdd(1, ordering: .relaxed) }
}
