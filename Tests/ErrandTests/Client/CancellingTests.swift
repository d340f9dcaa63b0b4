import EventLoop
import HttpWire
import Testing

@testable import Errand

/// What goes wrong with cancelling elsewhere.
@Suite(.timeLimit(.minutes(2))) struct CancellingTests {
  @Test func aLateCancelOfARequestDoesNotTouchTheNextOneOnItsConnection() async throws {
    try await scene { connection, request in
      if request.target == "/a" { connection.answer("A") }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let a = client.request(await peer.url("/a"), delegate: delegate)
      try await delegate.outcomes.first(1)
      await loopTurn()
      let b = client.request(await peer.url("/b"), delegate: delegate)
      let seen = try await peer.requests.first(2)
      #expect(seen[0].connection == seen[1].connection)
      #expect(await client.cancel(a).result == .alreadyFinished)
      await peer.answerAll("B")
      let outcomes = try await delegate.outcomes.first(2)
      #expect(outcomes[1].info.handle == b)
      #expect(outcomes[1].event.response?.text == "B")
      #expect(delegate.outcomes.count == 2)
    }
  }

  @Test(arguments: CancelPoint.allCases) func cancelledInAnyStateThereIsExactlyOneOutcomeCancelled(point: CancelPoint) async throws {
    try await point.stage { stage in
      let receipt = await stage.client.cancel(stage.handle)
      #expect(receipt.result == .cancelled)
      #expect(receipt.sent == point.sent)
      #expect((receipt.bytesWritten > 0) == (point.sent != .notSent && point != .backingOff))
      #expect(await stage.client.cancel(stage.handle).result == .alreadyFinished)
      stage.release()
      let outcomes = try await stage.delegate.outcomes.first(1)
      #expect(outcomes[0].info.handle == stage.handle)
      guard case .cancelled(let told) = outcomes[0].event else {
        Issue.record("told of \(outcomes[0].event.name)")
        return
      }
      #expect(told == receipt)
      await stage.client.shutdown(grace: .zero)
      #expect(stage.delegate.outcomes.count == 1)
    }
  }

  @Test func anUnknownHandleIsSaidToBeUnknown() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      #expect(await client.cancel(RequestHandle(id: 99)).result == .unknown)
      #expect(await client.cancel(RequestHandle(id: .max)).result == .unknown)
    }
  }

  @Test func aRefusedConnectionCancelledInTheSameInstantHasOneOutcome() async throws {
    // A port that was free a moment ago and that nobody listens on.
    let peer = await ScriptedPeer { _, _ in }
    try await peer.start(on: .loopback(port: 0))
    let url = await peer.url()
    await peer.stop()
    let client = HttpClient(.test)
    let delegate = RecordingDelegate()
    let receipts = Record<CancelReceipt>("receipts")
    for index in 0..<300 {
      let handle = client.request(url, delegate: delegate, tag: index)
      if index % 2 == 0 {
        client.cancel(handle) { receipts.add($0) }
      } else {
        EventLoop.shared.enqueue { EventLoop.shared.enqueue { receipts.add(client.cancelOnLoop(handle)) } }
      }
    }
    let told = try await receipts.first(300)
    let outcomes = try await delegate.outcomes.first(300)
    let cancelled = Set(told.filter { $0.result == .cancelled }.map(\.handle))
    for (info, event) in outcomes {
      if case .cancelled = event { #expect(cancelled.contains(info.handle)) } else { #expect(!cancelled.contains(info.handle)) }
    }
    #expect(Set(outcomes.map(\.info.handle)).count == 300)
    await expectNothingLeft(client)
    #expect(delegate.outcomes.count == 300)
  }

  @Test func cancelledBeforeItWasStartedTheServerSeesNoRequest() async throws {
    try await scene(.test(perHost: 1)) { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let url = await peer.url()
      let first = client.request(url, delegate: delegate)
      try await peer.requests.first(1)
      for _ in 0..<20 {
        let handle = client.request(url, delegate: delegate)
        let receipt = await client.cancel(handle)
        #expect(receipt == CancelReceipt(handle: handle, result: .cancelled, sent: .notSent))
      }
      await client.cancel(first)
      try await delegate.outcomes.first(21)
      #expect(peer.requests.count == 1)
    }
  }

  @Test func cancelledInTheTurnOfItsSubmissionTheServerSeesNoRequest() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let url = await peer.url()
      let sink = RecordingSink()
      let receipts = await client.onLoop { client in
        (0..<50).map { _ in client.cancelOnLoop(client.submitOnLoop(HttpRequest(url), sink: sink)) }
      }
      #expect(receipts.allSatisfy { $0.result == .cancelled && $0.sent == .notSent && $0.bytesWritten == 0 })
      #expect(sink.outcomes.count == 50)
      _ = try await client.send(HttpRequest(url + "last"))
      #expect(peer.requests.all.map(\.target) == ["/last"])
    }
  }

  @Test func aRequestCancelledWhileItWaitsToBeTriedAgainIsNotTriedAgain() async throws {
    try await scene { connection, _ in
      connection.answer("busy", status: 429, fields: "Retry-After: 20\r\n")
    } test: { client, peer in
      let delegate = RecordingDelegate()
      var request = HttpRequest(await peer.url())
      request.retry.max = 3
      let handle = client.submit(request, delegate: delegate)
      try await client.wait(for: handle) { $0.machine.state == .backingOff }
      let receipt = await client.cancel(handle)
      #expect(receipt.result == .cancelled && receipt.sent == .sent)
      try await delegate.outcomes.first(1)
      #expect(peer.requests.count == 1)
    }
  }

  @Test func cancelledWhileWaitingForASlotManyTimesOverNoSlotIsLost() async throws {
    let limit = 4
    try await scene(.test(perHost: limit)) { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let url = await peer.url()
      for round in 0..<50 {
        let handles = (0..<20).map { _ in client.request(url, delegate: delegate, tag: round) }
        let receipts = round % 2 == 0 ? await client.cancel(CancelScope(tag: round)) : try await client.cancelEach(handles.shuffled())
        #expect(receipts.count == 20 && receipts.allSatisfy { $0.result == .cancelled })
      }
      try await delegate.outcomes.first(1_000)
      // Bytes of those that were cancelled may reach the peer yet: the last ones are known by their path.
      for _ in 0..<limit { client.request(url + "last", delegate: delegate) }
      try await peer.requests.wait { $0.count { $0.target == "/last" } == limit }
      #expect(await client.slots().inUse == limit)
      await peer.answerAll()
      try await delegate.outcomes.first(1_000 + limit)
    }
  }

  @Test func aScopeIsCancelledWithoutStartingThoseOfItThatWait() async throws {
    // On a Unix socket a connection stands at once: a slot given on to a request that is about to be cancelled would send it.
    try await withTemporaryPath { path in
      try await scene(.test(perHost: 1), on: try .unix(path)) { _, _ in
      } test: { client, peer in
        let delegate = RecordingDelegate()
        for _ in 0..<100 {
          var request = HttpRequest("http://unix.invalid/", tag: 7)
          request.unixSocket = path
          client.submit(request, delegate: delegate)
        }
        try await peer.requests.first(1)
        let receipts = await client.cancel(CancelScope(tag: 7))
        #expect(receipts.count == 100)
        #expect(receipts.count { $0.sent == .notSent } == 99)
        #expect(receipts.map(\.handle) == receipts.map(\.handle).sorted())
        try await delegate.outcomes.first(100)
        try await peer.closed.first(1)
        #expect(peer.accepted.count == 1)
        #expect(peer.requests.count == 1)
      }
    }
  }

  @Test func aScopeCancelledWhileRequestsStreamInTakesThoseBeforeItAndLeavesThoseAfter() async throws {
    try await scene { connection, request in
      if request.target == "/after" { connection.answer() }
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let url = await peer.url()
      let receipts = Record<[CancelReceipt]>("receipts of a scope")
      let before = (0..<500).map { _ in client.request(url + "before", delegate: delegate, tag: 1) }
      client.cancel(CancelScope(tag: 1)) { receipts.add($0) }
      let after = (0..<40).map { _ in client.request(url + "after", delegate: delegate, tag: 1) }
      let cancelled = try await receipts.first(1)[0]
      #expect(cancelled.map(\.handle) == before)
      let outcomes = try await delegate.outcomes.first(540)
      for (info, event) in outcomes {
        #expect(after.contains(info.handle) == (event.response != nil), "\(info.handle): \(event.name)")
      }
      #expect(Set(outcomes.map(\.info.handle)).count == 540)
    }
  }

  @Test func aScopeCancelledAgainAndAgainByManyThreadsMissesNoRequestInBetween() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let url = await peer.url()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask { for _ in 0..<250 { client.request(url, delegate: delegate, tag: 1) } }
          group.addTask { for _ in 0..<50 { await client.cancel(CancelScope(tag: 1)) } }
        }
      }
      let outcomes = try await delegate.outcomes.first(1_000)
      #expect(Set(outcomes.map(\.info.handle)).count == 1_000)
      #expect(outcomes.allSatisfy { $0.event.error == nil })
    }
  }

  @Test func eachPartOfAScopeNarrowsIt() async throws {
    try await scene { _, _ in
    } test: { client, peer in
      let delegates = (RecordingDelegate(), RecordingDelegate())
      let url = await peer.url()
      func submit(_ tag: Int?, _ key: String?, _ name: String?, _ owner: String?, _ delegate: RecordingDelegate) -> RequestHandle {
        var request = HttpRequest(url, tag: tag, key: key)
        (request.delegateName, request.owner) = (name, owner)
        return client.submit(request, delegate: delegate)
      }
      let handles = [
        submit(1, "a/1", "x", "o", delegates.0), submit(1, "a/2", "y", nil, delegates.1), submit(2, "b/1", "x", "o", delegates.0),
        submit(nil, nil, nil, "p", delegates.1),
      ]
      func cancelled(_ scope: CancelScope) async -> [Int] {
        await client.cancel(scope).compactMap { handles.firstIndex(of: $0.handle) }
      }
      #expect(await cancelled(CancelScope()) == [], "no part set matches none")
      #expect(await cancelled(CancelScope(tag: 3)) == [])
      #expect(await cancelled(CancelScope(key: "a")) == [])
      #expect(await cancelled(CancelScope(tag: 1, delegateName: "z")) == [])
      #expect(await cancelled(CancelScope(host: "other")) == [])
      #expect(await cancelled(CancelScope(delegate: RecordingDelegate())) == [])
      #expect(await cancelled(CancelScope(keyPrefix: "a/", delegateName: "y")) == [1])
      #expect(await cancelled(CancelScope(tag: 2, key: "b/1", host: "127.0.0.1", owner: "o", delegate: delegates.0)) == [2])
      #expect(await cancelled(CancelScope(owner: "o")) == [0])
      #expect(await cancelled(.all) == [3])
      try await delegates.0.outcomes.first(2)
      try await delegates.1.outcomes.first(2)
    }
  }
}
