import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Requests to a server that checks Digest with code of its own.
@Suite("Digest requests", .oneAtATime, .timeLimit(.minutes(3)))
struct DigestRequestTests {
  /// A client and a Digest server.
  private func withServer(
    _ change: (inout DigestServer.Settings) -> Void = { _ in }, configuration: HttpClient.Configuration = .test,
    _ body: (HttpClient, PeerProcess, String) async throws -> Void
  ) async throws {
    var settings = DigestServer.Settings()
    change(&settings)
    let server = try DigestServer.start(settings)
    let port = try await server.line(after: "port ")
    let client = HttpClient(configuration)
    try await body(client, server, "http://127.0.0.1:\(port)")
    await expectNothingLeft(client)
  }

  private func request(_ url: String, _ credentials: HttpCredentials? = nil, _ change: (inout HttpRequest) -> Void = { _ in })
    -> HttpRequest
  {
    var request = HttpRequest(url)
    request.credentials = credentials ?? .digest(user: "Mufasa", password: "Circle of Life")
    change(&request)
    return request
  }

  /// `STATUS WHY` of each request that the server saw, such as `401 none`.
  private func seen(_ server: PeerProcess) -> [String] {
    server.output.split(separator: "\n").filter { $0.hasPrefix("seen ") }.map { line in
      let words = line.split(separator: " ")
      return "\(words[1]) \(words[4])"
    }
  }

  private func nonces(_ server: PeerProcess) -> [String] {
    server.output.split(separator: "\n").filter { $0.hasPrefix("seen 200") }.compactMap { line in
      line.firstRange(of: "Digest ").flatMap { AuthChallenge.all(in: String(line[$0.lowerBound...])).first?["nonce"] }
    }
  }

  static let algorithms = ["", "MD5", "MD5-sess", "SHA-256", "SHA-256-sess", "SHA-512-256", "SHA-512-256-sess"]

  @Test("the challenge is answered once, and later requests say at once who is asking", arguments: algorithms, ["auth", "auth-int", ""])
  func answers(algorithm: String, qop: String) async throws {
    try await withServer {
      $0.algorithms = [algorithm]
      $0.qop = qop
    } _: { client, server, url in
      for method in [HttpMethod.get, .post, .put, .delete] {
        let answer = try await client.send(
          request(url + "/\(method)?a=b,c") {
            $0.method = method
            if method == .post { $0.body = .text("some text") }
            if method == .put { $0.params = [HttpParam("a", "b")] }
          })
        #expect(answer.text == "ok" && answer.status == 200)
      }
      #expect(seen(server) == ["401 none"] + Array(repeating: "200 ok", count: 4))
    }
  }

  @Test("users and realms of any letters get through")
  func letters() async throws {
    for more in ["", ", charset=UTF-8", ", userhash=true"] {
      try await withServer {
        $0.more = more
        $0.algorithms = ["SHA-256"]
        $0.user = "Jäsøn \"Doe\" \\"
        $0.password = "Secret, or nöt?"
        $0.realm = "a \"realm\" of \\ ours"
      } _: { client, server, url in
        try await client.expect("ok", request(url, .any(user: "Jäsøn \"Doe\" \\", password: "Secret, or nöt?")))
        #expect(seen(server) == ["401 none", "200 ok"])
      }
    }
  }

  @Test("the strongest algorithm that is offered is used")
  func strongest() async throws {
    try await withServer {
      $0.algorithms = ["MD5", "SHA-512-256", "SHA-256"]
    } _: { client, server, url in
      try await client.expect("ok", request(url))
      #expect(server.output.contains("algorithm=SHA-512-256"))
    }
  }

  @Test("a wrong password is told by the 401, after one try")
  func wrongPassword() async throws {
    try await withServer { client, server, url in
      for _ in 0..<2 {
        let error = try await client.failure(request(url, .digest(user: "Mufasa", password: "hush")))
        #expect(error.code == .httpStatus && error.status == 401 && error.response?.text == "wrong")
        #expect(!"\(error)".contains("hush") && error.sent == .sent && error.attempts == 2)
      }
      #expect(seen(server) == ["401 none", "401 wrong", "401 none", "401 wrong"])
    }
  }

  @Test("a nonce that went stale is replaced, however often; a server that says so without end is not followed")
  func stale() async throws {
    try await withServer {
      $0.uses = 2
    } _: { client, server, url in
      for _ in 0..<5 { try await client.expect("ok", request(url)) }
      #expect(seen(server) == ["401 none", "200 ok", "200 ok", "401 stale", "200 ok", "200 ok", "401 stale", "200 ok"])
    }
    try await withServer {
      $0.uses = 0
    } _: { client, server, url in
      let error = try await client.failure(request(url))
      #expect(error.status == 401)
      #expect(seen(server).count == 2 + Int(AuthDialogue.maximumRenewals))
    }
  }

  @Test("an announced nonce is used next")
  func nextNonce() async throws {
    try await withServer {
      $0.nextNonce = true
      $0.uses = 1
    } _: { client, server, url in
      for _ in 0..<5 { try await client.expect("ok", request(url)) }
      #expect(seen(server) == ["401 none"] + Array(repeating: "200 ok", count: 5))
      #expect(Set(nonces(server)).count == 5)
    }
  }

