import Dispatch
import EventLoop
import HttpWire
import Testing

@testable import Errand

/// How outcomes and events get to delegates.
@Suite(.timeLimit(.minutes(2))) struct DeliveryTests {
  @Test func eachOutcomeGoesToItsOwnDelegateWithHandleTagAndKey() async throws {
    try await scene { connection, request in
      connection.answer(request.target)
    } test: { client, peer in
      let delegates = (0..<5).map { _ in RecordingDelegate() }
      var expected: [RequestHandle: (delegate: Int, tag: Int, key: String)] = [:]
      for index in 0..<200 {
        let handle = client.request(
          await peer.url("/\(index)"), delegate: delegates[index % 5], tag: index, key: "key \(index)")
        expected[handle] = (index % 5, index, "key \(index)")
      }
      for (number, delegate) in delegates.enumerated() {
        for (info, event) in try await delegate.outcomes.first(40) {
          let found = expected.removeValue(forKey: info.handle)
          let wanted = try #require(found)
          #expect(wanted.delegate == number && info.tag == wanted.tag && info.key == wanted.key)
          #expect(event.response?.text == "/\(wanted.tag)")
          #expect(info.url.hasSuffix("/\(wanted.tag)") && info.method == .get)
        }
      }
      #expect(expected.isEmpty)
    }
  }

  @Test func theEventsOfARequestComeInOrderAndTheOutcomeLast() async throws {
    try await scene { connection, _ in
      connection.write("HTTP/1.1 103 Early Hints\r\n\r\n")
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
      after(.milliseconds(1)) { connection.write("6\r\n world\r\n0\r\n\r\n") }
    } test: { client, peer in
      let delegate = RecordingDelegate([.interim, .head, .bodyChunks, .uploadProgress])
      client.request(await peer.url(), body: .text("upload"), delegate: delegate)
      try await delegate.outcomes.first(1)
      let events = delegate.events.all.map(\.event)
      var names = events.map(\.name)
      #expect(names.removeFirst() == "sent")
      #expect(names.first == "interim" && names.dropFirst().first == "head" && names.last == "finished")
      #expect(names.dropFirst(2).dropLast().allSatisfy { $0 == "chunk" })
      let body = events.flatMap { event -> [UInt8] in if case .chunk(let bytes) = event { bytes } else { [] } }
      #expect(String(decoding: body, as: UTF8.self) == "hello world")
      #expect(events.last?.response?.body == [], "the body was streamed")
    }
  }

  @Test func withoutInterestsTheOutcomeIsAllThatComes() async throws {
    try await scene { connection, _ in
      connection.write("HTTP/1.1 103 Early Hints\r\n\r\n")
      connection.answer()
    } test: { client, peer in
      let delegate = RecordingDelegate()
      client.request(await peer.url(), body: .text("upload"), delegate: delegate)
      try await delegate.outcomes.first(1)
      #expect(delegate.events.count == 1)
    }
  }

  @Test func uploadProgressGrowsToTheWhole() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let delegate = RecordingDelegate(.uploadProgress)
      let total = Int64(6 << 20)
      client.request(await peer.url(), body: .bytes([UInt8](repeating: 1, count: Int(total))), delegate: delegate)
      try await delegate.outcomes.first(1)
      let sent = delegate.events.all.compactMap { event -> Int64? in
        guard case .sent(let sent, let of) = event.event else { return nil }
        #expect(of == total)
        return sent
      }
      #expect(sent.count > 2 && sent == sent.sorted() && Set(sent).count == sent.count, "it tells each step once: \(sent)")
      #expect(sent.last == total)
    }
  }

  @Test func aSlowDelegateHoldsTheServerBackInBoundedMemory() async throws {
    let total = 16 << 20
    try await pouring(total) { client, peer in
      let gate = Gate()
      defer { gate.open() }
      let delegate = RecordingDelegate(.bodyChunks, before: { _ in gate.pass() })
      let handle = client.request(await peer.url(), delegate: delegate)
      try await client.wait(for: handle) { $0.connection?.isPaused($0) == true }
      // What the server can get rid of now is in the kernel's buffers; Errand reads no more.
      let received = await client.onLoop { $0.engine.table[handle]?.receivedCount ?? 0 }
      #expect(received <= 1_048_576 + 262_144, "the limit and one read")
      await pause(.milliseconds(100))
      let later = await client.onLoop { $0.engine.table[handle]?.receivedCount ?? 0 }
      #expect(later == received)
      gate.open()
      try await delegate.outcomes.first(1)
      let body = delegate.events.all.reduce(0) { sum, event in
        if case .chunk(let bytes) = event.event { sum + bytes.count } else { sum }
      }
      #expect(body == total)
    }
  }

  @Test func theTimeOfASlowDelegateIsNotTheServersIdleTime() async throws {
    let total = 8 << 20
    try await pouring(total) { client, peer in
      let gate = Gate()
      defer { gate.open() }
      let delegate = RecordingDelegate(.bodyChunks, before: { _ in gate.pass() })
      var request = HttpRequest(await peer.url())
      request.timeouts.idle = .milliseconds(900)
      let handle = client.submit(request, delegate: delegate)
      try await client.wait(for: handle) { $0.connection?.isPaused($0) == true }
      await pause(.milliseconds(2_000))
      gate.open()
      let outcomes = try await delegate.outcomes.first(1)
      #expect(outcomes[0].event.response != nil, "\(outcomes[0].event)")
    }
  }

  @Test func aStreamedBodyMayBeLargerThanTheLimitOfOneInMemory() async throws {
    try await scene(.test { $0.maxBodyBytes = 10 }) { connection, _ in
      connection.answer(String(repeating: "x", count: 1_000))
    } test: { client, peer in
      let delegate = RecordingDelegate(.bodyChunks)
      client.request(await peer.url(), delegate: delegate)
      let outcomes = try await delegate.outcomes.first(1)
      #expect(outcomes[0].event.response?.status == 200)
    }
  }

  @Test func aDelegateThatIsGoneGetsNothingAndKeepsNothing() async throws {
    try await scene { connection, request in
      if request.target == "/now" { connection.answer() }
    } test: { client, peer in
      var delegate: RecordingDelegate? = RecordingDelegate()
      weak let seen = delegate
      let outcomes = try #require(delegate).outcomes
      client.request(await peer.url("/later"), delegate: delegate)
      try await peer.requests.first(1)
      delegate = nil
      #expect(seen == nil, "held weakly")
      await peer.answerAll()
      try await client.wait("the table to be empty") { $0.engine.table.count == 0 }
      #expect(outcomes.count == 0)
      _ = try await client.send(HttpRequest(await peer.url("/now")))
    }
  }

  @Test func theCallersQueueIsUsedAndTheClientsOneOtherwise() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let mine = DispatchQueue(label: "mine")
      let key = DispatchSpecificKey<Int>()
      mine.setSpecific(key: key, value: 7)
      let places = Record<Int?>("queues")
      let delegate = RecordingDelegate(before: { _ in
        #expect(!EventLoop.shared.isOnLoop)
        places.add(DispatchQueue.getSpecific(key: key))
      })
      for index in 0..<10 {
        let request = HttpRequest(await peer.url())
        client.submit(request, delegate: delegate, queue: index % 2 == 0 ? mine : nil)
      }
      let seen = try await places.first(10)
      #expect(seen.count { $0 == 7 } == 5 && seen.count { $0 == nil } == 5)
      client.submit(HttpRequest("nonsense"), delegate: delegate, queue: mine)
      let last = try await places.first(11)
      #expect(last[10] == 7)
      try await delegate.outcomes.first(11)
    }
  }

  @Test func aBlockedQueueHoldsUpNeitherTheLoopNorOtherQueues() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let gate = Gate()
      defer { gate.open() }
      let blocked = RecordingDelegate(before: { _ in gate.pass() })
      client.submit(HttpRequest(await peer.url()), delegate: blocked, queue: DispatchQueue(label: "blocked"))
      try await gate.reached.first(1)
      let other = RecordingDelegate()
      client.submit(HttpRequest(await peer.url()), delegate: other)
      try await other.outcomes.first(1)
      _ = try await client.send(HttpRequest(await peer.url()))
      gate.open()
      try await blocked.outcomes.first(1)
    }
  }

  @Test func aDelegateMaySubmitAndCancelFromItsCallbacks() async throws {
    try await scene { connection, request in
      if request.target != "/held" { connection.answer() }
    } test: { client, peer in
      let url = await peer.url()
      let second = RecordingDelegate()
      let held = client.request(url + "held", delegate: second)
      try await peer.requests.first(1)
      let first = RecordingDelegate(before: { _ in
        client.request(url + "next", delegate: second)
        client.cancel(held, completion: nil)
      })
      client.request(url, delegate: first)
      let outcomes = try await second.outcomes.first(2)
      #expect(Set(outcomes.map(\.event.name)) == ["finished", "cancelled"])
    }
  }
}
