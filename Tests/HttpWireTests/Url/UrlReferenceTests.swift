import HttpWire
import TestSupport
import Testing

@Suite("URL references")
struct UrlReferenceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var reference: String
    var base: String
    var result: String
    var testDescription: String { "\(reference) at \(base)" }

    init(_ reference: String, at base: String = "http://a/b/c/d;p?q", _ result: String) {
      self.reference = reference
      self.base = base
      self.result = result
    }
  }

  /// RFC 3986 5.4.1 and 5.4.2, but for `g:h`, which is no http URL, and with fragments dropped.
  static let examples: [Case] = [
    Case("g", "http://a/b/c/g"), Case("./g", "http://a/b/c/g"), Case("g/", "http://a/b/c/g/"), Case("/g", "http://a/g"),
    Case("//g", "http://g/"), Case("?y", "http://a/b/c/d;p?y"), Case("g?y", "http://a/b/c/g?y"), Case("#s", "http://a/b/c/d;p?q"),
    Case("g#s", "http://a/b/c/g"), Case("g?y#s", "http://a/b/c/g?y"), Case(";x", "http://a/b/c/;x"), Case("g;x", "http://a/b/c/g;x"),
    Case("g;x?y#s", "http://a/b/c/g;x?y"), Case("", "http://a/b/c/d;p?q"), Case(".", "http://a/b/c/"), Case("./", "http://a/b/c/"),
    Case("..", "http://a/b/"), Case("../", "http://a/b/"), Case("../g", "http://a/b/g"), Case("../..", "http://a/"),
    Case("../../", "http://a/"), Case("../../g", "http://a/g"),
    Case("../../../g", "http://a/g"), Case("../../../../g", "http://a/g"), Case("/./g", "http://a/g"), Case("/../g", "http://a/g"),
    Case("g.", "http://a/b/c/g."), Case(".g", "http://a/b/c/.g"), Case("g..", "http://a/b/c/g.."), Case("..g", "http://a/b/c/..g"),
    Case("./../g", "http://a/b/g"), Case("./g/.", "http://a/b/c/g/"), Case("g/./h", "http://a/b/c/g/h"), Case("g/../h", "http://a/b/c/h"),
    Case("g;x=1/./y", "http://a/b/c/g;x=1/y"), Case("g;x=1/../y", "http://a/b/c/y"), Case("g?y/./x", "http://a/b/c/g?y/./x"),
    Case("g?y/../x", "http://a/b/c/g?y/../x"), Case("g#s/./x", "http://a/b/c/g"), Case("g#s/../x", "http://a/b/c/g"),
  ]

  static let others: [Case] = [
    Case("http://b", "http://b/"), Case("HTTP://B:80/x", "http://b/x"), Case("https://b:8443?x#y", "https://b:8443/?x"),
    Case("http://b/x/../y/./z?../q", "http://b/y/z?../q"), Case("//b:81/x/..", at: "https://a/", "https://b:81/"),
    Case("//[::1]:8080", at: "https://a/", "https://[::1]:8080/"), Case("/x", at: "https://a:8443/y?z", "https://a:8443/x"),
    Case("x", at: "http://a", "http://a/x"), Case("x", at: "http://a?q", "http://a/x"), Case("?x", at: "http://a", "http://a/?x"),
    Case("?", at: "http://a/b?c", "http://a/b?"), Case("x", at: "http://a/b/c?d/e", "http://a/b/x"),
    Case("", at: "http://a", "http://a/"),
    Case("  /g\t", "http://a/g"), Case("a b/c d?e f", "http://a/b/c/a%20b/c%20d?e%20f"), Case("http://b/a b?c d", "http://b/a%20b?c%20d"),
    Case("/ü?ß#ü", "http://a/%C3%BC?%C3%9F"), Case("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"),
    Case("//bücher.example?ü", "http://xn--bcher-kva.example/?%C3%BC"), Case("/a%20b/%2e%2e/%zz", "http://a/a%20b/%2e%2e/%zz"),
    Case("1a:b", "http://a/b/c/1a:b"), Case("./x:y", "http://a/b/c/x:y"), Case("/x:y", "http://a/x:y"),
    Case("?a:b", "http://a/b/c/d;p?a:b"),
    Case("/a//b/../c", "http://a/a//c"), Case("/a/b//..", "http://a/a/b/"), Case("//b//..//c", "http://b//c"), Case("/..", "http://a/"),
    Case("?y", at: "http://a/b/../c", "http://a/b/../c?y"), Case("g", at: "http://a/b/../c", "http://a/g"),
    Case("/{x}|\"\\<>", "http://a/{x}|\"\\<>"), Case("/\\b", "http://a/\\b"),
    Case("/n", at: "http://me:pw@a/o", "http://me:***@a/n"), Case("//a/n", at: "http://me:pw@a/o", "http://a/n"),
  ]

  @Test("a reference is resolved by RFC 3986 5.2", arguments: examples + others)
  func resolves(given: Case) throws {
    let url = try HttpUrl(given.reference, relativeTo: HttpUrl(given.base))
    #expect(url.description == given.result)
  }

  @Test(
    "a reference that leads to no http URL is refused",
    arguments: [
      "g:h", "ftp://b/", "file:///etc/passwd", "data:text/html,x", "javascript:alert(1)", "mailto:a@b", "http:", "http:g", "http:/g",
      "http://",
      "https:///x", "//", "///x", "//:80/", "http://a:0/", "http://a b/", "//a\u{7F}/",
      "/a\r\nb", "/a\0b", "/a\tb", "#\n", "//a\\b/", "http://[::1/",
    ])
  func refused(reference: String) throws {
    let base = try HttpUrl("http://a/b/c/d;p?q")
    #expect(throws: WireError.self) { try HttpUrl(reference, relativeTo: base) }
  }

  @Test("a result over 64 KiB is refused, as are results that only encoding makes so long")
  func length() throws {
    let base = try HttpUrl("http://a/" + String(repeating: "b", count: 60_000) + "/c")
    #expect(throws: WireError.self) { try HttpUrl(String(repeating: "d", count: 6_000), relativeTo: base) }
    #expect(throws: WireError.self) { try HttpUrl("/" + String(repeating: " d", count: 20_000), relativeTo: base) }
    #expect(throws: WireError.self) { try HttpUrl("http://a/" + String(repeating: " d", count: 20_000), relativeTo: base) }
    #expect(try HttpUrl("/d", relativeTo: base).target == "/d")
  }

  @Test(
    "an origin is scheme, host and port",
    arguments: [
      ("http://a/x", "HTTP://A:80/y?z", true), ("https://a:443", "https://u:p@a/", true), ("http://a/", "https://a/", false),
      ("http://a/", "http://a:81/", false), ("http://a/", "http://b/", false), ("http://a:443/", "https://a:443/", false),
      ("http://[::1]/", "http://[::1]:80/", true), ("http://a/", "http://www.a/", false),
    ])
  func origin(one: String, other: String, isSame: Bool) throws {
    #expect(try HttpUrl(one).isSameOrigin(as: HttpUrl(other)) == isSame)
    #expect(try HttpUrl(other).isSameOrigin(as: HttpUrl(one)) == isSame)
  }

  @Test("50,000 random and damaged references do not trap, and what is resolved reads the same again")
  func random() throws {
    var generator = SeededGenerator(seed: 41)
    let base = try HttpUrl("http://a/b/c/d;p?q")
    let valid = (Self.examples + Self.others).map { Array($0.reference.utf8) }
    for round in 0..<50_000 {
      let bytes = round.isMultiple(of: 2) ? generator.bytes(upTo: 16) : generator.mutation(of: valid[round / 2 % valid.count])
      guard let url = try? HttpUrl(String(decoding: bytes, as: UTF8.self), relativeTo: base) else { continue }
      let again = try HttpUrl("\(url.scheme)://\(url.hostHeader)\(url.target)", relativeTo: base)
      #expect(again.target == url.target || url.target == base.target || url.target.hasPrefix("/b/c/d;p?"))
    }
  }
}
