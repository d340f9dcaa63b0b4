import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Bodies of every kind over HTTP/1.1.
@Suite(.timeLimit(.minutes(3))) struct UploadTests {
  /// A peer that keeps whole bodies.
  private func run(
    _ configuration: HttpClient.Configuration = .test, _ script: @escaping ScriptedPeer.Script,
    test: (HttpClient, ScriptedPeer) async throws -> Void
  ) async throws {
    try await scene(configuration, script) { client, peer in
      await peer.keepBodies()
      try await test(client, peer)
    }
  }

  @Test(arguments: UploadKind.allCases) func eachArrivesWholeAndLeavesItsConnectionToTheNext(kind: UploadKind) async throws {
    try await run { connection, _ in
      connection.answer()
    } test: { client, peer in
      for number in 1...3 {
        let upload = try Upload(kind)
        let response = try await client.send(.put(await peer.url(), upload))
        #expect(response.status == 200 && response.attempts == 1)
        try upload.expect(peer.requests.all[number - 1])
        try await upload.expectLetGo()
      }
      #expect(peer.accepted.count == 1)
    }
  }

  @Test(arguments: [1, 70_000, 262_144, 5_000_000]) func filesAndStreamsOfAnySize(size: Int) async throws {
    try await run { connection, _ in
      connection.answer()
    } test: { client, peer in
      for kind in [UploadKind.file, .stream, .streamWithLength, .formWithFiles] {
        let upload = try Upload(kind, size: size)
        _ = try await client.send(.put(await peer.url(), upload))
        try upload.expect(try #require(peer.requests.all.last))
      }
      #expect(peer.accepted.count == 1)
    }
  }

  @Test(arguments: UploadKind.allCases) func aBodyWithoutAMethodIsPosted(kind: UploadKind) async throws {
    try await run { connection, _ in
      connection.answer()
    } test: { client, peer in
      let upload = try Upload(kind, size: 1_000)
      _ = try await client.send(HttpRequest(await peer.url(), body: upload.body))
      #expect(peer.requests.all[0].head.method == .post)
      try upload.expect(peer.requests.all[0])
    }
  }

  @Test(arguments: UploadKind.large, [false, true])
  func onAConnectionThatTurnsOutToBeClosedItGoesOutAgainWhereItCan(kind: UploadKind, isReset: Bool) async throws {
    try await run { connection, _ in
      connection.answer()
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url("/first")))
      await peer.watchHeads { connection, head in
        guard head.target == "/again", connection.number == 1 else { return false }
        if isReset { connection.reset() } else { connection.close() }
        return true
      }
      let upload = try Upload(kind, size: 2_000_000)
      if kind.isReplayable {
        let response = try await client.send(.put(await peer.url("/again"), upload))
        #expect(response.attempts == 2)
        try upload.expect(peer.requests.all[1])
      } else {
        let error = try await client.failure(.put(await peer.url("/again"), upload))
        #expect(error.code == .cannotReplayBody && error.sent == .maybeSent && !error.retryable, "\(error)")
      }
      try await upload.expectLetGo(streams: kind.isReplayable ? 2 : 1)
    }
  }

  @Test(arguments: UploadKind.large) func aRetryAfterAnAnswerSendsItAgainWhereItCan(kind: UploadKind) async throws {
    try await run { connection, request in
      connection.answer(status: request.number == 1 ? 503 : 200, fields: "Retry-After: 0\r\n")
    } test: { client, peer in
      let upload = try Upload(kind)
      var request = HttpRequest.put(await peer.url(), upload)
      request.retry.max = 2
      if kind.isReplayable {
        let response = try await client.send(request)
        #expect(response.attempts == 2)
        for seen in peer.requests.all { try upload.expect(seen) }
      } else {
        let error = try await client.failure(request)
        #expect(error.code == .httpStatus && error.status == 503 && error.attempts == 1)
        #expect(peer.requests.count == 1)
      }
      try await upload.expectLetGo(streams: kind.isReplayable ? 2 : 1)
    }
  }

  @Test(arguments: UploadKind.large) func aRetryAfterALossSendsItAgainWhereItCan(kind: UploadKind) async throws {
    try await run { connection, _ in
      connection.answer()
    } test: { client, peer in
      await peer.watchHeads { connection, _ in
        guard connection.number == 1 else { return false }
        connection.reset()
        return true
      }
      let upload = try Upload(kind, size: 2_000_000)
      var request = HttpRequest.put(await peer.url(), upload)
      request.retry.max = 1
      if kind.isReplayable {
        let response = try await client.send(request)
        #expect(response.attempts == 2)
        try upload.expect(peer.requests.all[0])
      } else {
        let error = try await client.failure(request)
        #expect(error.code == .connectionLost && error.message.contains("can be sent only once"), "\(error)")
      }
    }
  }

  @Test(arguments: UploadKind.large, [303, 307, 308]) func aRedirectTakesItAlongWhereItCan(kind: UploadKind, status: Int) async throws {
    try await run { connection, request in
      if request.target == "/" { connection.answer(status: status, fields: "Location: /there\r\n") } else { connection.answer() }
    } test: { client, peer in
      let upload = try Upload(kind)
      let request = HttpRequest.put(await peer.url(), upload)
      if kind.isReplayable || status == 303 {
        let response = try await client.send(request)
        #expect(response.redirects.count == 1)
        let seen = peer.requests.all[1]
        if status == 303 { #expect(seen.head.method == .get && seen.bodyCount == 0) } else { try upload.expect(seen) }
      } else {
        let error = try await client.failure(request)
        #expect(error.code == .cannotReplayBody && error.status == status, "\(error)")
      }
      try await upload.expectLetGo()
    }
  }

  @Test(arguments: UploadKind.allCases) func aRedirectThatComesInsteadOfThe100TakesAlongWhatWasNotBegun(kind: UploadKind) async throws {
    try await run(.test { $0.expectContinueWait = .seconds(60) }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      await peer.watchHeads { connection, head in
        guard head.target == "/", kind != .emptyFile else {
          if head.headers.contains("Expect") { connection.write("HTTP/1.1 100 Continue\r\n\r\n") }
          return false
        }
        connection.answer(status: 307, fields: "Location: /there\r\n")
        return true
      }
      let upload = try Upload(kind)
      _ = try await client.send(.put(await peer.url(), upload, headers: ["Expect": "100-continue"]))
      try upload.expect(try #require(peer.requests.all.last))
    }
  }

  @Test(arguments: UploadKind.allCases) func itWaitsForThe100(kind: UploadKind) async throws {
    try await run(.test { $0.expectContinueWait = .seconds(60) }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let early = Record<Int>("bytes of bodies before the 100")
      await peer.watchHeads { connection, head in
        guard head.headers.contains("Expect") else { return false }
        let before = connection.receivedCount
        after(.milliseconds(50)) {
          early.add(connection.receivedCount - before)
          connection.write("HTTP/1.1 100 Continue\r\n\r\n")
        }
        return false
      }
      let upload = try Upload(kind)
      let response = try await client.send(.put(await peer.url(), upload, headers: ["Expect": "100-continue"]))
      #expect(response.interim.map(\.status) == (kind == .emptyFile ? [] : [100]))
      #expect(early.all == (kind == .emptyFile ? [] : [0]))
      try upload.expect(peer.requests.all[0])
      try await upload.expectLetGo()
    }
  }

  @Test(arguments: UploadKind.large) func withoutA100ItGoesOutAfterAShortWait(kind: UploadKind) async throws {
    try await run(.test { $0.expectContinueWait = .milliseconds(20) }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let upload = try Upload(kind)
      _ = try await client.send(.put(await peer.url(), upload, headers: ["Expect": "100-continue"]))
      try upload.expect(peer.requests.all[0])
    }
  }

  @Test(arguments: UploadKind.large) func aRefusalInsteadOfThe100LetsGoOfItUnread(kind: UploadKind) async throws {
    try await run(.test { $0.expectContinueWait = .seconds(60) }) { _, _ in
    } test: { client, peer in
      await peer.watchHeads { connection, _ in
        connection.answer(status: 417)
        return true
      }
      let upload = try Upload(kind)
      let error = try await client.failure(.put(await peer.url(), upload, headers: ["Expect": "100-continue"]))
      #expect(error.status == 417)
      try await upload.expectLetGo(streams: 0)
      #expect(upload.ended.count == 0, "its stream was never begun")
    }
  }

  @Test(arguments: UploadKind.large, EarlyResponseTests.Ending.allCases.filter { $0 == .stays || $0 == .drains })
  func anEarlyResponseEndsIt(kind: UploadKind, ending: EarlyResponseTests.Ending) async throws {
    try await run { connection, _ in
      connection.answer("next")
    } test: { client, peer in
      await peer.watchHeads { connection, head in
        guard head.target == "/upload" else { return false }
        connection.answer("early")
        return ending == .stays
      }
      let upload = try Upload(kind, size: 12_000_000)
      let response = try await client.send(.put(await peer.url("/upload"), upload))
      #expect(response.text == "early")
      try await upload.expectLetGo()
      let next = try await client.send(HttpRequest(await peer.url("/next")))
      #expect(next.text == "next")
      #expect(peer.requests.all.last?.connection == 2)
    }
  }

  @Test(arguments: UploadKind.allCases) func progressIsToldToTheEnd(kind: UploadKind) async throws {
    try await run { connection, _ in
      connection.answer()
    } test: { client, peer in
      let upload = try Upload(kind, size: 3_000_000)
      let delegate = RecordingDelegate(.uploadProgress)
      client.submit(.put(await peer.url(), upload), delegate: delegate)
      try await delegate.outcomes.first(1)
      var last: Int64 = 0
      for case .sent(let sent, let total) in delegate.events.all.map(\.event) {
        #expect(sent > last)
        #expect(total == (kind.hasLength ? Int64(peer.requests.all[0].bodyCount) : -1))
        last = sent
      }
      #expect(last == Int64(peer.requests.all[0].bodyCount))
    }
  }
}

extension ScriptedPeer {
  func keepBodies() { keptBytes = .max }
}
