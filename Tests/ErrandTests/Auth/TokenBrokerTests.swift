import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite("Tokens and their sources", .timeLimit(.minutes(2)))
struct TokenBrokerTests {
  private let broker = TokenBroker(timeout: .seconds(90))

  private func request(_ url: String = "http://a/", service: String? = nil, rejected: String? = nil) throws -> TokenRequest {
    TokenRequest(try HttpUrl(url), service: service, rejected: rejected)
  }

  private func token(_ request: TokenRequest, _ source: any TokenSource, _ broker: TokenBroker? = nil) async -> String {
    let answer = await withCheckedContinuation { continuation in
      (broker ?? self.broker).token(for: request, from: source) { continuation.resume(returning: $0) }
    }
    switch answer {
    case .success(let token): return token
    case .failure(let failure): return "! \(failure.words)"
    }
  }

  @Test("a source is asked once, and again only when its token was rejected")
  func once() async throws {
    let source = CountingSource()
    #expect(broker.current(for: try request(), from: source) == nil)
    #expect(await token(try request(), source) == "t1")
    #expect(await token(try request(), source) == "t1")
    #expect(broker.current(for: try request(), from: source) == "t1")
    #expect(await token(try request(rejected: "t1"), source) == "t2")
    #expect(await token(try request(rejected: "t1"), source) == "t2", "who comes late with the old token gets the new one")
    #expect(await token(try request(rejected: "t2"), source) == "t3")
    #expect(source.asked.all.map(\.rejectedToken) == [nil, "t1", "t2"])
  }

  @Test("origins, services and sources have tokens of their own")
  func apart() async throws {
    let (source, other) = (CountingSource(), CountingSource())
    #expect(await token(try request(), source) == "t1")
    #expect(await token(try request("https://a/"), source) == "t2")
    #expect(await token(try request("http://a:81/"), source) == "t3")
    #expect(await token(try request(service: "s"), source) == "t4")
    #expect(await token(try request(), other) == "t1")
    #expect(source.asked.all.map(\.origin) == ["http://a", "https://a", "http://a:81", "http://a"])
  }

  @Test("many that ask at once get the one answer")
  func many() async throws {
    let source = CountingSource(holds: true)
    let request = try request()
    async let answers = withTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { await self.token(request, source) } }
      return await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    try await source.asked.first(1)
    source.open()
    #expect(await answers == ["t1"])
    // Those that came after the answer took it over, too.
    #expect(source.asked.count == 1)
  }

  @Test("a failure is everybody's who waits, and nobody's who comes later")
  func failure() async throws {
    struct Wrong: Error { let secret = "hush" }
    let source = CountingSource()
    source.fail(with: Wrong())
    #expect(await token(try request(), source) == "! Wrong")
    source.fail(with: HttpClientError(.timeout, message: "too late"))
    #expect(await token(try request(), source) == "! timeout: too late")
    source.fail(with: CancellationError())
    #expect(await token(try request(), source) == "! it was cancelled")
    source.fail(with: nil)
    #expect(await token(try request(), source) == "t4")
  }

  @Test("what is no token is not sent, and the rejected one not again", arguments: ["", "two words", "a\r\nb", "ü", "same"])
  func unusable(token: String) async throws {
    let source = CountingSource(gives: token)
    let words = await self.token(try request(rejected: "same"), source)
    #expect(words.hasPrefix("! the ") && (token.isEmpty || !words.contains(token)))
    #expect(broker.current(for: try request(), from: source) == nil)
  }

  @Test("a source that never answers is given up after the limit, which is named, and asked anew")
  func silence() async throws {
    let broker = TokenBroker(timeout: .milliseconds(20))
    let source = CountingSource(holds: true)
    #expect(await token(try request(), source, broker) == "! it took longer than 20 ms (limit token_timeout)")
    source.open()
    // What the first asking still brings is for nobody.
    try await source.given.first(1)
    #expect(["t2", "t1"].contains(await token(try request(), source, TokenBroker(timeout: .zero))))
  }

  @Test("a source within its own work is known")
  func itself() async throws {
    let source = CountingSource()
    let other = CountingSource()
    source.whileAsked = { Set([TokenBroker.isAsking(source), TokenBroker.isAsking(other)]).count == 2 && TokenBroker.isAsking(source) }
    #expect(!TokenBroker.isAsking(source))
    #expect(await token(try request(), source) == "t1")
    #expect(source.checks.all == [true] && !TokenBroker.isAsking(source))
    source.whileAsked = nil
  }

  @Test("kept tokens are bounded, and the last used stay")
  func bounds() async throws {
    let source = CountingSource()
    for index in 0..<TokenBroker.maximumSlots + 10 {
      _ = await token(try request("http://h\(index)/"), source)
      _ = broker.current(for: try request("http://h0/"), from: source)
    }
    #expect(broker.current(for: try request("http://h0/"), from: source) == "t1")
    #expect(broker.current(for: try request("http://h1/"), from: source) == nil)
  }

  @Test("what is asked shows no token")
  func hidden() throws {
    let request = try request(service: "s", rejected: "hush")
    var dumped = ""
    dump(request, to: &dumped)
    #expect("\(request)" == "a token for http://a of s after one was rejected" && !dumped.contains("hush"))
  }
}
