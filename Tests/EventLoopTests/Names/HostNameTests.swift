import Testing

@testable import EventLoop

@Suite struct HostNameTests {
  @Test(arguments: [
    ("", "empty"), (".", "empty"), ("a..b", "a label of it is empty"), (".a", "a label of it is empty"), ("a..", "a label of it is empty"),
    (String(repeating: "a", count: 64) + ".example", "longer than 63 bytes"),
    (Array(repeating: String(repeating: "a", count: 49), count: 6).joined(separator: "."), "longer than 253 bytes"), ("a b", "a character"),
    ("a\0b", "a character"), ("bücher.example", "a character"), ("a/b", "a character"), ("a\\b", "a character"),
    ("*.example", "a character"),
    ("127.1", "ends in a number"), ("2130706433", "ends in a number"), ("0x7f.0.0.1", "ends in a number"),
    ("1.2.3.0x4", "ends in a number"),
    ("127.0.0.1.", "ends in a number"), ("1.2.3.4.5", "ends in a number"), ("a.0X", "ends in a number"), ("fe80::1%lo", "a character"),
  ])
  func whatNoServerCanKnowIsRefusedInWords(host: String, words: String) {
    let error = #expect(throws: ResolveError.self) { try HostName(host) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    #expect(error?.isTemporary == false)
  }

  @Test(arguments: [
    ("Example.COM", "example.com"), ("_sip._tcp.example", "_sip._tcp.example"), ("a-.example", "a-.example"),
    ("1and1.example", "1and1.example"),
    ("a.", "a"), ("3com", "3com"), ("0xg", "0xg"), ("a.123b", "a.123b"),
  ])
  func whatServersMayKnowIsTaken(host: String, text: String) throws {
    #expect(try HostName(host).text == text)
  }

  @Test func longestNames() throws {
    let label = String(repeating: "a", count: 63)
    let longest = "\(label).\(label).\(label).\(String(repeating: "b", count: 61))"
    #expect(try HostName(longest).text.utf8.count == 253)
    #expect(try HostName(longest + ".").isAbsolute)
    #expect(throws: ResolveError.self) { try HostName(longest + "b") }
  }

  @Test func localhostIsThisMachineWhateverItsCaseAndWhateverIsBeforeIt() throws {
    for name in ["localhost", "LocalHost", "localhost.", "a.localhost", "a.b.LOCALHOST."] { #expect(try HostName(name).isLocalhost) }
    for name in ["localhost.example", "alocalhost", "localhos"] { #expect(try !HostName(name).isLocalhost) }
  }

  @Test func searchDomainsGoByTheDots() throws {
    let domains = ["corp.example", "Example."]
    #expect(try HostName("a").candidates(domains: domains, ndots: 1) == ["a.corp.example", "a.example", "a"])
    #expect(try HostName("a.b").candidates(domains: domains, ndots: 1) == ["a.b", "a.b.corp.example", "a.b.example"])
    #expect(try HostName("a.b").candidates(domains: domains, ndots: 2) == ["a.b.corp.example", "a.b.example", "a.b"])
    #expect(try HostName("a").candidates(domains: [], ndots: 1) == ["a"])
    #expect(try HostName("a").candidates(domains: domains, ndots: 0) == ["a", "a.corp.example", "a.example"])
  }

  @Test func aDotAtTheEndMeansNoSearchDomain() throws {
    #expect(try HostName("a.").candidates(domains: ["corp.example"], ndots: 1) == ["a"])
    #expect(try HostName("a.b.").candidates(domains: ["corp.example"], ndots: 5) == ["a.b"])
  }

  @Test func searchDomainsThatAreNoneOrTooLongOrTooManyAreLeftOut() throws {
    let long = Array(repeating: String(repeating: "a", count: 60), count: 4).joined(separator: ".")
    #expect(try HostName("abcdefghij").candidates(domains: [".", "", "a b", long, "x"], ndots: 1) == ["abcdefghij.x", "abcdefghij"])
    #expect(try HostName("a").candidates(domains: (0..<50).map { "d\($0)" }, ndots: 1).count == HostName.maximumCandidates)
  }
}
