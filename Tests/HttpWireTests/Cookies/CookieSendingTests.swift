import HttpWire
import Testing

/// Cookies set by one URL, a request to another, and what it is sent.
struct SendCase: Sendable, CustomStringConvertible {
  let fields: [String]
  let from: String
  let url: String
  let header: String?

  init(_ fields: String..., from: String = "http://example.com/", to url: String, _ header: String?) {
    self.fields = fields
    self.from = from
    self.url = url
    self.header = header
  }

  var description: String { "\(fields) of \(from) to \(url)" }
}

@Suite("Which cookies a request is sent")
struct CookieSendingTests {
  @Test(
    "hosts, paths, schemes and order decide",
    arguments: [
      SendCase("a=b", to: "http://example.com/", "a=b"), SendCase("a=b", to: "http://example.com:8080/x?y", "a=b"),
      SendCase("a=b", to: "https://example.com/", "a=b"), SendCase("a=b", to: "http://EXAMPLE.com/", "a=b"),
      SendCase("a=b", to: "http://example.com./", "a=b"),
      SendCase("a=b", to: "http://www.example.com/", nil), SendCase("a=b", to: "http://example.org/", nil),
      SendCase("a=b", to: "http://xexample.com/", nil),
      SendCase("a=b", from: "http://www.example.com/", to: "http://example.com/", nil),
      SendCase("a=b; Domain=example.com", to: "http://example.com/", "a=b"),
      SendCase("a=b; Domain=example.com", to: "http://www.example.com/", "a=b"),
      SendCase("a=b; Domain=example.com", to: "http://a.b.example.com/", "a=b"),
      SendCase("a=b; Domain=example.com", to: "http://xexample.com/", nil),
      SendCase("a=b; Domain=example.com", to: "http://example.com.evil.org/", nil),
      SendCase("a=b; Domain=example.com", to: "http://com/", nil),
      SendCase("a=b; Domain=b.example.com", from: "http://a.b.example.com/", to: "http://example.com/", nil),
      SendCase("a=b; Domain=b.example.com", from: "http://a.b.example.com/", to: "http://c.b.example.com/", "a=b"),
      SendCase("a=b; Domain=co.uk", from: "http://co.uk/", to: "http://example.co.uk/", nil),
      SendCase("a=b; Domain=co.uk", from: "http://co.uk/", to: "http://co.uk/", "a=b"),
      SendCase("a=b; Domain=127.0.0.1", from: "http://127.0.0.1/", to: "http://127.0.0.1:99/", "a=b"),
      SendCase("a=b", from: "http://127.0.0.1/", to: "http://1.127.0.0.1/", nil),
      SendCase("a=b", from: "http://127.0.0.1/", to: "http://localhost/", nil),
      SendCase("a=b", from: "http://[::1]/", to: "http://[::1]:99/", "a=b"),
      SendCase("a=b", from: "http://[::1]/", to: "http://[::2]/", nil),
      SendCase("a=b", from: "http://localhost/", to: "http://localhost:99/", "a=b"),
      SendCase("a=b", from: "http://localhost/", to: "http://a.localhost/", nil),
      SendCase("a=b; Domain=xn--bcher-kva.example", from: "http://bücher.example/", to: "http://www.bücher.example/", "a=b"),
      // Paths.
      SendCase("a=b; Path=/x", to: "http://example.com/x", "a=b"), SendCase("a=b; Path=/x", to: "http://example.com/x/", "a=b"),
      SendCase("a=b; Path=/x", to: "http://example.com/x/y", "a=b"), SendCase("a=b; Path=/x", to: "http://example.com/x?y", "a=b"),
      SendCase("a=b; Path=/x", to: "http://example.com/xy", nil), SendCase("a=b; Path=/x", to: "http://example.com/", nil),
      SendCase("a=b; Path=/x", to: "http://example.com/X", nil), SendCase("a=b; Path=/x", to: "http://example.com/?/x", nil),
      SendCase("a=b; Path=/x/", to: "http://example.com/x", nil), SendCase("a=b; Path=/x/", to: "http://example.com/x/", "a=b"),
      SendCase("a=b; Path=/x/", to: "http://example.com/x/y", "a=b"), SendCase("a=b; Path=/x?y", to: "http://example.com/x?y", nil),
      SendCase("a=b; Path=/%78", to: "http://example.com/x", nil), SendCase("a=b; Path=/", to: "http://example.com", "a=b"),
      SendCase("a=b", from: "http://example.com/x/y", to: "http://example.com/x", "a=b"),
      SendCase("a=b", from: "http://example.com/x/y", to: "http://example.com/", nil),
      // Secure.
      SendCase("a=b; Secure", from: "https://example.com/", to: "https://example.com/", "a=b"),
      SendCase("a=b; Secure", from: "https://example.com/", to: "http://example.com/", nil),
      SendCase("a=b; Secure", from: "https://127.0.0.1/", to: "http://127.0.0.1/", nil),
      SendCase("a=b; Secure", from: "https://localhost/", to: "http://localhost/", nil),
      SendCase("a=b; HttpOnly", to: "http://example.com/", "a=b"),
      // Order.
      SendCase("a=1; Path=/", "b=2; Path=/x", "c=3; Path=/x/y", to: "http://example.com/x/y", "c=3; b=2; a=1"),
      SendCase("a=1; Path=/x/y", "b=2; Path=/x", "c=3; Path=/", to: "http://example.com/x/y", "a=1; b=2; c=3"),
      SendCase("b=1", "a=2", "c=3", to: "http://example.com/", "b=1; a=2; c=3"),
      SendCase("b=1", "a=2", "b=3", to: "http://example.com/", "b=3; a=2"),
      SendCase("a=1; Path=/x", "a=2; Path=/", to: "http://example.com/x", "a=1; a=2"),
      SendCase("a=1; Domain=example.com", "a=2", to: "http://example.com/", "a=1; a=2"),
      // Without a name, and other odd ones.
      SendCase("b", to: "http://example.com/", "b"), SendCase("a=1", "b", "c=", to: "http://example.com/", "a=1; b; c="),
      SendCase("=a=b", to: "http://example.com/", "a=b"), SendCase("a=\"b c\"", to: "http://example.com/", "a=\"b c\""),
      SendCase("a=ü", to: "http://example.com/", "a=ü"), SendCase(to: "http://example.com/", nil),
    ]) func sent(row: SendCase) throws
  {
    var jar = CookieJarState()
    jar.store(setCookies: row.fields, from: try HttpUrl(row.from), at: cookieNow)
    #expect(try jar.header(for: HttpUrl(row.url), at: cookieNow) == row.header)
    #expect(try jar.header(for: HttpUrl(row.url), at: cookieNow) == row.header)
  }

