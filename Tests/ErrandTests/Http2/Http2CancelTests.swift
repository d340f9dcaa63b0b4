import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) struct Http2CancelTests {
  @Test func `1,000 cancels in the middle of responses cost no connection and no other request`() async throws {
    let piece = [UInt8](repeating: 7, count: 1_000)
    try await http2Scene(.test { ($0.maxConnectionsPerHost, $0.http2.maxStreams) = (3_000, 3_000) }, settings: [Setting.maxStreams: 3_000])
    { server, _ in
      server.onRequest = { server, request in
        if request.path.hasPrefix("/cut") {
          server.send(.headers(request.stream, [(":status", "200")]), .data(request.stream, piece))
        } else {
          server.answer(request.stream, body: Array(request.path.utf8) + piece)
        }
      }
    } test: { client, peer in
      _ = try await client.response(peer.request("/first"))
      let cut = RecordingDelegate(.bodyChunks)
      let whole = RecordingDelegate()
      var handles: [RequestHandle] = []
      for round in 0..<1_000 {
        handles.append(client.submit(await peer.request("/cut\(round)"), delegate: cut))
        if round % 5 == 0 { client.submit(await peer.request("/whole\(round)"), delegate: whole) }
      }
      try await cut.events.wait { events in events.count { if case .chunk = $0.event { true } else { false } } >= 1_000 }
      for round in 0..<100 { client.submit(await peer.request("/late\(round)"), delegate: whole) }
      let receipts = try await client.cancelEach(handles)
      #expect(receipts.allSatisfy { $0.result == .cancelled && $0.sent == .sent && $0.connection == .kept })
      let outcomes = try await whole.outcomes.first(300)
      for outcome in outcomes {
        let body = try #require(outcome.event.response?.body)
        let path = outcome.info.url.split(separator: "/").last.map { "/" + $0 } ?? ""
        #expect(body == Array(path.utf8) + piece)
      }
      try await cut.outcomes.first(1_000)
      _ = try await client.response(peer.request("/last"))
      #expect(peer.accepted.count == 1)
      #expect(peer.closed.count == 0)
      try await client.wait("1,000 resets") { _ in peer.with(0) { $0.frames(.reset).count == 1_000 } }
      let resets = await peer.with(0) { $0.frames(.reset) }
      #expect(resets.allSatisfy { $0.number == 8 })
      #expect(Set(resets.map(\.stream)).count == 1_000)
    }
  }

  @Test func `a request that is cancelled in the turn in which it was made never reaches the server`() async throws {
    try await http2Scene {
      echoPath($0, $1)
    } test: { client, peer in
      _ = try await client.response(peer.request("/first"))
      let delegate = RecordingDelegate()
      let request = await peer.request("/never")
      let sink = RecordingSink()
      let receipt = await client.onLoop { client in
        let handle = client.submitOnLoop(request, sink: sink)
        return client.cancelOnLoop(handle)
      }
      #expect(receipt.result == .cancelled)
      #expect(receipt.sent == .notSent)
      #expect(receipt.bytesWritten == 0)
      _ = delegate
      _ = try await client.response(peer.request("/next"))
      #expect(peer.requests.all.map(\.request.path) == ["/first", "/next"])
      #expect(await peer.with(0) { $0.frames(.reset) } == [])
    }
  }

  @Test func `a cancel before the head, and one of an upload that the server does not read`() async throws {
    try await http2Scene { server, _ in
      server.givesWindows = false
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let get = client.submit(await peer.request("/get"), delegate: delegate)
      let upload = client.submit(
        await peer.request("/put", method: .put, body: .bytes([UInt8](repeating: 0, count: 1_000_000))), delegate: delegate)
      try await client.wait("the window to be used up") { _ in peer.servers.first?.requests[3]?.bodyCount == 65_535 }
      let receipts = try await client.cancelEach([get, upload])
      #expect(receipts.map(\.sent) == [.sent, .maybeSent])
      #expect(receipts[1].bytesWritten > 65_535 && receipts[1].bytesWritten < 66_000)
      try await client.wait("the resets") { _ in peer.with(0) { $0.frames(.reset).map(\.number) == [8, 8] } }
      #expect(await client.stats().openConnections == 1)
    }
  }

  @Test func `a scope cancelled while first requests wait for the server's settings`() async throws {
    try await http2Scene { server, _ in
      server.isHeld = true
      server.onRequest = { server, request in server.answer(request.stream) }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      var requests: [HttpRequest] = []
      for index in 0..<20 {
        var request = await peer.request("/\(index)")
        request.tag = index % 2
        requests.append(request)
      }
      for request in requests { client.submit(request, delegate: delegate) }
      try await peer.accepted.first(1)
      try await client.wait("all to be on the connection") { client in client.engine.table.all.allSatisfy { $0.connection != nil } }
      let receipts = await client.onLoop { $0.cancelOnLoop(.init(tag: 1)) }
      #expect(receipts.count == 10)
      #expect(receipts.allSatisfy { $0.sent == .notSent })
      await peer.with(0) { $0.isHeld = false }
      let outcomes = try await delegate.outcomes.first(20)
      #expect(outcomes.count { $0.event.response != nil } == 10)
      #expect(await peer.with(0) { $0.order.count } == 10)
      #expect(peer.accepted.count == 1)
    }
  }
}
