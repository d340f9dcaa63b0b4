import Dispatch
import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Whose answers the cache gives to whom.
@Suite("The cache and who asks", .oneAtATime, .timeLimit(.minutes(2)))
struct CachedAuthTests {
  private func cached(_ cache: HttpCache = HttpCache()) -> HttpClient.Configuration {
    .test {
      $0.cache = cache
      $0.cachePolicy = .default
    }
  }

  /// Wants Digest for targets with `digest` in them, with a nonce that is good for `uses` requests. Answers as the target's query says in fields; a
  /// condition with 304.
  @LoopActor final class Gatekeeper {
    var uses = 1_000
    private var nonce = 0
    private var used = 0
    private var answers = 0
    nonisolated let counts = Record<String>("nonce and nc of each request")

    nonisolated init() {}

    func answer(_ connection: PeerConnection, _ request: SeenRequest) {
      let said = AuthChallenge.all(in: request.head.headers["Authorization"] ?? "").first
      if request.target.contains("digest") {
        counts.add("\(said?["nonce"] ?? "-") \(said?["nc"] ?? "-")")
        guard said?["nonce"] == "n\(nonce)", used < uses else {
          (nonce, used) = (nonce + 1, 0)
          let stale = said?["nonce"] == nil ? "" : ", stale=true"
          return connection.answer(
            "who?", status: 401,
            fields: "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\(nonce)\", qop=\"auth\"\(stale)\r\nCache-Control: max-age=100\r\n")
        }
        used += 1
      }
      if request.head.headers["If-None-Match"] == "\"1\"" { return connection.write("HTTP/1.1 304 Same\r\n\r\n") }
      let fields = request.target.split(separator: "?").last.map(String.init) ?? ""
      let lines = fields.split(separator: "&").map { $0.replacing("=", with: ": ", maxReplacements: 1) + "\r\n" }.joined()
      answers += 1
      connection.answer("answer \(answers)", fields: lines)
    }
  }

  private func withGatekeeper(
    _ configuration: HttpClient.Configuration, _ body: (HttpClient, ScriptedPeer, Gatekeeper) async throws -> Void
  ) async throws {
    let keeper = Gatekeeper()
    try await scene(configuration) {
      keeper.answer($0, $1)
    } test: {
      try await body($0, $1, keeper)
    }
  }

  private static let ann = HttpCredentials.digest(user: "ann", password: "hush")

  private func request(_ url: String, _ credentials: HttpCredentials?) -> HttpRequest {
    var request = HttpRequest(url)
    request.credentials = credentials
    return request
  }

  /// Each is another one.
  private static let askers: [(String, @Sendable (inout HttpRequest) -> Void)] = [
    ("nobody", { _ in }),
    ("basic ann", { $0.credentials = .basic(user: "ann", password: "hush") }),
    ("basic ann with another password", { $0.credentials = .basic(user: "ann", password: "hushed") }),
    ("basic bob", { $0.credentials = .basic(user: "bob", password: "hush") }),
    ("user and password that run together", { $0.credentials = .basic(user: "annh", password: "ush") }),
    ("digest ann", { $0.credentials = CachedAuthTests.ann }),
    ("any ann", { $0.credentials = .any(user: "ann", password: "hush") }),
    ("bearer", { $0.credentials = .bearer("one") }),
    ("another bearer", { $0.credentials = .bearer("two") }),
    ("a token", { $0.tokenSource = CountingSource(gives: "three") }),
    ("by hand", { $0.headers = ["Authorization": "Basic mine"] }),
    ("otherwise by hand", { $0.headers = ["Authorization": "Digest username=ann, nonce=n1"] }),
    ("by hand beside credentials", { ($0.headers, $0.credentials) = (["Authorization": "Own x"], CachedAuthTests.ann) }),
  ]

  @Test("each asker has answers of its own, whatever Vary says", arguments: ["", "&Vary=Authorization", "&Vary=Accept"])
  func apart(vary: String) async throws {
    try await withGatekeeper(cached()) { client, peer, _ in
      let url = await peer.url("/?Cache-Control=max-age=100\(vary)")
      for round in 1...2 {
        for (index, (name, change)) in Self.askers.enumerated() {
          var request = HttpRequest(url)
          change(&request)
          let answer = try await client.send(request)
          #expect(answer.text == "answer \(index + 1)", "\(name)")
          #expect(answer.headers["Cache-Status"]?.contains("hit") == (round == 2), "\(name)")
        }
      }
      #expect(peer.requests.count == Self.askers.count)
    }
  }

