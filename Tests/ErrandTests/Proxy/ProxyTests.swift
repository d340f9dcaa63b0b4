import Testing

@testable import Errand

@Suite("Proxy")
struct ProxyTests {
  struct Parts: Sendable, CustomTestStringConvertible {
    var text: String
    var kind: Proxy.Kind
    var host: String
    var port: UInt16
    var user: String?
    var password: String?
    var testDescription: String { text }

    init(_ text: String, _ kind: Proxy.Kind, _ host: String, _ port: UInt16, user: String? = nil, password: String? = nil) {
      (self.text, self.kind, self.host, self.port, self.user, self.password) = (text, kind, host, port, user, password)
    }
  }

  static let good: [Parts] = [
    Parts("http://proxy.test:3128", .http, "proxy.test", 3128),
    Parts("proxy.test:3128", .http, "proxy.test", 3128),
    Parts("proxy.test", .http, "proxy.test", 1080),
    Parts("HTTP://Proxy.TEST/", .http, "proxy.test", 1080),
    Parts("http://proxy.test:80", .http, "proxy.test", 80),
    Parts("http://proxy.test:443", .http, "proxy.test", 443),
    Parts("https://proxy.test", .https, "proxy.test", 443),
    Parts("https://proxy.test:80", .https, "proxy.test", 80),
    Parts("https://proxy.test:8443/", .https, "proxy.test", 8443),
    Parts("socks5://127.0.0.1", .socks5, "127.0.0.1", 1080),
    Parts("socks5h://127.0.0.1:9050", .socks5h, "127.0.0.1", 9050),
    Parts("SOCKS5H://[::1]:9050", .socks5h, "::1", 9050),
    Parts("[::1]", .http, "::1", 1080),
    Parts("http://user:secret@proxy.test:1", .http, "proxy.test", 1, user: "user", password: "secret"),
    Parts("user:secret@proxy.test:1", .http, "proxy.test", 1, user: "user", password: "secret"),
    Parts("http://user@proxy.test:1", .http, "proxy.test", 1, user: "user", password: ""),
    Parts("http://:secret@proxy.test:1", .http, "proxy.test", 1, user: "", password: "secret"),
    Parts("http://u:a:b@proxy.test:1", .http, "proxy.test", 1, user: "u", password: "a:b"),
    Parts("http://u:a@b@proxy.test:1", .http, "proxy.test", 1, user: "u", password: "a@b"),
    Parts("http://u%40x:%3a%2F%25@proxy.test:1", .http, "proxy.test", 1, user: "u@x", password: ":/%"),
    Parts("socks5://u%3Av:p@proxy.test:1", .socks5, "proxy.test", 1, user: "u:v", password: "p"),
    Parts("http://u:50%off%2@proxy.test:1", .http, "proxy.test", 1, user: "u", password: "50%off%2"),
    Parts("http://u:%+1%-1@proxy.test:1", .http, "proxy.test", 1, user: "u", password: "%+1%-1"),
  ]

  @Test("a proxy is read as curl reads it", arguments: good)
  func read(expected: Parts) throws {
    let proxy = try Proxy(expected.text)
    #expect(proxy.kind == expected.kind && proxy.host == expected.host && proxy.port == expected.port)
    #expect(proxy.credentials.map { String(decoding: $0.user, as: UTF8.self) } == expected.user)
    #expect(proxy.credentials.map { String(decoding: $0.password, as: UTF8.self) } == expected.password)
  }

  @Test("bytes of credentials that are no UTF-8 stay as they are")
  func rawBytes() throws {
    #expect(try Proxy("http://u:%E9%FF@h:1").credentials?.password == [0xE9, 0xFF])
  }

  @Test(
    "what is no proxy is refused in words",
    arguments: [
      ("", "no host"), ("http://", "no host"), ("http://:1", "no host"), ("ftp://h:1", "scheme is none of"),
      ("h2://h", "scheme is none of"),
      ("://h", "scheme is none of"), ("socks4://h:1", "SOCKS 4"), ("SOCKS4A://h:1", "SOCKS 4"), ("socks://h:1", "SOCKS 4"),
      ("http://h:0", "port"), ("http://h:65536", "port"), ("http://h:x", "port"), ("http://[::1", "bracket"), ("http://[::g]", "IPv6"),
      ("http://h:1/proxy.pac", "path"), ("http://h:1/?a", "path"), ("http://h:1?", "path"), ("http://h:1/#a", "path"),
      ("http://a b:1", "host"),
      ("http://h\r\nX: y:1", "host"), ("http://u%3Av:p@h:1", "colon"), ("http://u%0D%0Ax:p@h:1", "control"),
      ("http://u:p%00@h:1", "control"),
      ("http://u:p q@h:1", "space"), ("socks5://:p@h:1", "empty"), ("socks5h://u:\(String(repeating: "p", count: 256))@h:1", "255"),
      ("socks5://\(String(repeating: "u", count: 256)):p@h:1", "255"), ("http://u:p://q@h:1", "port"),
    ])
  func refused(text: String, word: String) {
    #expect {
      _ = try Proxy(text)
    } throws: { error in
      (error as? ProxyError)?.message.contains(word) == true
    }
  }

  @Test(
    "no error, description, dump or choice shows a secret",
    arguments: [
      "http://hush:hush@proxy.test:1", "hush:hush@proxy.test:1", "http://hush:hush@proxy.test:x", "http://hush:hush@",
      "socks4://hush:hush@h",
      "ftp://hush:hush@h", "http://hush:hu/sh@h", "http://hush%3A:hush@h", "http://hush:hush%00@h", "http://hush:hush@h/path",
      "hush:hush@[::1",
      "socks5://hush:hush@h", "http://hush:hush@a b", "http://hush:hush@x@h", "hush://hush:hush@h", "hush://hush@h",
    ])
  func secrets(text: String) {
    var shown = "\(ProxyChoice.url(text)) \(String(reflecting: ProxyChoice.url(text)))"
    dump(ProxyChoice.url(text), to: &shown)
    do throws(ProxyError) {
      let proxy = try Proxy(text)
      shown += "\(proxy) \(String(reflecting: proxy))"
      dump(proxy, to: &shown)
      if let credentials = proxy.credentials { shown += "\(credentials) \(String(reflecting: credentials))" }
    } catch {
      shown += "\(error) \(error.message)"
    }
    #expect(!shown.replacing("hush://", with: "").contains("hu"), "\(shown)")
  }

  @Test("a description is a URL without credentials")
  func description() throws {
    #expect(try Proxy("https://u:p@Proxy.test").description == "https://proxy.test:443")
    #expect(try Proxy("socks5h://[::1]").description == "socks5h://[::1]:1080")
    #expect(ProxyChoice.url("socks5h://u:p@h:1").description == "socks5h://***@h:1")
    #expect(ProxyChoice.url("u:p@h:1").description == "***@h:1" && ProxyChoice.url("h:1").description == "h:1")
    #expect(ProxyChoice.none.description == "none" && ProxyChoice.environment.description == "environment")
  }

  @Test("Basic is base64 of user, colon and password")
  func basic() throws {
    #expect(try Proxy("http://Aladdin:open%20sesame@h").credentials?.basic == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
  }
}