  @Test(
    "after a redirect from another site strict cookies stay home, and lax ones go with safe methods",
    arguments: [
      (HttpMethod.get, false, "s=1; l=1; n=1; u=1"), (.post, false, "s=1; l=1; n=1; u=1"), (.get, true, "l=1; n=1; u=1"),
      (.head, true, "l=1; n=1; u=1"),
      (.options, true, "l=1; n=1; u=1"), (.post, true, "n=1"), (.put, true, "n=1"), (.delete, true, "n=1"), (.patch, true, "n=1"),
    ]) func crossSite(method: HttpMethod, isCrossSite: Bool, header: String) throws
  {
    var jar = CookieJarState()
    let url = try HttpUrl("https://example.com/")
    jar.store(setCookies: ["s=1; SameSite=Strict", "l=1; SameSite=Lax", "n=1; SameSite=None; Secure", "u=1"], from: url, at: cookieNow)
    #expect(jar.header(for: url, method: method, isCrossSite: isCrossSite, at: cookieNow) == header)
  }

  @Test("a field has a limit: what does not fit is left out, shorter ones that follow are not")
  func fieldLimit() throws {
    var limits = CookieLimits()
    limits.headerBytes = 20
    var jar = CookieJarState(limits: limits)
    let url = try HttpUrl("http://example.com/")
    jar.store(setCookies: ["a=12345", "b=1234567890", "c=1", "d=12345678"], from: url, at: cookieNow)
    #expect(jar.header(for: url, at: cookieNow) == "a=12345; c=1")
    jar.removeAll()
    jar.store(setCookies: ["a=1234567890123456789"], from: url, at: cookieNow)
    #expect(jar.header(for: url, at: cookieNow) == nil)
  }

  @Test("by default a field is not longer than 16 KiB")
  func defaultFieldLimit() throws {
    var jar = CookieJarState()
    let url = try HttpUrl("http://example.com/")
    for index in 0..<10 { jar.store(setCookies: ["n\(index)=\(String(repeating: "x", count: 4_000))"], from: url, at: cookieNow) }
    let length = jar.header(for: url, at: cookieNow)?.utf8.count ?? 0
    #expect(length <= 16_384 && length > 16_000)
  }
}
