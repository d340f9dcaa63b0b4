import TestSupport
import Testing

@testable import Errand

@Suite("NoProxyList")
struct NoProxyListTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var list: String
    var host: String
    var isDirect: Bool
    /// curl 7.88 sees it otherwise: a fault that later versions mended, or an extension of ours.
    var differsFromCurl = false
    var testDescription: String { "\(host) in \(list)" }

    init(_ list: String, _ host: String, _ isDirect: Bool, differsFromCurl: Bool = false) {
      (self.list, self.host, self.isDirect, self.differsFromCurl) = (list, host, isDirect, differsFromCurl)
    }
  }

  static let cases: [Case] = [
    Case("", "example.com", false),
    Case(" ", "example.com", false),
    Case(",, ,", "example.com", false),
    Case("*", "example.com", true),
    Case("*", "10.1.2.3", true),
    Case("*", "::1", true),
    Case("a,*", "example.com", false),
    Case(" *", "example.com", false),
    Case("*.example.com", "www.example.com", false),
    Case("example.com", "example.com", true),
    Case("example.com", "www.example.com", true),
    Case("example.com", "a.b.example.com", true),
    Case("example.com", "nonexample.com", false),
    Case("example.com", "example.com.org", false),
    Case("example.com", "com", false),
    Case("com", "example.com", true),
    Case(".example.com", "example.com", true),
    Case(".example.com", "www.example.com", true),
    Case("..example.com", "example.com", false),
    Case(".", "example.com", false),
    Case("www.example.com", "example.com", false),
    Case("EXAMPLE.com", "example.com", true),
    Case("example.com.", "example.com", true),
    Case("example.com", "example.com.", true),
    Case(".example.com.", "www.example.com.", true),
    Case("example.com..", "example.com", false),
    Case("example.com:80", "example.com", false),
    Case("a.test,b.test", "b.test", true),
    Case("a.test, b.test", "b.test", true),
    Case("a.test b.test", "b.test", true),
    Case("a.test\tb.test", "b.test", true),
    Case(" a.test  ,,  b.test ", "b.test", true),
    Case("a.test b.test", "c.test", false),
    Case("localhost", "localhost", true),
    Case("example.com", "localhost", false),
    Case("127.0.0.1", "localhost", false),
    Case("localhost", "127.0.0.1", false),
    Case("10.1.2.3", "10.1.2.3", true),
    Case("10.1.2.3", "10.1.2.4", false),
    Case("2.3", "10.1.2.3", false),
    Case(".1.2.3", "10.1.2.3", false),
    Case("10.1.2.3", "x.10.1.2.3", false, differsFromCurl: true),
    Case("10.0.0.0/8", "10.1.2.3", true),
    Case("10.0.0.0/8", "11.1.2.3", false),
    Case("10.255.0.0/8", "10.1.2.3", true),
    Case("192.168.4.0/22", "192.168.7.255", true),
    Case("192.168.4.0/22", "192.168.8.0", false),
    Case("10.1.2.3/32", "10.1.2.3", true),
    Case("10.1.2.2/31", "10.1.2.3", true),
    Case("10.1.2.3/33", "10.1.2.3", false),
    Case("10.0.0.0/-1", "10.0.0.0", false),
    Case("10.0.0.0/99999999999999999999", "10.0.0.0", false),
    Case("10.0.0.0/8/8", "10.1.2.3", false, differsFromCurl: true),
    Case("10.0.0.0/8x", "10.1.2.3", false, differsFromCurl: true),
    Case("0.0.0.0/0", "10.1.2.3", true, differsFromCurl: true),
    Case("10.1.2.3/", "10.1.2.3", false, differsFromCurl: true),
    Case("10.0.0.0/8", "ten.test", false),
    Case("example.com/8", "example.com", false),
    Case("::1", "::1", true),
    Case("[::1]", "::1", true, differsFromCurl: true),
    Case("0:0:0:0:0:0:0:1", "::1", true, differsFromCurl: true),
    Case("FD00::1", "fd00::1", true),
    Case("fd00::/8", "fd00::1", true, differsFromCurl: true),
    Case("[fd00::]/8", "fd00::1", true, differsFromCurl: true),
    Case("fd00::/8", "fe00::1", false),
    Case("2001:db8:8000::/33", "2001:db8:8000::1", true, differsFromCurl: true),
    Case("2001:db8:8000::/33", "2001:db8:7fff::1", false),
    Case("::1/128", "::1", true, differsFromCurl: true),
    Case("::1/129", "::1", false),
    Case("::/0", "::1", true, differsFromCurl: true),
    Case("::/0", "10.1.2.3", false),
    Case("0.0.0.0/0", "::1", false),
  ]

  @Test("hosts are spoken to directly as the list says", arguments: cases)
  func table(expected: Case) {
    #expect(NoProxyList(expected.list).contains(expected.host) == expected.isDirect)
  }

  /// `--connect-to` leads what is direct to a port of loopback where nobody listens, and the proxy is another one: which of them it tries
  /// says what it made of the list.
  @Test("curl says the same, where it is not known to differ", arguments: cases.filter { !$0.differsFromCurl })
  func agreesWithCurl(expected: Case) async throws {
    let host = expected.host.contains(":") ? "[\(expected.host)]" : expected.host
    let shown = try await Command.run(
      "curl", "-sv", "--max-time", "20", "--proxy", "http://127.0.0.1:1", "--connect-to", "::127.0.0.1:2", "--noproxy", expected.list,
      "http://\(host)/"
    ).text
    #expect(shown.contains("Trying 127.0.0.1:\(expected.isDirect ? 2 : 1)..."), "\(shown)")
  }

  @Test("a long list is looked up, not searched")
  func long() {
    let list = NoProxyList((0..<50_000).map { "host\($0).test" }.joined(separator: ","))
    #expect(list.contains("a.host49999.test") && !list.contains("host50000.test"))
  }

  @Test("garbage in the list or the host never traps")
  func garbage() {
    var random = SeededGenerator(seed: 7)
    let alphabet = Array("a1.:/[]*, \t\0-é".unicodeScalars)
    func text() -> String {
      var text = ""
      for _ in 0..<Int.random(in: 0...24, using: &random) { text.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "a") }
      return text
    }
    for _ in 0..<5_000 { _ = NoProxyList(text()).contains(text()) }
  }
}