  @Test("many requests at once share nonces, each use counted once")
  func many() async throws {
    try await withServer(configuration: .test(perHost: 8)) { client, server, url in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<100 { group.addTask { try await client.expect("ok", request("\(url)/\(index)")) } }
        try await group.waitForAll()
      }
      let all = seen(server)
      #expect(all.filter { $0 == "200 ok" }.count == 100)
      #expect(!all.contains { $0.hasSuffix("replayed") || $0.contains("wrong") })
    }
  }

  /// The uses of each nonce that the server saw, whatever it answered.
  private func counts(_ server: PeerProcess) -> [String: [String]] {
    var counts: [String: [String]] = [:]
    for line in server.output.split(separator: "\n") where line.hasPrefix("seen ") {
      let said = line.firstRange(of: "Digest ").flatMap { AuthChallenge.all(in: String(line[$0.lowerBound...])).first }
      if let nonce = said?["nonce"], let count = said?["nc"] { counts[nonce, default: []].append(count) }
    }
    return counts
  }

  @Test(
    "many at once, on nonces that go stale under them, that are announced, or that the server gives to all: no use is said twice, none left out",
    arguments: [(1_000_000, false), (7, false), (1_000_000, true), (50, true)], [false, true])
  func counted(server: (uses: Int, shares: Bool), nextNonce: Bool) async throws {
    let change = { (settings: inout DigestServer.Settings) in
      (settings.uses, settings.sharesNonce, settings.nextNonce) = (server.uses, server.shares, nextNonce)
    }
    try await withServer(change, configuration: .test(perHost: 16)) { client, peer, url in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<200 { group.addTask { try await client.expect("ok", request("\(url)/\(index)")) } }
        try await group.waitForAll()
      }
      let all = seen(peer)
      #expect(all.filter { $0 == "200 ok" }.count == 200)
      #expect(!all.contains { $0.hasSuffix("replayed") || $0.contains("wrong") })
      for (nonce, counts) in counts(peer) {
        let expected = (1...counts.count).map { count in
          let digits = String(count, radix: 16)
          return String(repeating: "0", count: 8 - digits.count) + digits
        }
        #expect(counts.sorted() == expected, "\(nonce)")
      }
    }
  }

  @Test("each attempt of a request is counted, whatever made the one before fail")
  func attempts() async throws {
    let faults = ["503", "close", "half"]
    try await scene { connection, request in
      let said = AuthChallenge.all(in: request.head.headers["Authorization"] ?? "").first
      guard let count = said?["nc"].flatMap({ Int($0, radix: 16) }) else {
        return connection.answer("", status: 401, fields: "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\n")
      }
      switch count <= faults.count ? faults[count - 1] : "" {
      case "503": connection.answer("", status: 503, fields: "Retry-After: 0\r\n")
      case "close": connection.close()
      case "half":
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        connection.close()
      default: connection.answer("ok")
      }
    } test: { client, peer in
      let request = request(await peer.url()) { $0.retry = RetryPolicy(max: 5) }
      try await client.expect("ok", request)
      try await client.expect("ok", request)
      let counts = peer.requests.all.compactMap { AuthChallenge.all(in: $0.head.headers["Authorization"] ?? "").first?["nc"] }
      #expect(counts == ["00000001", "00000002", "00000003", "00000004", "00000005"])
    }
  }

  @Test("a nonce that many were given is counted for all of them", arguments: ["MD5", "SHA-256-sess"], [20, 1_000_000])
  func shared(algorithm: String, uses: Int) async throws {
    try await withServer {
      $0.sharesNonce = true
      $0.algorithms = [algorithm]
      $0.uses = uses
    } _: { client, server, url in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<100 { group.addTask { try await client.expect("ok", request("\(url)/\(index)")) } }
        try await group.waitForAll()
      }
      #expect(!seen(server).contains { $0.hasSuffix("replayed") || $0.contains("wrong") })
    }
  }

  @Test("one-time nonces serve requests at once, each by its own challenge")
  func oneTime() async throws {
    try await withServer {
      $0.uses = 1
    } _: { client, _, url in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<20 { group.addTask { try await client.expect("ok", request("\(url)/\(index)")) } }
        try await group.waitForAll()
      }
    }
  }

  @Test("a redirect within the origin is answered, too, at once")
  func redirect() async throws {
    try await withServer { client, server, url in
      let target = url + "/end"
      try await scene { connection, _ in
        connection.answer("", status: 302, fields: "Location: \(target)\r\n")
      } test: { other, peer in
        // From another origin the credentials do not come along.
        let error = try await other.failure(request(await peer.url()))
        #expect(error.status == 401)
        #expect(seen(server) == ["401 none"])
        #expect(peer.requests.all.allSatisfy { !$0.head.headers.contains("Authorization") })
      }
    }
  }

  @Test("HEAD is answered as HEAD")
  func head() async throws {
    try await withServer { client, server, url in
      let answer = try await client.send(request(url) { $0.method = .head })
      #expect(answer.status == 200 && seen(server) == ["401 none", "200 ok"])
    }
  }

  @Test("the timeline tells of the challenge, and nothing of the answer")
  func timeline() async throws {
    try await withServer { client, _, url in
      let sink = TimelineSink()
      let request = request(url)
      await client.onLoop { client in
        sink.client = client
        client.submitOnLoop(request, sink: sink)
      }
      try await client.wait("its end") { _ in sink.words != nil }
      let words = try #require(await sink.words)
      #expect(words.contains("auth 401, answered with Digest"))
      #expect(!words.contains("Circle") && !words.contains("Mufasa"))
    }
  }
}

@LoopActor final class TimelineSink: OutcomeSink {
  var client: HttpClient?
  var words: String?

  nonisolated init() {}

  func requestEnded(_ request: RequestInfo, _ outcome: Outcome) {
    words = (client?.trace(request.handle)?.timeline ?? []).map { "\($0.event) \($0.note ?? "")" }.joined(separator: "\n")
    client = nil
  }
}
