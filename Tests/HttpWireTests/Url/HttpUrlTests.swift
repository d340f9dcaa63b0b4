import HttpWire
import TestSupport
import Testing

@Suite("HttpUrl")
struct HttpUrlTests {
  struct Parts: Sendable, CustomTestStringConvertible {
    var text: String
    var host: String
    var port: UInt16
    var target: String
    var hostHeader: String
    var testDescription: String { text }
  }

  static let good: [Parts] = [
    Parts(text: "http://example.org", host: "example.org", port: 80, target: "/", hostHeader: "example.org"),
    Parts(text: "HTTPS://EXAMPLE.org/", host: "example.org", port: 443, target: "/", hostHeader: "example.org"),
    Parts(text: "http://a:8080/b", host: "a", port: 8080, target: "/b", hostHeader: "a:8080"),
    Parts(text: "http://a:80/b", host: "a", port: 80, target: "/b", hostHeader: "a"),
    Parts(text: "https://a:80/b", host: "a", port: 80, target: "/b", hostHeader: "a:80"),
    Parts(text: "http://a:/b", host: "a", port: 80, target: "/b", hostHeader: "a"),
    Parts(text: "http://a:0081", host: "a", port: 81, target: "/", hostHeader: "a:81"),
    Parts(text: "http://a?x=1", host: "a", port: 80, target: "/?x=1", hostHeader: "a"),
    Parts(text: "http://a#f", host: "a", port: 80, target: "/", hostHeader: "a"),
    Parts(text: "http://a/b?c?d#e?f", host: "a", port: 80, target: "/b?c?d", hostHeader: "a"),
    Parts(text: "http://a/%7e%2F/../{x}|\"?%zz", host: "a", port: 80, target: "/%7e%2F/../{x}|\"?%zz", hostHeader: "a"),
    Parts(text: "http://a/ü?ß", host: "a", port: 80, target: "/%C3%BC?%C3%9F", hostHeader: "a"),
    Parts(text: "http://[::1]:8080/", host: "::1", port: 8080, target: "/", hostHeader: "[::1]:8080"),
    Parts(text: "http://[2001:DB8::192.0.2.1]", host: "2001:db8::192.0.2.1", port: 80, target: "/", hostHeader: "[2001:db8::192.0.2.1]"),
    Parts(text: "http://user:pa@ss@a_b.c-d~e/", host: "a_b.c-d~e", port: 80, target: "/", hostHeader: "a_b.c-d~e"),
    Parts(text: "http://127.0.0.1:65535/", host: "127.0.0.1", port: 65535, target: "/", hostHeader: "127.0.0.1:65535"),
    Parts(text: "http://a//b@c:d/", host: "a", port: 80, target: "//b@c:d/", hostHeader: "a"),
  ]

  @Test("a URL is taken apart", arguments: good)
  func parts(expected: Parts) throws {
    let url = try HttpUrl(expected.text)
    #expect(url.host == expected.host && url.port == expected.port)
    #expect(url.target == expected.target && url.hostHeader == expected.hostHeader)
    #expect(url.isIPv6 == expected.host.contains(":") && url.hasDefaultPort == !url.hostHeader.hasSuffix(":\(url.port)"))
  }

  @Test(
    "what cannot be asked for is refused",
    arguments: [
      "", "a", "//a/", "/a", "ftp://a/", "http:a", "http:/a", "http://", "http:///a", "http://:80/", "http://@/", "http://a b/",
      "http://a/b c",
      "http://a/\r\nX: y", "http://a/\n", "http://a/\0", "http://a\0b/", "http://a/#\n", "http://a/\u{7F}", " http://a/", "http://a/ ",
      "http://a%41/", "http://a\\b/", "http://a:b/", "http://a:65536/", "http://a:0/", "http://a:-1/",
      "http://a:99999999999999/",
      "http://a:80:80/", "http://[::1", "http://[::1]a/", "http://[]/", "http://[:]/", "http://[:::]/", "http://[1::2::3]/",
      "http://[1:2]/",
      "http://[12345::]/", "http://[1:2:3:4:5:6:7:8:9]/", "http://[1:2:3:4:5:6:7:8::]/", "http://[::1.2.3]/", "http://[::1.2.3.256]/",
      "http://[::01.2.3.4]/", "http://[fe80::1%25eth0]/", "http://[g::]/", "http://[1:2:3:4:5:6:7:]/", "http://::1/", "javascript:x",
      "http://u\nser@a/", "http://a,b/", "http://a;b/",
    ])
  func refused(text: String) {
    #expect(throws: WireError.self) { try HttpUrl(text) }
  }

  @Test("texts over 64 KiB and hosts over 255 bytes are refused")
  func length() {
    #expect(throws: WireError.self) { try HttpUrl("http://a/" + String(repeating: "b", count: 65_536)) }
    #expect(throws: WireError.self) { try HttpUrl("http://" + String(repeating: "b", count: 256)) }
  }

  @Test("parameters go to the end of the query, percent-encoded")
  func addingQuery() throws {
    let params = [("a b", "ä&="), ("", "")]
    #expect(try HttpUrl("http://h/p").addingQuery(params).target == "/p?a%20b=%C3%A4%26%3D&=")
    #expect(try HttpUrl("http://h/p?x").addingQuery([("a", "1")]).target == "/p?x&a=1")
    #expect(try HttpUrl("http://h/p?").addingQuery([("a", "1")]).target == "/p?a=1")
    #expect(try HttpUrl("http://h/p?x&").addingQuery([("a", "1")]).target == "/p?x&a=1")
    #expect(try HttpUrl("http://h/p").addingQuery([]).target == "/p")
  }

  @Test("the description hides a password")
  func description() throws {
    #expect(try HttpUrl("http://me:secret@h:81/p#f").description == "http://me:***@h:81/p")
    #expect(try HttpUrl("http://me@h/p").description == "http://me@h/p")
    #expect(try HttpUrl("http://me:secret@h/").userInfo == "me:secret")
  }

  @Test("100,000 random and 100,000 damaged texts do not trap, and what is accepted reads the same again")
  func random() throws {
    var generator = SeededGenerator(seed: 3)
    let valid = Self.good.map { Array($0.text.utf8) }
    for round in 0..<200_000 {
      let bytes = round.isMultiple(of: 2) ? generator.bytes(upTo: 24) : generator.mutation(of: valid[round / 2 % valid.count])
      guard let url = try? HttpUrl(String(decoding: bytes, as: UTF8.self)) else { continue }
      if round % 9 == 0 { #expect(try HttpUrl("\(url.scheme)://\(url.hostHeader)\(url.target)").target == url.target) }
    }
  }
}
