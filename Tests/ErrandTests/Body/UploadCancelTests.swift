import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Uploads that are cancelled, at any point.
@Suite(.timeLimit(.minutes(3))) struct UploadCancelTests {
  enum Point: CaseIterable {
    case queued, opening, connecting, heldForContinue, sending, waitingForResponse, receiving, delivering
  }

  @LoopActor private func isReached(_ point: Point, _ item: RequestItem) -> Bool {
    switch (point, item.machine.state) {
    case (.queued, .queued): true
    case (.connecting, .connecting): item.feed?.isUnopened != true && item.attempt != nil
    case (.heldForContinue, .exchanging): item.holdsBody && item.written > 0
    case (.sending, .exchanging(let exchange)): item.bodyWritten > 0 && !exchange.isWhole
    case (.waitingForResponse, .exchanging(let exchange)): exchange.isWhole
    case (.receiving, .exchanging): item.receivedCount > 0
    case (.delivering, .ended): true
    default: false
    }
  }

  @Test(arguments: UploadKind.large, Point.allCases) func nothingOfItIsLeft(kind: UploadKind, point: Point) async throws {
    var configuration = HttpClient.Configuration.test
    if point == .queued { configuration.maxConnectionsPerHost = 1 }
    configuration.expectContinueWait = .seconds(60)
    let full = point == .connecting ? try FullListener() : nil
    defer { full?.close() }
    try await scene(configuration) { connection, request in
      switch point {
      case .receiving: connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
      case .delivering: connection.answer()
      default: break
      }
    } test: { client, peer in
      let upload = try Upload(kind, size: point == .sending ? 32 << 20 : 600_000)
      let gate = Gate()
      defer { gate.open() }
      let blocker = RecordingDelegate(before: { _ in gate.pass() })
      defer { withExtendedLifetime(blocker) {} }
      if point == .queued {
        client.submit(HttpRequest(await peer.url("/blocks")), delegate: nil)
        try await peer.requests.first(1)
      }
      if point == .delivering {
        client.submit(HttpRequest(await peer.url("/blocks")), delegate: blocker)
        try await gate.reached.first(1)
      }
      if point == .sending { await peer.stopReadingNewConnections() }
      let headers: HttpHeaders = point == .heldForContinue ? ["Expect": "100-continue"] : [:]
      let url = if let full { full.url } else { await peer.url() }
      let request = HttpRequest.put(url, upload, headers: headers)
      let delegate = RecordingDelegate()
      if point == .opening {
        // In the turn in which it was submitted, before anybody can know that its files are open.
        let sink = RecordingSink()
        let receipt = await client.onLoop { client in client.cancelOnLoop(client.submitOnLoop(request, sink: sink)) }
        #expect(receipt.result == .cancelled && receipt.sent == .notSent)
        #expect(sink.outcomes.count == 1)
      } else {
        let handle = client.submit(request, delegate: delegate)
        try await client.wait(for: handle) { isReached(point, $0) }
        let receipt = await client.cancel(handle)
        #expect(receipt.result == .cancelled)
        gate.open()
        let outcomes = try await delegate.outcomes.first(1)
        #expect(outcomes[0].event.name == "cancelled")
      }
      let hasBegun = [.sending, .waitingForResponse, .receiving, .delivering].contains(point)
      try await upload.expectLetGo(streams: hasBegun ? 1 : 0)
    }
  }

  @Test(arguments: [false, true]) func aThousandCancelledUploadsLeaveNoDescriptorAndNoTask(isHttp2: Bool) async throws {
    let before = Descriptors.count
    let (file, stream) = (try Upload(.file, size: 2_000_000), try Upload(.stream, size: 2_000_000))
    let runs = Record<Bool>("streams that were begun")
    let counted = HttpBody.stream(
      HttpBodyStream {
        runs.add(true)
        return TrackedPieces(pieces: [stream.content], ended: stream.ended)
      })
    try await http2Scene(.test(perHost: 200)) { server, _ in
      server.givesWindows = false
      server.send(.windowUpdate(0, 1_000_000_000))
    } test: { client, http2 in
      try await scene(.test(perHost: 200)) { _, _ in
      } test: { client1, http1 in
        let client = isHttp2 ? client : client1
        var random = SeededGenerator(seed: 7)
        for round in 0..<10 {
          let delegate = RecordingDelegate()
          var handles: [RequestHandle] = []
          for index in 0..<100 {
            let body = index % 4 == 3 ? counted : file.body
            let request =
              isHttp2 ? await http2.request(method: .put, body: body) : HttpRequest(await http1.url(), method: .put, body: body)
            handles.append(client.submit(request, delegate: delegate))
          }
          if round % 2 == 0 { await pause(.milliseconds(Int64.random(in: 0...20, using: &random))) }
          if round % 4 == 1 {
            try await client.wait("one that sends") { client in client.engine.table.all.contains { $0.bodyWritten > 0 } }
          }
          for receipt in try await client.cancelEach(handles.shuffled(using: &random)) { #expect(receipt.result == .cancelled) }
          try await delegate.outcomes.first(100)
        }
        try await file.expectLetGo()
        try await stream.ended.wait { $0.count >= runs.count }
      }
    }
    try await waitUntil("descriptors") { Descriptors.count <= before }
  }
}

extension Descriptors {
  /// How many this process has open.
  static var count: Int { (0..<Int32(4_096)).count { fcntl($0, F_GETFD) >= 0 } }
}