  @Test("more askers than a URL may have variants do not push each other out")
  func many() async throws {
    try await withGatekeeper(cached()) { client, peer, _ in
      let url = await peer.url("/?Cache-Control=max-age=100")
      let count = 2 * CacheIndex.maximumVariants
      for _ in 0..<2 {
        for index in 0..<count { try await client.expect("answer \(index + 1)", request(url, .bearer("t\(index)"))) }
      }
    }
  }

  @Test("requests with Digest hit, though each would say something else; an answer that asks who it is is never stored")
  func digest() async throws {
    try await withGatekeeper(cached()) { client, peer, _ in
      let url = await peer.url("/digest?Cache-Control=max-age=100&Vary=Authorization")
      for _ in 0..<2 { #expect(try await client.failure(HttpRequest(url)).status == 401) }
      for _ in 0..<20 { try await client.expect("answer 1", request(url, Self.ann)) }
      #expect(peer.requests.count == 4)
      #expect(try await client.failure(HttpRequest(url)).status == 401)
    }
  }

  @Test("what is stale is asked for with the same conditions, however often the nonce is renewed; each nonce is counted from 1")
  func staleWithDigest() async throws {
    try await withGatekeeper(cached()) { client, peer, keeper in
      await client.onLoop { _ in keeper.uses = 2 }
      let url = await peer.url("/digest?Cache-Control=max-age=0&ETag=\"1\"")
      for _ in 0..<6 { try await client.expect("answer 1", request(url, Self.ann)) }
      #expect(peer.requests.all.dropFirst(2).allSatisfy { $0.head.headers.values("If-None-Match") == ["\"1\""] })
      var used: [String: Set<String>] = [:]
      for use in keeper.counts.all where use != "- -" {
        let parts = use.split(separator: " ").map(String.init)
        #expect(used[parts[0], default: []].insert(parts[1]).inserted, "\(use) came twice")
      }
    }
  }

  @Test("a request that waits for its token is looked up under that token")
  func token() async throws {
    let cache = HttpCache()
    try await withGatekeeper(cached(cache)) { client, peer, _ in
      let url = await peer.url("/?Cache-Control=max-age=100")
      try await client.expect("answer 1", HttpRequest(url))
      let source = CountingSource()
      for _ in 0..<2 {
        var request = HttpRequest(url)
        request.tokenSource = source
        try await client.expect("answer 2", request)
      }
      #expect(source.asked.count == 1 && peer.requests.count == 2)
      // Nothing is remembered here, so this one waits, too.
      let other = HttpClient(cached(cache))
      var request = HttpRequest(url)
      request.tokenSource = CountingSource()
      try await other.expect("answer 2", request)
      request.tokenSource = CountingSource(gives: "t2")
      try await other.expect("answer 3", request)
      await expectNothingLeft(other)
      #expect(peer.requests.count == 3)
    }
  }

  @Test("what comes for a token that replaced another meanwhile is stored for the new one alone")
  func tokenChanges() async throws {
    try await withGatekeeper(cached()) { client, peer, _ in
      let url = await peer.url("/?Cache-Control=max-age=100&ETag=\"1\"")
      let source = CountingSource()
      var request = HttpRequest(url)
      request.tokenSource = source
      try await client.expect("answer 1", request)
      request.cache = .revalidate
      let gate = DispatchSemaphore(value: 0)
      let sink = RecordingSink()
      let revalidating = request
      let renewed = Record<Bool>("new tokens")
      await client.onLoop { client in
        client.engine.preparations.async { gate.wait() }
        client.submitOnLoop(revalidating, sink: sink)
      }
      try await client.wait("its look-up") { $0.engine.table.count == 1 }
      let rejected = TokenRequest(try HttpUrl(url), service: nil, rejected: "t1")
      await client.onLoop { $0.engine.preparer.authenticator.tokens.token(for: rejected, from: source) { _ in renewed.add(true) } }
      try await renewed.first(1)
      gate.signal()
      let outcome = try await sink.outcomes.first(1)[0].outcome
      guard case .finished(let response) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(response.text == "answer 2")
      #expect(peer.requests.all.map { $0.head.headers["If-None-Match"] } == [nil, nil])
      request.cache = .onlyIfCached
      try await client.expect("answer 2", request)
      try await client.expect("answer 1", self.request(url, .bearer("t1")))
    }
  }

  @Test("a request that changes things drops what is stored for everybody")
  func invalidation() async throws {
    try await withGatekeeper(cached()) { client, peer, _ in
      let url = await peer.url("/?Cache-Control=max-age=100")
      let askers = [nil, HttpCredentials.bearer("one"), .basic(user: "ann", password: "hush")]
      for asker in askers { _ = try await client.send(request(url, asker)) }
      var change = request(url, .bearer("one"))
      change.method = .put
      change.body = .text("x")
      _ = try await client.send(change)
      for (index, asker) in askers.enumerated() { try await client.expect("answer \(index + 5)", request(url, asker)) }
    }
  }

  @Test("a URL at a Unix socket is another one than at its host, or at another socket; a client certificate is another asker")
  func places() async throws {
    let directory = try TemporaryDirectory()
    let paths = ["one", "other"].map { directory.file($0) }
    var peers: [ScriptedPeer] = []
    for path in paths {
      let peer = await ScriptedPeer { $0.answer("\(path) \($1.number)", fields: "Cache-Control: max-age=100\r\n") }
      try await peer.start(on: try .unix(path))
      peers.append(peer)
    }
    try await withGatekeeper(cached()) { client, peer, _ in
      let url = await peer.url("/?Cache-Control=max-age=100")
      var request = HttpRequest(url)
      try await client.expect("answer 1", request)
      for _ in 0..<2 {
        for path in paths {
          request.unixSocket = path
          try await client.expect("\(path) 1", request)
        }
      }
      request.method = .delete
      request.unixSocket = paths[0]
      _ = try await client.send(request)
      (request.method, request.unixSocket) = (.get, paths[1])
      try await client.expect("\(paths[1]) 1", request)
      try await client.expect("answer 1", HttpRequest(url))
      request.unixSocket = paths[0]
      try await client.expect("\(paths[0]) 3", request)
    }
    for peer in peers { await peer.stop() }

    var (one, other) = (HttpRequest("https://a.example/"), HttpRequest("https://a.example/"))
    var tls = TlsSettings()
    tls.certificateFile = "/one.pem"
    one.tls = tls
    tls.certificateFile = "/other.pem"
    other.tls = tls
    let askers = [HttpRequest("https://a.example/"), one, other].map { $0.asker(saying: .nothing, over: TlsSettings()) }
    #expect(Set(askers).count == 3 && HttpRequest("https://a.example/").asker(saying: .nothing, over: tls) == askers[2])
  }

  @Test("what is on disk is for the same asker after a restart, and shows nothing of the credentials")
  func onDisk() async throws {
    let directory = try TemporaryDirectory()
    let secrets = ["annabel", "hushhush", "annabel:hushhush", "sesame-token", "byhand-secret"]
    let askers: [@Sendable (inout HttpRequest) -> Void] = [
      { _ in }, { $0.credentials = .basic(user: secrets[0], password: secrets[1]) },
      { $0.credentials = .digest(user: secrets[0], password: secrets[1]) }, { $0.credentials = .bearer(secrets[3]) },
      { $0.headers = ["Authorization": "Own \(secrets[4])"] },
    ]
    let keeper = Gatekeeper()
    let peer = await ScriptedPeer { keeper.answer($0, $1) }
    try await peer.start(on: .loopback(port: 0))
    let url = await peer.url("/?Cache-Control=max-age=100&Vary=Accept,Authorization")
    for _ in 0..<2 {
      let cache = HttpCache(.test(in: directory))
      await cache.settle()
      let client = HttpClient(cached(cache))
      for (index, change) in askers.enumerated() {
        var request = HttpRequest(url)
        change(&request)
        try await client.expect("answer \(index + 1)", request)
      }
      await expectNothingLeft(client)
      await cache.close()
    }
    #expect(peer.requests.count == askers.count)
    let files = names(in: directory.file("cache"))
    #expect(files.count == askers.count + 1)
    for file in files {
      let content = bytes(of: directory.file("cache/\(file)"))
      for secret in secrets {
        for written in [Array(secret.utf8), Array(Base64.encode(Array(secret.utf8)).utf8)] {
          #expect(!content.contains(written) && !Array(file.utf8).contains(written), "\(secret) in \(file)")
        }
      }
    }
    await peer.stop()
  }
}
