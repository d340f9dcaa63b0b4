import EventLoop
import HttpWire
import Testing

@testable import Errand

/// Requests that the cache answers, and answers that it keeps, through the whole engine.
struct CachedRequestTests {
  private func cached(_ change: (inout HttpClient.Configuration) -> Void = { _ in }) -> HttpClient.Configuration {
    .test {
      $0.cache = HttpCache()
      $0.cachePolicy = .default
      change(&$0)
    }
  }

  /// Each target says in itself how it is answered: `/fields?field=value&…`; a condition is answered by 304.
  @LoopActor private static func script(_ connection: PeerConnection, _ request: SeenRequest) {
    if request.head.headers["If-None-Match"] == "\"1\"" { return connection.write("HTTP/1.1 304 Same\r\nX-New: yes\r\n\r\n") }
    let fields = request.target.split(separator: "?").last.map(String.init) ?? ""
    let lines = fields.split(separator: "&").map { $0.replacing("=", with: ": ", maxReplacements: 1) + "\r\n" }.joined()
    connection.answer("answer \(request.number)", fields: lines)
  }

  @Test func whatIsFreshIsAnsweredWithoutTheServer() async throws {
    try await scene(cached(), CachedRequestTests.script) { client, peer in
      let url = await peer.url("/?Cache-Control=max-age=100")
      let first = try await client.send(HttpRequest(url))
      #expect(first.headers["Cache-Status"] == "Errand; fwd=uri-miss; fwd-status=200; stored")
      let second = try await client.send(HttpRequest(url))
      #expect(second.text == "answer 1" && second.status == 200)
      #expect(second.headers["Cache-Status"]?.hasPrefix("Errand; hit; ttl=") == true)
      #expect(second.headers["Age"] == "0")
      #expect(peer.requests.count == 1)
      #expect(await client.stats().cacheHits == 1)
    }
  }

  @Test func whatIsStaleIsAskedForAgainAndA304Holds() async throws {
    try await scene(cached(), CachedRequestTests.script) { client, peer in
      let url = await peer.url("/?Cache-Control=max-age=0&ETag=\"1\"")
      _ = try await client.send(HttpRequest(url))
      let second = try await client.send(HttpRequest(url))
      #expect(second.status == 200 && second.text == "answer 1")
      #expect(second.headers["X-New"] == "yes")
      #expect(second.headers["Cache-Status"]?.contains("fwd=stale; fwd-status=304") == true)
      #expect(peer.requests.count == 2)
    }
  }

  @Test func thePoliciesThatCallersKnow() async throws {
    try await scene(cached(), CachedRequestTests.script) { client, peer in
      var request = HttpRequest(await peer.url("/?Cache-Control=max-age=100&ETag=\"1\""))
      request.cache = .onlyIfCached
      let none = try await client.failure(request)
      #expect(none.status == 504 && none.response?.headers["Cache-Status"] == "Errand; detail=only-if-cached")
      #expect(peer.requests.count == 0)
      request.cache = .default
      _ = try await client.send(request)
      request.cache = .onlyIfCached
      #expect(await client.text(request) == "answer 1")
      request.cache = .revalidate
      #expect(await client.text(request) == "answer 1")
      #expect(peer.requests.all.last?.head.headers["If-None-Match"] == "\"1\"")
      request.cache = .reload
      #expect(await client.text(request) == "answer 3")
      request.cache = .off
      #expect(await client.text(request) == "answer 4")
      request.cache = .default
      #expect(await client.text(request) == "answer 3")
    }
  }

  @Test func ifTheLoadFailsTheCacheStandsIn() async throws {
    let isDown = Locked(false)
    try await scene(cached()) { connection, request in
      if isDown.withLock({ $0 }) { return connection.close() }
      connection.answer("stored", fields: "Cache-Control: max-age=0\r\n")
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.cache = .fallback
      #expect(await client.text(request) == "stored")
      isDown.withLock { $0 = true }
      let response = try await client.send(request)
      #expect(response.text == "stored" && response.headers["Age"] != nil)
      request.cache = .default
      let error = try await client.failure(request)
      #expect(error.code == .connectionLost)
    }
  }

  @Test func whatIsStaleIsLentWhileItIsAskedForBehindTheBack() async throws {
    try await scene(cached(), CachedRequestTests.script) { client, peer in
      let url = await peer.url("/?Cache-Control=max-age=0,stale-while-revalidate=100")
      _ = await client.text(HttpRequest(url))
      #expect(await client.text(HttpRequest(url)) == "answer 1")
      try await peer.requests.first(2)
      try await client.wait("the refresh to be over") { client in client.engine.table.count == 0 }
      #expect(await client.text(HttpRequest(url)) == "answer 2")
    }
  }

  @Test func aRequestThatChangesThingsDropsWhatIsStored() async throws {
    try await scene(cached(), CachedRequestTests.script) { client, peer in
      let url = await peer.url("/?Cache-Control=max-age=100")
      _ = await client.text(HttpRequest(url))
      _ = try await client.send(HttpRequest(url, method: .put, body: .text("x")))
      #expect(await client.text(HttpRequest(url)) == "answer 3")
    }
  }

