import Dispatch
import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Many requests, many threads, and what must hold whatever meets what.
@Suite(.timeLimit(.minutes(3))) struct StressTests {
  @Test func onceAReceiptSaysCancelledNoCompletionFollows() async throws {
    try await scene(.test(perHost: 16)) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let url = await peer.url()
      let ends = Record<(handle: RequestHandle, name: String)>("ends")
      let receipts = Record<CancelReceipt>("receipts")
      let count = 4_000
      let delegate = RecordingDelegate()
      DispatchQueue.global().async {
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
          for index in 0..<(count / 4) {
            let handle = client.request(url, delegate: delegate, tag: index)
            if index % 2 == 0 {
              client.cancel(handle) { receipts.add($0) }
            } else {
              // Later, so that some are caught on their way to the delegate and some come too late.
              DispatchQueue.global().async { client.cancel(handle) { receipts.add($0) } }
            }
          }
        }
        ends.add((RequestHandle(id: 0), "submitted"))
      }
      try await ends.first(1)
      let told = try await receipts.first(count)
      let outcomes = try await delegate.outcomes.first(count)
      var names: [RequestHandle: [String]] = [:]
      for (info, event) in outcomes { names[info.handle, default: []].append(event.name) }
      #expect(names.count == count, "each has one outcome")
      for receipt in told {
        let wanted = receipt.result == .cancelled ? "cancelled" : "finished"
        if names[receipt.handle] != [wanted] {
          Issue.record("\(receipt): \(names[receipt.handle] ?? [])")
          return
        }
      }
      await client.shutdown(grace: .zero)
      #expect(delegate.outcomes.count == count)
    }
  }

  @Test func aCancelThatReturnsBeforeTheDeliveryStopsIt() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let url = await peer.url()
      for round in 0..<100 {
        let gate = Gate()
        let blocker = RecordingDelegate(before: { _ in gate.pass() })
        client.request(url, delegate: blocker)
        try await gate.reached.first(1)
        let delegate = RecordingDelegate([.head, .bodyChunks])
        let handles = (0..<5).map { _ in client.request(url, delegate: delegate) }
        try await client.wait("all five to have ended") { client in
          handles.allSatisfy { handle in client.engine.table[handle]?.machine.state == .ended }
        }
        let receipts = round % 2 == 0 ? try await client.cancelEach(handles) : await client.cancel(CancelScope(delegate: delegate))
        #expect(receipts.map(\.result) == Array(repeating: .cancelled, count: 5))
        #expect(receipts.allSatisfy { $0.sent == .sent && $0.connection == .kept })
        gate.open()
        try await delegate.outcomes.first(5)
        #expect(delegate.events.all.allSatisfy { $0.event.name == "cancelled" }, "no event of a cancelled request is delivered")
        try await blocker.outcomes.first(1)
      }
    }
  }

  @Test func faultsCancelsAndTimeoutsOfAllKindsLeaveNothingBehind() async throws {
    try await scene(.test(perHost: 8)) { connection, request in
      switch request.target {
      case "/ok": connection.answer()
      case "/close": connection.answer(fields: "Connection: close\r\n")
      case "/reset": connection.reset()
      case "/half":
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf")
        connection.close()
      case "/garbage": connection.write("garbage\r\n\r\n")
      case "/surplus": connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokmore")
      case "/retry": connection.answer(status: 503)
      case "/late": after(.milliseconds(3)) { connection.answer() }
      default: break
      }
    } test: { client, peer in
      let url = await peer.url()
      let paths = ["ok", "close", "reset", "half", "garbage", "surplus", "retry", "late", "never"]
      let delegate = RecordingDelegate()
      let count = 3_000
      var generator = SeededGenerator(seed: 1)
      for index in 0..<count {
        let path = paths[Int(generator.next() % 9)]
        var request = HttpRequest(url + path, tag: Int(generator.next() % 50))
        request.owner = "\(generator.next() % 5)"
        request.retry.max = 2
        request.retry.baseDelay = .milliseconds(2)
        if path == "never" { request.timeouts.firstByte = .milliseconds(Int64(generator.next() % 20) + 1) }
        if generator.next() % 4 == 0 { request.method = .post }
        let handle = client.submit(request, delegate: delegate)
        if generator.next() % 3 == 0 { client.cancel(handle, completion: nil) }
        if index % 100 == 99 {
          await client.cancel(CancelScope(tag: Int(generator.next() % 50)))
        }
      }
      let outcomes = try await delegate.outcomes.first(count)
      #expect(Set(outcomes.map(\.info.handle)).count == count)
      #expect(await client.slots().inUse == 0)
      for (info, event) in outcomes {
        if event.response != nil { #expect(["/ok", "/close", "/surplus", "/late"].contains { info.url.hasSuffix($0) }, "\(info.url)") }
      }
    }
  }

  @Test func twoThousandInFlightThatAreNeverAnsweredEndByCancelByScopeAndByTimeout() async throws {
    // Fewer where descriptors are scarce: both ends are in this process.
    let limit = Int(Socket.raiseDescriptorLimit())
    let count = min(2_000, max(200, (limit - 500) / 4)) / 4 * 4
    let configuration = HttpClient.Configuration.test {
      $0.maxConnections = count
      $0.maxConnectionsPerHost = count
    }
    try await scene(configuration) { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let url = await peer.url()
      var handles: [RequestHandle] = []
      for index in 0..<count {
        var request = HttpRequest(url, tag: index % 4)
        if index % 4 == 3 { request.timeouts.firstByte = .milliseconds(500) }
        handles.append(client.submit(request, delegate: delegate))
      }
      try await peer.requests.first(count)
      let byScope = await client.cancel(CancelScope(tag: 0)) + client.cancel(CancelScope(tag: 1))
      #expect(byScope.count == count / 2)
      let byHandle = try await client.cancelEach(handles.enumerated().filter { $0.offset % 4 == 2 }.map(\.element))
      #expect(byHandle.allSatisfy { $0.result == .cancelled })
      let outcomes = try await delegate.outcomes.first(count)
      #expect(Set(outcomes.map(\.info.handle)).count == count)
      #expect(outcomes.count { $0.event.error?.phase == .firstByte } == count / 4)
      try await peer.closed.first(count)
    }
  }
}
