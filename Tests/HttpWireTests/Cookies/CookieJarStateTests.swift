import TestSupport
import Testing

@testable import HttpWire

@Suite("What a jar does with cookies over time")
struct CookieJarStateTests {
  private var jar = CookieJarState()
  private let now = cookieNow

  private func url(_ text: String) throws -> HttpUrl { try HttpUrl(text) }

  /// Stores one field, and gives the reason if it was refused.
  @discardableResult
  private mutating func store(_ field: String, from url: String = "http://example.com/", at time: Int64 = cookieNow) throws
    -> CookieRefusal?
  {
    try jar.store(setCookies: [field], from: HttpUrl(url), at: time).first?.reason
  }

  @Test("a cookie with the same name, domain and path takes the other's place, and keeps its time of creation and its turn")
  mutating func replacing() throws {
    try store("a=1; Path=/")
    try store("b=1; Path=/", at: now + 1)
    try store("a=2; Path=/; Max-Age=60; HttpOnly", at: now + 2)
    #expect(jar.all(at: now + 2).map(\.inShort) == ["a=2 example.com / httponly +62", "b=1 example.com /"])
    #expect(jar.all(at: now + 2).map(\.creation) == [now, now + 1] && jar.count == 2)
    #expect(try jar.header(for: url("http://example.com/"), at: now + 3) == "a=2; b=1")
  }

  @Test(
    "what differs in name, domain, path or reach is another cookie",
    arguments: ["b=2", "A=2", "a=2; Path=/x", "a=2; Path=//", "a=2; Domain=example.com", "=a"])
  mutating func beside(field: String) throws {
    try store("a=1; Path=/")
    #expect(try store(field) == nil)
    #expect(jar.count == 2)
  }

  @Test("names are compared by their bytes: two spellings of one character are two names")
  mutating func spellings() throws {
    try store("\u{E9}=1")
    try store("e\u{301}=2")
    #expect(jar.count == 2)
    let revision = jar.revision
    try store("\u{E9}=\u{E9}")
    try store("\u{E9}=e\u{301}")
    #expect(jar.revision > revision + 2 && jar.cookie(name: "\u{E9}", domain: "example.com", at: now)?.value.utf8.count == 3)
  }

  @Test("a cookie whose time is over is neither sent nor listed, and one set with a time that is over takes the other away")
  mutating func expiring() throws {
    try store("a=1; Max-Age=10")
    try store("b=1; Max-Age=20")
    let url = try url("http://example.com/")
    #expect(jar.header(for: url, at: now + 9) == "a=1; b=1")
    #expect(jar.all(at: now + 10).map(\.name) == ["b"] && jar.all(for: url, at: now + 10).map(\.name) == ["b"])
    #expect(jar.cookie(name: "a", domain: "example.com", at: now + 10) == nil)
    #expect(jar.header(for: url, at: now + 10) == "b=1" && jar.count == 1)
    #expect(try store("b=2; Max-Age=0") == nil)
    #expect(jar.header(for: url, at: now) == nil && jar.count == 0)
    // Nothing to take away.
    let revision = jar.revision
    #expect(try store("c=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT") == nil)
    #expect(jar.revision == revision)
  }

  @Test("what takes the place of a cookie whose time is over is new")
  mutating func anew() throws {
    try store("a=1; Max-Age=10")
    try store("b=1", at: now + 1)
    try store("a=2", at: now + 20)
    #expect(jar.all(at: now + 20).map(\.name) == ["b", "a"] && jar.all(at: now + 20).map(\.creation) == [now + 1, now + 20])
  }

  @Test(
    "what came in the clear does not stand in the way of a secure cookie",
    arguments: [
      ("a=2", "http://example.com/", true), ("a=2; Path=/", "http://example.com/", true),
      ("a=2; Domain=example.com", "http://example.com/", true),
      ("a=2; Path=/login", "http://example.com/", true), ("a=2; Max-Age=0", "http://example.com/", true),
      ("a=2", "http://www.example.com/", true),
      ("a=2; Domain=example.com", "http://www.example.com/", true), ("b=2", "http://example.com/", false),
      ("A=2", "http://example.com/", false),
      ("a=2", "https://example.com/", false), ("a=2; Domain=example.com", "https://example.com/", false),
    ]) mutating func overSecure(field: String, from: String, isRefused: Bool) throws
  {
    try store("a=1; Secure", from: "https://example.com/")
    #expect(try store(field, from: from) == (isRefused ? .overSecure : nil))
  }

