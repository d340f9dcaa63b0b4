import HttpWire
import Testing

@Suite("Cookies that have to go for want of room")
struct CookieEvictionTests {
  private let now = cookieNow

  private func limits(perDomain: Int, inAll: Int) -> CookieLimits {
    var limits = CookieLimits()
    limits.cookiesPerDomain = perDomain
    limits.cookies = inAll
    return limits
  }

  private func names(_ jar: CookieJarState, at time: Int64 = cookieNow) -> String { jar.all(at: time).map(\.name).joined() }

  @Test("a domain has 180 cookies, those of all its hosts together; the oldest goes")
  func perDomain() throws {
    var jar = CookieJarState()
    for index in 0..<200 {
      let url = try HttpUrl("http://h\(index % 7).example.com/")
      #expect(jar.store(setCookies: ["n\(index)=1"], from: url, at: now) == [])
    }
    #expect(jar.all(at: now).map(\.name) == (20..<200).map { "n\($0)" })
    jar.store(setCookies: ["other=1"], from: try HttpUrl("http://example.org/"), at: now)
    #expect(jar.count == 181)
  }

  @Test("a jar has 3,000 cookies; the one not used for longest goes, whosever it is")
  func inAll() throws {
    var jar = CookieJarState()
    for index in 0..<3_000 { jar.store(setCookies: ["a=1"], from: try HttpUrl("http://h\(index).test/"), at: now) }
    _ = try jar.header(for: HttpUrl("http://h0.test/"), at: now + 1)
    #expect(jar.count == 3_000)
    for index in 3_000..<3_010 { jar.store(setCookies: ["a=1"], from: try HttpUrl("http://h\(index).test/"), at: now + 2) }
    #expect(jar.count == 3_000)
    let left = Set(jar.all(at: now + 2).map(\.domain))
    #expect(left.contains("h0.test") && !left.contains("h1.test") && !left.contains("h10.test") && left.contains("h11.test"))
  }

  @Test("within a domain the expired go first, then those not secure, then those not used for longest")
  func orderInDomain() throws {
    var jar = CookieJarState(limits: limits(perDomain: 4, inAll: 100))
    let url = try HttpUrl("https://example.com/")
    jar.store(setCookies: ["a=1; Secure", "b=1", "c=1; Secure; Max-Age=10", "d=1"], from: url, at: now)
    jar.store(setCookies: ["e=1"], from: url, at: now + 10)
    #expect(names(jar) == "abde")
    jar.store(setCookies: ["b=2"], from: url, at: now + 11)
    jar.store(setCookies: ["f=1; Secure"], from: url, at: now + 11)
    #expect(names(jar, at: now + 11) == "abef")
    jar.store(setCookies: ["g=1; Secure", "h=1; Secure"], from: url, at: now + 11)
    #expect(names(jar, at: now + 11) == "afgh")
    jar.store(setCookies: ["a=2; Secure"], from: url, at: now + 12)
    jar.store(setCookies: ["i=1; Secure"], from: url, at: now + 12)
    #expect(names(jar, at: now + 12) == "aghi")
  }

  @Test("in a full jar the expired go first, then those not secure, then those not used for longest")
  func orderInAll() throws {
    var jar = CookieJarState(limits: limits(perDomain: 100, inAll: 4))
    func store(_ field: String, at time: Int64) throws {
      let host = "\(field.prefix(1)).test"
      jar.store(setCookies: [field], from: try HttpUrl("https://\(host)/"), at: time)
    }
    for field in ["a=1; Secure", "b=1", "c=1; Secure; Max-Age=10", "d=1"] { try store(field, at: now) }
    try store("e=1", at: now + 10)
    #expect(names(jar) == "abde")
    _ = try jar.header(for: HttpUrl("https://b.test/"), at: now + 11)
    try store("f=1; Secure", at: now + 11)
    #expect(names(jar, at: now + 11) == "abef")
    try store("g=1; Secure", at: now + 11)
    try store("h=1; Secure", at: now + 11)
    #expect(names(jar, at: now + 11) == "afgh")
    _ = try jar.header(for: HttpUrl("https://a.test/"), at: now + 12)
    try store("i=1; Secure", at: now + 12)
    #expect(names(jar, at: now + 12) == "aghi")
  }

  @Test("a cookie in the clear drives out no secure one: it is refused, and told so")
  func noRoom() throws {
    let url = try HttpUrl("https://example.com/")
    for limits in [limits(perDomain: 2, inAll: 100), limits(perDomain: 100, inAll: 2)] {
      var jar = CookieJarState(limits: limits)
      jar.store(setCookies: ["a=1; Secure", "b=1; Secure"], from: url, at: now)
      #expect(jar.store(setCookies: ["c=1"], from: url, at: now).map(\.reason) == [.noRoom])
      #expect(throws: CookieRefusal.noRoom) { try jar.set(Cookie(name: "d", value: "1", domain: "example.com", creation: now), at: now) }
      #expect(names(jar) == "ab")
      #expect(jar.store(setCookies: ["c=1; Secure"], from: url, at: now) == [])
      #expect(names(jar) == "bc")
    }
  }

  @Test("with limits of nothing, or less, nothing is kept and nothing traps", arguments: [(0, 10), (10, 0), (-1, -1)])
  func nothing(perDomain: Int, inAll: Int) throws {
    var jar = CookieJarState(limits: limits(perDomain: perDomain, inAll: inAll))
    #expect(jar.store(setCookies: ["a=1", "b=1"], from: try HttpUrl("http://example.com/"), at: now).map(\.reason) == [.noRoom, .noRoom])
    #expect(try jar.header(for: HttpUrl("http://example.com/"), at: now) == nil)
    #expect(jar.count == 0)
  }
}
