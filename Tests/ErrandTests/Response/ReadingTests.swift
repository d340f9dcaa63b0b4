import EventLoop
import HttpWire
import Testing

@testable import Errand

/// What comes back, from servers of all kinds.
@Suite(.timeLimit(.minutes(2))) struct ReadingTests {
  /// Sends `bytes` as the answer to one request, then closes if asked to.
  private func answer(
    _ bytes: String, closes: Bool = false, method: HttpMethod = .get, configuration: HttpClient.Configuration = .test,
    _ body: (Result<HttpResponse, HttpClientError>, ScriptedPeer, HttpClient) async throws -> Void
  ) async throws {
    try await scene(configuration) { connection, request in
      guard request.target == "/" else { return connection.answer("next") }
      connection.write(bytes)
      if closes { connection.close() }
    } test: { client, peer in
      let request = HttpRequest(await peer.url(), method: method)
      let result: Result<HttpResponse, HttpClientError>
      do throws(HttpClientError) { result = .success(try await client.send(request)) } catch { result = .failure(error) }
      try await body(result, peer, client)
    }
  }

  @Test(arguments: [100, 102, 103, 110, 199]) func anInterimResponseIsAnEventAndTheFinalOneIsDelivered(status: Int) async throws {
    try await scene { connection, _ in
      connection.write("HTTP/1.1 \(status) Soon\r\nLink: </a.css>\r\nX-One: interim\r\n\r\n")
      connection.write("HTTP/1.1 \(status) Soon\r\n\r\n")
      connection.answer("final", fields: "X-Two: final\r\n")
    } test: { client, peer in
      let delegate = RecordingDelegate([.interim, .head])
      client.request(await peer.url(), delegate: delegate)
      let events = try await delegate.events.first(4)
      #expect(events.map(\.event.name) == ["interim", "interim", "head", "finished"])
      let response = try #require(events[3].event.response)
      #expect(response.text == "final" && response.status == 200)
      #expect(response.headers["X-One"] == nil && response.headers["X-Two"] == "final")
      #expect(response.interim.map(\.status) == [status, status])
      #expect(response.interim[0].headers["X-One"] == "interim")
      _ = try await client.send(HttpRequest(await peer.url()))
      #expect(peer.accepted.count == 1)
    }
  }

  @Test func moreInterimResponsesThanTheLimitAreTooLarge() async throws {
    let many = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 1_000)
    try await answer(many + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") { result, _, _ in
      #expect(result.error?.code == .tooLarge && result.error?.phase == .response)
    }
  }

  @Test func switchingProtocolsUnaskedIsMalformed() async throws {
    try await answer("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n") { result, _, _ in #expect(result.error?.code == .malformedResponse) }
  }

  @Test(arguments: ["", "Connection: keep-alive\r\n", "Connection: close\r\n"]) func aBodyWithoutLengthIsAllUntilClose(fields: String)
    async throws
  {
    try await answer("HTTP/1.1 200 OK\r\n\(fields)\r\nall of it", closes: true) { result, peer, client in
      let response = try result.get()
      #expect(response.text == "all of it" && response.lengthUnknown)
      _ = try await client.send(HttpRequest(await peer.url("/next")))
      #expect(peer.accepted.count == 2)
    }
  }

  @Test func trailersAreDeliveredApartFromTheHeaders() async throws {
    let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: head\r\n\r\n3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nX: tail\r\nY: t\r\n\r\n"
    try await answer(text) { result, peer, client in
      let response = try result.get()
      #expect(response.text == "abcde" && !response.lengthUnknown)
      #expect(response.headers.values("X") == ["head"] && response.headers["Y"] == nil)
      #expect(response.trailers.values("X") == ["tail"] && response.trailers["Y"] == "t")
      let next = try await client.send(HttpRequest(await peer.url("/next")))
      #expect(next.trailers.isEmpty, "trailers of an earlier response")
      #expect(peer.accepted.count == 1)
    }
  }

  @Test(arguments: ["0x5", "+5", "-0", " 5", "5 5", "", "g", "5\r", "0000000000000005g", "FFFFFFFFFFFFFFFFF", "10000000000000000", "٥"])
  func aChunkSizeThatIsNoneIsMalformed(size: String) async throws {
    let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nabcde\r\n0\r\n\r\n"
    try await answer(text) { result, peer, client in
      #expect(result.error?.code == .malformedResponse && result.error?.sent == .sent)
      let next = try await client.send(HttpRequest(await peer.url("/next")))
      #expect(next.text == "next" && peer.accepted.count == 2)
    }
  }

  @Test func equalContentLengthsAreOneAndDifferentOnesMalformed() async throws {
    for (fields, isGood) in [
      ("Content-Length: 2\r\nContent-Length: 2\r\n", true), ("Content-Length: 2, 2\r\n", true),
      ("Content-Length: 2\r\nContent-Length: 3\r\n", false), ("Content-Length: 2, 3\r\n", false), ("Content-Length: -2\r\n", false),
      ("Content-Length: +2\r\n", false), ("Content-Length: 2x\r\n", false), ("Content-Length:\r\n", false),
      ("Content-Length: 99999999999999999999\r\n", false),
    ] {
      try await answer("HTTP/1.1 200 OK\r\n\(fields)\r\nok") { result, _, _ in
        if isGood { #expect(result.response?.text == "ok") } else { #expect(result.error?.code == .malformedResponse, "\(fields)") }
      }
    }
  }

  @Test func chunkedWinsOverContentLengthAndTheConnectionIsClosed() async throws {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    try await answer(text) { result, peer, client in
      #expect(result.response?.text == "hello")
      try await peer.closed.first(1)
    }
  }

  @Test func aTransferEncodingThatDoesNotEndInChunkedIsReadToClose() async throws {
    let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\nContent-Length: 3\r\n\r\n5\r\nhello"
    try await answer(text, closes: true) { result, _, _ in
      let response = try result.get()
      #expect(response.text == "5\r\nhello" && response.lengthUnknown)
    }
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH_9.2\r\n", "<html>hello</html>\n", "hello\r\n\r\n", "HTTP/0.9 200 OK\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n",
    "HTTP/1.1 20 OK\r\n\r\n",
    "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\n folded: x\r\n\r\n",
    "HTTP/1.1 200 OK\r\nName : x\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{5}binary", "HTTP/1.1 200 OK\r\nA: \u{0}\r\n\r\n", "ICY 200 OK\r\n\r\n",
  ])
  func whatIsNotHttpIsMalformed(text: String) async throws {
    try await answer(text, closes: true) { result, _, _ in
      #expect(result.error?.code == .malformedResponse, "\(result)")
      #expect(result.error?.sent == .sent)
    }
  }

  @Test func responsesWithoutBodyHaveNoneWhateverTheirHeadersSay() async throws {
    for fields in ["Content-Encoding: gzip\r\n", "Content-Length: 999999999999\r\n", "Transfer-Encoding: chunked\r\n", ""] {
      for (status, method) in [(200, HttpMethod.head), (404, .head), (204, .get), (304, .get), (204, .post)] {
        // A 204 with a length is against RFC 9110, but seen.
        try await answer("HTTP/1.1 \(status) Said\r\n\(fields)\r\n", method: method) { result, peer, client in
          let response = status == 404 ? result.error?.response : try result.get()
          #expect(response?.status == status && response?.body == [], "\(status) \(method) \(fields): \(result)")
          let next = try await client.send(HttpRequest(await peer.url("/next")))
          #expect(next.text == "next")
          #expect(peer.accepted.count == 1, "the connection is kept")
        }
      }
    }
  }

  @Test func anUnauthorizedWithoutCredentialsIsDeliveredAsAResponse() async throws {
    try await answer("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 4\r\n\r\nno!\n") { result, _, _ in
      let error = try #require(result.error)
      #expect(error.code == .httpStatus && error.status == 401 && !error.retryable)
      #expect(error.response?.headers["WWW-Authenticate"] == "Basic realm=\"r\"")
      #expect(error.response?.text == "no!\n")
    }
  }

  @Test func aBodyAboveTheLimitIsTooLargeWhetherItIsAnnouncedOrNot() async throws {
    let body = String(repeating: "x", count: 2_000)
    for text in [
      "Content-Length: 2000\r\n\r\n\(body)", "Transfer-Encoding: chunked\r\n\r\n7d0\r\n\(body)\r\n0\r\n\r\n", "\r\n\(body)",
    ] {
      let configuration = HttpClient.Configuration.test { $0.maxBodyBytes = 1_999 }
      try await answer("HTTP/1.1 200 OK\r\n" + text, closes: true, configuration: configuration) { result, _, _ in
        #expect(result.error?.code == .tooLarge, "\(result)")
        #expect(result.error?.message.contains("max_body_bytes") == true)
      }
      try await answer("HTTP/1.1 200 OK\r\n" + text, closes: true, configuration: .test { $0.maxBodyBytes = 2_000 }) { result, _, _ in
        #expect(result.response?.body.count == 2_000)
      }
    }
  }

  @Test func aHeadAboveTheLimitIsTooLarge() async throws {
    let endless = "HTTP/1.1 200 OK\r\n" + String(repeating: "X-Pad: \(String(repeating: "y", count: 1_000))\r\n", count: 100)
    try await answer(endless) { result, _, _ in #expect(result.error?.code == .tooLarge) }
  }
}

extension Result where Success == HttpResponse, Failure == HttpClientError {
  var response: HttpResponse? { try? get() }
  var error: HttpClientError? { if case .failure(let error) = self { error } else { nil } }
}