  @Test("a secure cookie of a deeper path, or of a domain that does not overlap, or whose time is over, is not in the way")
  mutating func beneathSecure() throws {
    try store("a=1; Secure; Path=/login", from: "https://example.com/")
    #expect(try store("a=2; Path=/") == nil)
    #expect(try store("a=2; Path=/login/en") == .overSecure)
    #expect(try store("a=2; Path=/loginx") == nil)
    try store("b=1; Secure; Domain=example.com", from: "https://example.com/")
    #expect(try store("b=2", from: "http://a.example.com/") == .overSecure)
    try store("c=1; Secure", from: "https://a.example.com/")
    #expect(try store("c=2", from: "http://b.example.com/") == nil)
    try store("d=1; Secure; Max-Age=10", from: "https://example.com/")
    #expect(try store("d=2", at: now + 5) == .overSecure)
    #expect(try store("d=2", at: now + 10) == nil)
  }

  @Test("several fields are taken each by itself, and what was refused is told with place, name and reason but without its value")
  mutating func several() throws {
    let fields = ["a=1", "sid\u{1}=secret", "b=2; Domain=example.org", "token-without-name\0", "", "c=3; Secure", "d=4"]
    let refused = try jar.store(setCookies: fields, from: url("http://example.com/"), at: now)
    #expect(jar.all(at: now).map(\.name) == ["a", "d"])
    #expect(refused.map(\.index) == [1, 2, 3, 4, 5] && refused.map(\.name) == ["sid\\x01", "b", "", "", "c"])
    #expect(refused.map(\.reason) == [.control, .foreignDomain, .control, .empty, .insecureSource])
    for reason in CookieRefusal.allCases { #expect(!reason.description.isEmpty) }
    #expect(jar.all(at: now).first?.description == "cookie a of example.com/")
  }

  @Test("only what is kept counts as a change: being sent, being refused and being set to the same do not")
  mutating func revisions() throws {
    func changes(_ body: (inout CookieJarState) throws -> Void) rethrows -> Bool {
      let before = jar.revision
      try body(&jar)
      return jar.revision != before
    }
    let url = try url("http://example.com/")
    #expect(changes { $0.store(setCookies: ["a=1"], from: url, at: now) })
    #expect(!changes { $0.store(setCookies: ["a=1"], from: url, at: now + 1) })
    #expect(!changes { $0.store(setCookies: ["a=1; Domain=x"], from: url, at: now) })
    #expect(!changes { _ = $0.header(for: url, at: now) })
    #expect(changes { $0.store(setCookies: ["a=2"], from: url, at: now) })
    #expect(changes { $0.store(setCookies: ["a=2; Max-Age=9"], from: url, at: now) })
    #expect(!changes { _ = $0.header(for: url, at: now + 20) })
    #expect(!changes { $0.remove(name: "a", domain: "example.com") })
    #expect(try changes { try $0.set(Cookie(name: "a", value: "1", domain: "example.com", creation: now), at: now) })
    #expect(changes { $0.remove(name: "a", domain: "example.com") })
    #expect(!changes { $0.removeAll() })
  }

  @Test("a use is noted, in the cookie and not in its creation")
  mutating func uses() throws {
    try store("a=1; Path=/x")
    try store("b=1; Path=/y")
    _ = try jar.header(for: url("http://example.com/x"), at: now + 5)
    #expect(jar.all(at: now + 5).map(\.lastAccess) == [now + 5, now] && jar.all(at: now + 5).map(\.creation) == [now, now])
  }

  @Test("cookies are found and removed by name, domain and path, and by domain with all below it")
  mutating func listing() throws {
    try store("a=1")
    try store("a=2; Domain=example.com")
    try store("a=3; Path=/x")
    try store("a=4", from: "http://www.example.com/")
    try store("a=5", from: "http://example.org/")
    try store("a=6", from: "http://bücher.example/")
    #expect(jar.cookie(name: "a", domain: ".Example.COM", at: now)?.value == "1")
    #expect(jar.cookie(name: "a", domain: "example.com", path: "/x", at: now)?.value == "3")
    #expect(jar.cookie(name: "a", domain: "bücher.example", at: now)?.value == "6")
    #expect(jar.cookie(name: "b", domain: "example.com", at: now) == nil && jar.cookie(name: "a", domain: "com", at: now) == nil)
    #expect(try jar.all(for: url("http://example.com/x"), at: now).map(\.value) == ["3", "1", "2"])
    #expect(jar.remove(name: "a", domain: "example.com") && !jar.remove(name: "a", domain: "example.com"))
    #expect(jar.all(at: now).map(\.value) == ["3", "4", "5", "6"])
    #expect(jar.removeAll(domain: "le.com") == 0 && jar.removeAll(domain: "") == 0)
    #expect(jar.removeAll(domain: "example.com") == 2 && jar.removeAll(domain: "Bücher.example") == 1)
    #expect(jar.all(at: now).map(\.value) == ["5"])
    #expect(jar.removeAll() == 1 && jar.count == 0 && jar.sites.isEmpty)
  }

  @Test(
    "a cookie of one's own that cannot stand in a header field is refused",
    arguments: [
      ("a;b", "c", "example.com", "/", .malformed), ("a=b", "c", "example.com", "/", .malformed),
      (" a", "c", "example.com", "/", .malformed),
      ("a", "b;c", "example.com", "/", .malformed), ("a", "b ", "example.com", "/", .malformed), ("a", "b", "example.com", "x", .malformed),
      ("a", "b", "example.com", "", .malformed), ("a\r\n", "b", "example.com", "/", .control),
      ("a", "b\0", "example.com", "/", .control), ("a", "b", "example.com", "/\n", .control), ("", "", "example.com", "/", .empty),
      ("a", "b", "", "/", .invalidDomain), ("a", "b", ".", "/", .invalidDomain), ("a", "b", "exam ple.com", "/", .invalidDomain),
      ("a", "b", "example.com/x", "/", .invalidDomain), ("a", "b", "user@example.com", "/", .invalidDomain),
      ("a", "b", "example.com:80", "/", .invalidDomain),
      ("a", "b", "☃.com", "/", .invalidDomain), ("a", String(repeating: "x", count: 4_096), "example.com", "/", .tooLarge),
      ("a", "b", "example.com", "/" + String(repeating: "x", count: 1_024), .tooLarge),
    ] as [(String, String, String, String, CookieRefusal)]) mutating func malformed(row: (String, String, String, String, CookieRefusal))
    throws
  {
    let cookie = Cookie(name: row.0, value: row.1, domain: row.2, path: row.3, creation: now)
    #expect(throws: row.4) { try jar.set(cookie, at: now) }
    #expect(jar.count == 0)
  }

  @Test(
    "a cookie of one's own for all of a public suffix or of an address is one for that host alone",
    arguments: [
      ("co.uk", "a=b co.uk /"), ("localhost", "a=b localhost /"), ("127.0.0.1", "a=b 127.0.0.1 /"), ("::1", "a=b ::1 /"),
      (".Example.COM", "a=b .example.com /"), ("bücher.example", "a=b .xn--bcher-kva.example /"), ("example.com.", "a=b .example.com /"),
    ]) mutating func ownDomains(domain: String, outcome: String) throws
  {
    try jar.set(Cookie(name: "a", value: "b", domain: domain, isHostOnly: false, creation: now), at: now)
    #expect(jar.all(at: now).map(\.inShort) == [outcome])
  }

  @Test("a clock that is far off overflows nothing")
  mutating func clocks() throws {
    for time in [Int64.min, -1, 0, .max] {
      try store("a=1; Max-Age=9999999999", at: time)
      try store("b=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT", at: time)
      _ = try jar.header(for: url("http://example.com/"), at: time)
      _ = jar.all(at: time)
    }
  }
}
