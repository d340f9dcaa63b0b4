import HttpWire
import Testing

@Suite("Cookies whose name promises something")
struct CookiePrefixTests {
  @Test(
    "__Secure- and __Host-, in any case, are only taken if they are what they say",
    arguments: [
      StoreCase("__Secure-a=b; Secure", "__Secure-a=b example.com / secure", from: "https://example.com/"),
      StoreCase(
        "__Secure-a=b; Secure; Domain=example.com; Path=/x", "__Secure-a=b .example.com /x secure", from: "https://www.example.com/"),
      StoreCase("__Secure-a=b", "refused: prefix", from: "https://example.com/"), StoreCase("__Secure-a=b", "refused: prefix"),
      StoreCase("__Secure-a=b; Secure", "refused: insecure_source"),
      StoreCase("__SECURE-a=b", "refused: prefix", from: "https://example.com/"),
      StoreCase("__secure-a=b", "refused: prefix", from: "https://example.com/"),
      StoreCase("__sEcUrE-=b", "refused: prefix", from: "https://example.com/"),
      StoreCase("__secure-a=b; Secure", "__secure-a=b example.com / secure", from: "https://example.com/"),
      StoreCase("__Secure-", "refused: prefix", from: "https://example.com/"),
      StoreCase("__Secure-a; Secure", "refused: prefix", from: "https://example.com/"),
      StoreCase("=__Secure-a=b; Secure", "refused: prefix", from: "https://example.com/"),
      StoreCase("=__secure-a=b", "refused: prefix"), StoreCase("__Secure=b", "__Secure=b example.com /"),
      StoreCase("x__Secure-a=b", "x__Secure-a=b example.com /"),
      StoreCase("__Host-a=b; Secure; Path=/", "__Host-a=b example.com / secure", from: "https://example.com/"),
      StoreCase("__Host-a=b; Secure; Path=/", "__Host-a=b example.com / secure", from: "https://example.com/x/y"),
      StoreCase("__Host-a=b; Secure; Path=/; Domain=", "__Host-a=b example.com / secure", from: "https://example.com/"),
      StoreCase("__Host-a=b; Secure", "refused: prefix", from: "https://example.com/"), StoreCase("__Host-a=b; Path=/", "refused: prefix"),
      StoreCase("__Host-a=b; Path=/", "refused: prefix", from: "https://example.com/"),
      StoreCase("__Host-a=b; Secure; Path=/", "refused: insecure_source"),
      StoreCase("__Host-a=b; Secure; Path=/x", "refused: prefix", from: "https://example.com/"),
      StoreCase("__Host-a=b; Secure; Path=/; Domain=example.com", "refused: prefix", from: "https://example.com/"),
      StoreCase("__host-a=b; Secure; Path=/; Domain=example.com", "refused: prefix", from: "https://example.com/"),
      StoreCase("__HOST-a=b", "refused: prefix"), StoreCase("__Host-; Secure; Path=/", "refused: prefix", from: "https://example.com/"),
      StoreCase("=__Host-a=b; Secure; Path=/", "refused: prefix", from: "https://example.com/"),
      StoreCase("= __Host-a=b; Secure; Path=/", "refused: prefix", from: "https://example.com/"),
      StoreCase("__Host-a=b; Secure; Path=/; Domain=127.0.0.1", "__Host-a=b 127.0.0.1 / secure", from: "https://127.0.0.1/"),
      StoreCase("__Host=b", "__Host=b example.com /"), StoreCase("__Hosta=b", "__Hosta=b example.com /"),
      StoreCase("_Host-a=b", "_Host-a=b example.com /"),
    ]) func promises(row: StoreCase) throws
  {
    #expect(try stored([row.field], from: row.url) == row.outcome)
  }

  @Test("a cookie of one's own keeps the promise of its name, too")
  func ownCookies() throws {
    var jar = CookieJarState()
    func make(_ name: String, host: Bool = true, path: String = "/", secure: Bool = true) -> Cookie {
      Cookie(name: name, value: "v", domain: "example.com", isHostOnly: host, path: path, isSecure: secure, creation: cookieNow)
    }
    for wrong in [
      make("__Host-a", host: false), make("__host-a", path: "/x"), make("__Host-a", secure: false), make("__SECURE-a", secure: false),
      Cookie(name: "", value: "__Host-a=b", domain: "example.com", isSecure: true, creation: cookieNow),
    ] {
      #expect(throws: CookieRefusal.prefix) { try jar.set(wrong, at: cookieNow) }
    }
    try jar.set(make("__Host-a"), at: cookieNow)
    try jar.set(make("__Secure-a", host: false, path: "/x"), at: cookieNow)
    #expect(jar.count == 2)
  }
}