  @Test func oneOwnersAnswersAreNotAnothers() async throws {
    try await scene(cached(), CachedRequestTests.script) { client, peer in
      var request = HttpRequest(await peer.url("/?Cache-Control=max-age=100"))
      request.owner = "a"
      #expect(await client.text(request) == "answer 1")
      request.owner = "b"
      #expect(await client.text(request) == "answer 2")
      request.owner = "a"
      #expect(await client.text(request) == "answer 1")
    }
  }

  @Test func aStoredRedirectLeadsOn() async throws {
    try await scene(cached()) { connection, request in
      if request.target == "/" { return connection.answer("", status: 301, fields: "Location: /end\r\nCache-Control: max-age=100\r\n") }
      connection.answer("end \(request.number)")
    } test: { client, peer in
      #expect(await client.text(HttpRequest(await peer.url())) == "end 2")
      let response = try await client.send(HttpRequest(await peer.url()))
      #expect(response.text == "end 3")
      #expect(response.redirects.map(\.status) == [301])
    }
  }

  @Test func aDelegateThatStreamsGetsWhatIsStoredAsAPiece() async throws {
    try await scene(cached(), CachedRequestTests.script) { client, peer in
      let url = await peer.url("/?Cache-Control=max-age=100")
      _ = await client.text(HttpRequest(url))
      let delegate = RecordingDelegate([.head, .bodyChunks])
      client.submit(HttpRequest(url), delegate: delegate)
      try await delegate.outcomes.first(1)
      #expect(delegate.events.all.map(\.event.name) == ["head", "chunk", "finished"])
    }
  }

  @Test func whatWasCutIsNotStored() async throws {
    try await scene(cached()) { connection, request in
      if request.number + request.connection == 2 {
        connection.write("HTTP/1.1 200 OK\r\nCache-Control: max-age=100\r\n\r\nhalf")
        return connection.close()
      }
      connection.answer("whole")
    } test: { client, peer in
      _ = await client.text(HttpRequest(await peer.url()))
      #expect(await client.text(HttpRequest(await peer.url())) == "whole")
    }
  }

  @Test(
    "what credentials brought is found by them again, and by no others", arguments: ["Digest realm=a, nonce=b, qop=auth", "Basic realm=a"])
  func whoAsks(challenge: String) async throws {
    try await scene(cached()) { connection, request in
      guard request.target == "/open" || request.head.headers.contains("Authorization") else {
        return connection.answer("", status: 401, fields: "WWW-Authenticate: \(challenge)\r\n")
      }
      connection.answer("answer \(request.number)", fields: "Cache-Control: max-age=100\r\n")
    } test: { client, peer in
      func text(_ path: String, _ user: String?, _ password: String = "secret") async -> String {
        var request = HttpRequest(await peer.url(path))
        request.credentials = user.map { .any(user: $0, password: password) }
        return await client.text(request)
      }
      let mine = await text("/", "me")
      let asked = peer.requests.all.count
      #expect(await text("/", "me") == mine)
      #expect(peer.requests.all.count == asked, "found, though it is a Digest each time")
      #expect(await text("/", "you") != mine)
      #expect(await text("/", "me", "other") != mine)
      // An answer to nobody in particular is none to somebody, nor the other way round.
      let open = await text("/open", nil)
      #expect(await text("/open", nil) == open)
      let own = await text("/open", "me")
      #expect(own != open)
      #expect(await text("/open", "me") == own)
      #expect(await text("/open", nil) == open)
    }
  }

  @Test("what is too large is not said to be stored", arguments: [false, true])
  func tooLarge(isChunked: Bool) async throws {
    let configuration = cached {
      var settings = HttpCache.Settings()
      settings.largestEntry = 2_000
      $0.cache = HttpCache(settings)
    }
    try await scene(configuration) { connection, request in
      let body = String(repeating: "x", count: request.target == "/large" ? 4_000 : 100)
      let fields = "Cache-Control: max-age=100\r\nCache-Status: Other; fwd=miss\r\n"
      if isChunked {
        connection.write(
          "HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n")
      } else {
        connection.answer(body, fields: fields)
      }
    } test: { client, peer in
      for (path, status) in [
        ("/large", "Errand; fwd=uri-miss; fwd-status=200"), ("/small", "Errand; fwd=uri-miss; fwd-status=200; stored"),
      ] {
        let response = try await client.send(HttpRequest(await peer.url(path)))
        #expect(response.headers.values("Cache-Status").map { String($0) } == ["Other; fwd=miss", status])
      }
    }
  }

  @Test func manyAtOnceEachGetAWholeAnswer() async throws {
    try await scene(cached { $0.cache = HttpCache() }, CachedRequestTests.script) { client, peer in
      let url = await peer.url("/?Cache-Control=max-age=1&ETag=\"1\"")
      await withTaskGroup(of: String.self) { group in
        for _ in 0..<200 { group.addTask { await client.text(HttpRequest(url)) } }
        for await text in group { #expect(text.hasPrefix("answer ")) }
      }
    }
  }
}
