import EventLoop
import HttpWire
import Testing

@testable import Errand

/// When a connection serves the next request, and when it must not.
@Suite(.timeLimit(.minutes(2))) struct KeepAliveTests {
  @Test func oneConnectionServesRequestAfterRequest() async throws {
    try await scene { connection, request in
      connection.answer("\(request.number)")
    } test: { client, peer in
      for number in 1...50 {
        let response = try await client.send(HttpRequest(await peer.url()))
        #expect(response.text == "\(number)")
      }
      #expect(peer.accepted.count == 1)
      let stats = await client.stats()
      #expect(stats.connectionsOpened == 1 && stats.connectionsReused == 49 && stats.idleConnections == 1)
    }
  }

  @Test func whatIsReadyBeforeARequestIsWrittenIsNoAnswerToIt() async throws {
    try await scene { connection, request in
      if request.target != "/held" { connection.answer("own") }
    } test: { client, peer in
      for round in 1...20 {
        let sink = await FollowUp(client, HttpRequest(peer.url("/next")))
        await sink.start(HttpRequest(peer.url("/held")))
        let held = try await peer.requests.wait(until: { $0.filter { $0.target == "/held" }.count == round }).last { $0.target == "/held" }
        _ = try await client.send(HttpRequest(peer.url("/idle")))
        let idle = peer.requests.all.last { $0.target == "/idle" }
        // In one turn the held request ends, whose sink makes the next one, and the connection that one is to take becomes readable.
        await peer.writeInOneTurn([
          (held?.connection, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"),
          (idle?.connection, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 5\r\n\r\nstray"),
        ])
        let answers = try await sink.answers.first(2)
        #expect(answers == ["ok", "own"])
      }
    }
  }

  static let closing = [
    "Connection: close\r\n", "connection: Close\r\n", "CONNECTION: CLOSE\r\n", "Connection: close, TE\r\n", "Connection: TE,close\r\n",
    "Connection: keep-alive, close\r\n", "Connection: TE\r\nConnection: close\r\n", "Connection:  \tclose \r\n", "Connection: ,, close\r\n",
  ]

  @Test(arguments: closing) func aResponseThatSaysCloseEndsItsConnection(fields: String) async throws {
    try await scene { connection, _ in
      connection.answer(fields: fields)
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url()))
      _ = try await client.send(HttpRequest(await peer.url()))
      #expect(peer.requests.all.map(\.connection) == [1, 2])
      try await peer.closed.first(2)
    }
  }

  @Test(arguments: [
    "Connection: closed\r\n", "Connection: TE\r\n", "Close: Connection\r\n", "Connection: not-close\r\n", "Connection: keep-alive\r\n",
  ])
  func aResponseThatOnlyLooksLikeItDoesNot(fields: String) async throws {
    try await scene { connection, _ in
      connection.answer(fields: fields)
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url()))
      _ = try await client.send(HttpRequest(await peer.url()))
      #expect(peer.requests.all.map(\.connection) == [1, 1])
    }
  }

  @Test(arguments: ["close", "Close", "close, TE", "TE, CLOSE"])
  func aRequestThatSaysCloseEndsItsConnectionWhateverTheServerSays(value: String) async throws {
    try await scene { connection, _ in
      connection.answer(fields: "Connection: keep-alive\r\n")
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url(), headers: ["Connection": value]))
      _ = try await client.send(HttpRequest(await peer.url()))
      let seen = peer.requests.all
      #expect(seen.map(\.connection) == [1, 2])
      try await peer.closed.first(1)
      #expect(seen[0].head.headers.values("Connection") == [value])
    }
  }

  @Test func anHttp10ServerKeepsItsConnectionOnlyIfItSaysSo() async throws {
    try await scene { connection, request in
      let fields = request.target == "/keep" ? "Connection: Keep-Alive\r\n" : ""
      connection.write("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\(fields)\r\nok")
    } test: { client, peer in
      for target in ["/keep", "/keep", "/drop", "/drop"] { _ = try await client.send(HttpRequest(await peer.url(target))) }
      #expect(peer.requests.all.map(\.connection) == [1, 1, 1, 2])
    }
  }

  @Test(arguments: ["x", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray", "\r\n"])
  func bytesAfterAResponseEndTheConnectionAndAnswerNobody(surplus: String) async throws {
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + surplus)
    } test: { client, peer in
      for _ in 0..<3 {
        let response = try await client.send(HttpRequest(await peer.url()))
        #expect(response.text == "ok")
      }
      #expect(peer.requests.all.map(\.connection) == [1, 2, 3])
    }
  }

  @Test func bytesThatComeWhileTheConnectionIsIdleEndIt() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url()))
      await peer.connections[0].write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray")
      try await peer.closed.first(1)
      let response = try await client.send(HttpRequest(await peer.url()))
      #expect(response.text == "ok")
    }
  }

  @Test func bytesBehindAResponseThatFillsTheReadBufferAreNotTakenForTheNextAnswer() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 262000\r\nPad: "
    let pad = String(repeating: "p", count: 262_144 - 262_000 - head.utf8.count - 4)
    let whole = Array((head + pad + "\r\n\r\n").utf8) + [UInt8](repeating: 0x61, count: 262_000)
    #expect(whole.count == 262_144)
    let warm = String(repeating: "w", count: 2 << 20)
    try await scene(.test(perHost: 1)) { connection, request in
      if request.target == "/big" {
        // All of it is in the kernel before the client looks: both ends live on one loop.
        connection.write(whole + Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray".utf8))
      } else {
        connection.answer(request.target == "/warm" ? warm : "mine")
      }
    } test: { client, peer in
      for _ in 0..<3 {
        // The kernel lets a connection have so much at once only when it has carried some.
        for _ in 0..<8 { _ = try await client.send(HttpRequest(await peer.url("/warm"))) }
        let delegate = RecordingDelegate()
        // The second one waits for the first one's connection, and would be on it before anything else is read.
        client.request(await peer.url("/big"), delegate: delegate)
        client.request(await peer.url("/small"), delegate: delegate)
        let outcomes = try await delegate.outcomes.first(2)
        #expect(outcomes[0].event.response?.body.count == 262_000)
        #expect(outcomes[1].event.response?.text == "mine")
      }
    }
  }

  @Test func idleForLongerThanTheIdleTimeoutItIsTheSameConnectionAndNoOldTimerFires() async throws {
    try await scene { connection, request in
      after(request.number == 2 ? .milliseconds(3_100) : .zero) { connection.answer() }
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.timeouts = Timeouts(firstByte: .milliseconds(3_000), idle: .milliseconds(3_000), total: .milliseconds(3_000))
      _ = try await client.send(request)
      // The first request's timers would run out while the second one waits.
      _ = try await client.send(HttpRequest(await peer.url()))
      await pause(.milliseconds(3_100))
      let response = try await client.send(request)
      #expect(response.text == "ok")
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func aConnectionIsClosedWhenItWasIdleForTheKeepAliveTime() async throws {
    try await scene(.test { $0.keepAlive = .milliseconds(20) }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url()))
      try await peer.closed.first(1)
      #expect(await client.stats().openConnections == 0)
    }
  }

  @Test(arguments: [false, true]) func aRequestThatEndsInsideABodyClosesItsConnectionAndTheNextGetsItsOwnBody(isTimeout: Bool) async throws
  {
    try await scene { connection, request in
      if request.target == "/stuck" {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst")
      } else {
        connection.answer("second")
      }
    } test: { client, peer in
      var request = HttpRequest(await peer.url("/stuck"))
      if isTimeout {
        request.timeouts.idle = .milliseconds(20)
        let error = try await client.failure(request)
        #expect(error.code == .timeout && error.phase == .idle && error.sent == .sent)
      } else {
        let delegate = RecordingDelegate()
        let handle = client.submit(request, delegate: delegate)
        try await client.wait(for: handle) { $0.receivedCount > 0 }
        let receipt = await client.cancel(handle)
        #expect(receipt.connection == .closed && receipt.sent == .sent)
      }
      let response = try await client.send(HttpRequest(await peer.url("/next")))
      #expect(response.text == "second")
      #expect(peer.requests.all.map(\.connection) == [1, 2])
      try await peer.closed.first(1)
    }
  }

  @Test func aConnectionPausedForASlowDelegateReadsAgainForTheNextRequest() async throws {
    // The last byte of the body is the one that makes reading pause.
    let big = String(repeating: "b", count: 1 << 20)
    try await scene(.test(perHost: 1)) { connection, request in
      connection.answer(request.target == "/big" ? big : "small")
    } test: { client, peer in
      let gate = Gate()
      let slow = RecordingDelegate(.bodyChunks, before: { _ in gate.pass() })
      defer { gate.open() }
      let handle = client.request(await peer.url("/big"), delegate: slow)
      try await client.wait(for: handle) { $0.machine.state == .ended }
      gate.open()
      try await slow.outcomes.first(1)
      for _ in 0..<3 {
        let response = try await client.send(HttpRequest(await peer.url("/small")))
        #expect(response.text == "small")
      }
    }
  }
}
