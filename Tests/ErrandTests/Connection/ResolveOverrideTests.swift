import EventLoop
import Testing

@testable import Errand

@Suite struct ResolveOverrideTests {
  @Test(arguments: [
    ("example.com:443:127.0.0.1", "example.com:443:127.0.0.1"), ("EXAMPLE.com.:80:::1", "example.com:80:::1"),
    ("example.com:443:[::1],127.0.0.1", "example.com:443:::1,127.0.0.1"), ("*:80:127.0.0.1", "*:80:127.0.0.1"),
    ("example.com:*:127.0.0.1", "example.com:*:127.0.0.1"), ("+a:1:127.0.0.1", "a:1:127.0.0.1"),
    ("[2001:DB8::1]:80:127.0.0.1", "[2001:db8::1]:80:127.0.0.1"), ("bücher.example:80:127.0.0.1", "xn--bcher-kva.example:80:127.0.0.1"),
    ("192.0.2.7:80:127.0.0.1", "192.0.2.7:80:127.0.0.1"),
  ])
  func anOverrideIsReadAsCurlReadsIt(text: String, description: String) throws {
    let read = try ResolveOverride(parsing: text)
    #expect(read.description == description)
    #expect(try ResolveOverride(parsing: description) == read)
  }

  @Test(arguments: [
    ("", "host is not followed by a port"), ("example.com", "host is not followed by a port"), ("example.com:80", "port is not followed"),
    ("example.com:80:", "an address for example.com is empty"), ("example.com:80:127.0.0.1,", "an address for example.com is empty"),
    ("example.com:80:localhost", "\"localhost\" is neither"), ("example.com:80:127.0.0.1 ", "\"127.0.0.1 \" is neither"),
    ("example.com:80:[127.0.0.1", "is neither"), ("example.com:0:127.0.0.1", "the port \"0\""),
    ("example.com:65536:127.0.0.1", "\"65536\""),
    ("example.com:http:127.0.0.1", "the port \"http\""), ("example.com:+1:127.0.0.1", "the port \"+1\""),
    (":80:127.0.0.1", "the host is empty"),
    ("[::1:80:127.0.0.1", "closing bracket"), ("[::1]80:1:127.0.0.1", "not followed by a port"), ("a/b:80:127.0.0.1", "\"a/b\" is no host"),
    ("u@a:80:127.0.0.1", "is no host"), ("a b:80:127.0.0.1", "a character"), ("☃.net:80:127.0.0.1", "disallowed"),
    ("-example.com:80", "taken back"), ("a\n:80:127.0.0.1", "\\n"), ("[127.0.0.1]:80:127.0.0.1", "is no host"),
  ])
  func whatIsWrongIsNamed(text: String, words: String) {
    let error = #expect(throws: ResolveOverride.ParseError.self) { try ResolveOverride(parsing: text) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test func addressesHaveALimit() throws {
    let many = (1...33).map { "127.0.0.\($0)" }
    #expect(throws: ResolveOverride.ParseError.self) { try ResolveOverride(host: "a", port: 1, addresses: many) }
    #expect(throws: ResolveOverride.ParseError.self) { try ResolveOverride(host: "a", port: 0, addresses: ["::1"]) }
    #expect(throws: ResolveOverride.ParseError.self) { try ResolveOverride(host: "a", port: nil, addresses: []) }
    #expect(try ResolveOverride(host: "a", port: nil, addresses: Array(many.dropLast())).addresses.count == 32)
  }

  @Test func theClosestOverrideIsTakenAndOfEqualOnesTheLast() throws {
    let all = try ["*:80:127.0.0.1", "a.test:*:127.0.0.2", "a.test:80:127.0.0.3", "a.test:80:127.0.0.4", "*:*:127.0.0.5", "b.test:81:::1"]
      .map {
        (text) throws in try ResolveOverride(parsing: text)
      }
    func found(_ host: String, _ port: UInt16) -> String? {
      all.addresses(host: host, port: port)?.map(\.description).joined(separator: " ")
    }
    #expect(found("a.test", 80) == "127.0.0.4:80")
    #expect(found("a.test.", 80) == "127.0.0.4:80")
    #expect(found("a.test", 81) == "127.0.0.2:81")
    #expect(found("c.test", 80) == "127.0.0.1:80")
    #expect(found("c.test", 443) == "127.0.0.5:443")
    #expect(found("b.test", 81) == "[::1]:81")
    #expect([ResolveOverride]().addresses(host: "a.test", port: 80) == nil)
    #expect(Array(all.dropLast(2)).addresses(host: "c.test", port: 443) == nil)
  }
}
