import EventLoop
import HttpWire
import Testing

@testable import Errand

/// The states in which a request can be cancelled.
enum CancelPoint: CaseIterable {
  case queued, resolving, connecting, sending, waiting, interim, receiving, backingOff, delivering

  /// How much of it had gone out by then.
  var sent: SentState {
    switch self {
    case .queued, .resolving, .connecting: .notSent
    case .sending: .maybeSent
    case .waiting, .interim, .receiving, .backingOff, .delivering: .sent
    }
  }

  /// A request that has got into this state.
  struct Stage {
    let client: HttpClient
    let peer: ScriptedPeer
    let handle: RequestHandle
    let delegate: RecordingDelegate
    /// Lets outcomes be delivered, where the state is that they are not.
    let release: @Sendable () -> Void
  }

  func stage(_ body: (Stage) async throws -> Void) async throws {
    var configuration = HttpClient.Configuration.test
    if self == .queued { configuration.maxConnectionsPerHost = 1 }
    if self == .resolving { configuration.resolver = await StubResolver() }
    let full = self == .connecting ? try FullListener() : nil
    defer { full?.close() }
    try await scene(configuration) {
      answer($0, $1)
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      if self == .resolving { request.url = "http://silent.test/" }
      if let full { request.url = full.url }
      if self == .sending {
        request.body = .bytes([UInt8](repeating: 0x61, count: 32 << 20))
        await peer.stopReadingNewConnections()
      }
      if self == .backingOff { request.retry.max = 1 }
      if self == .queued {
        client.submit(request, delegate: nil)
        try await peer.requests.first(1)
      }
      let gate = Gate()
      defer { gate.open() }
      let blocker = RecordingDelegate(before: { _ in gate.pass() })
      defer { withExtendedLifetime(blocker) {} }
      if self == .delivering {
        // The outcome waits behind another one whose delegate is slow.
        client.submit(request, delegate: blocker)
        try await gate.reached.first(1)
      }
      let delegate = RecordingDelegate()
      let handle = client.submit(request, delegate: delegate)
      try await client.wait(for: handle) { isReached($0) }
      try await body(Stage(client: client, peer: peer, handle: handle, delegate: delegate, release: { gate.open() }))
    }
  }

  @LoopActor private func answer(_ connection: PeerConnection, _ request: SeenRequest) {
    switch self {
    case .interim: connection.write("HTTP/1.1 103 Early Hints\r\n\r\n")
    case .receiving: connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
    case .backingOff: connection.answer(status: 503, fields: "Retry-After: 20\r\n")
    case .delivering: connection.answer()
    case .queued, .resolving, .connecting, .sending, .waiting: break
    }
  }

  @LoopActor private func isReached(_ item: RequestItem) -> Bool {
    switch (self, item.machine.state) {
    case (.queued, .queued), (.resolving, .connecting), (.connecting, .connecting), (.backingOff, .backingOff), (.delivering, .ended): true
    case (.sending, .exchanging(let exchange)): exchange.written > 0 && !exchange.isWhole
    case (.waiting, .exchanging(let exchange)): exchange.isWhole
    case (.interim, .exchanging): !item.interim.isEmpty
    case (.receiving, .exchanging): item.receivedCount > 0
    case (_, .new), (_, .held), (_, .queued), (_, .connecting), (_, .exchanging), (_, .backingOff), (_, .preparing), (_, .ended):
      false
    }
  }
}
