import HttpWire
import TestSupport
import Testing

@Suite("Hosts outside ASCII")
struct IdnHostTests {
  @Test(
    "a host outside ASCII becomes its encoded form",
    arguments: [
      ("http://bücher.example/", "xn--bcher-kva.example"), ("http://BÜCHER.Example/", "xn--bcher-kva.example"),
      // Composed and decomposed are the same name.
      ("http://bu\u{308}cher.example/", "xn--bcher-kva.example"),
      // Non-transitional: what IDNA2003 made ss and nothing of stays itself.
      ("http://faß.de/", "xn--fa-hia.de"), ("http://βόλος.com/", "xn--nxasmm1c.com"),
      // The ideographic and the fullwidth full stop.
      ("http://例え。テスト/", "xn--r8jz45g.xn--zckzah"), ("http://ü．x/", "xn--tda.x"), ("http://ü｡x/", "xn--tda.x"),
      ("http://１２７.0.0.1/", "127.0.0.1"), ("http://𝕏.com/", "x.com"), ("http://bücher.example./", "xn--bcher-kva.example."),
      // The soft hyphen is left out.
      ("http://bü\u{AD}cher.example/", "xn--bcher-kva.example"), ("http://ü.xn--bcher-kva/", "xn--tda.xn--bcher-kva"),
      ("http://ü\u{200B}./", "xn--tda."), ("http://מבחן.example/", "xn--5dbmtg.example"),
    ])
  func encoded(text: String, host: String) throws {
    let url = try HttpUrl(text)
    #expect(url.host == host && url.hostHeader == host && !url.isIPv6)
    #expect(try HttpUrl("http://\(url.hostHeader)/").host == host)
  }

  @Test("the Host field carries the encoded form, with the port, and path and user information stay what they are")
  func hostHeader() throws {
    let url = try HttpUrl("http://jörg:p@bücher.example:8080/ü?ß")
    #expect(url.hostHeader == "xn--bcher-kva.example:8080" && url.port == 8_080)
    #expect(url.target == "/%C3%BC?%C3%9F" && url.userInfo == "jörg:p")
  }

  @Test(
    "what IDNA does not allow is refused in words that name the host",
    arguments: [
      ("☃.net", "disallowed"), ("i❤.ws", "disallowed"), ("-ü.de", "hyphen"), ("ab--ü.de", "hyphens"), ("\u{301}ü.de", "combining"),
      ("א1a.de", "bi-directional"), ("a..ü", "empty"), (".ü", "empty"), ("ü..", "empty"), ("\u{AD}.ü", "empty"),
      ("xn--.ü", "punycode"), ("xn--0000.ü", "punycode"), ("ü.xn--99999999", "overflow"),
      // Characters that the library would drop, or that would turn into delimiters.
      ("a_b.bücher", "may not stand"), ("a~b.bücher", "may not stand"), ("ａ／ｂ", "may not stand"), ("ü：80", "may not stand"),
      ("ü＠x", "may not stand"), ("ü℀x", "may not stand"), ("ü%41", "may not stand"), ("a≠ü", "may not stand"), ("ü\u{2048}x", "may not"),
    ])
  func refused(host: String, reason: String) throws {
    let error = #expect(throws: WireError.self) { try HttpUrl("http://\(host)/") }
    #expect(error?.kind == .invalid)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    // Compared by scalars: a combining character joins the quotation mark before it.
    let named = Array((error?.message ?? "").unicodeScalars).firstRange(of: Array(host.unicodeScalars)) != nil
    #expect(named || host.unicodeScalars.contains("\u{AD}"), "\(error?.message ?? "")")
  }

  @Test("controls, spaces and NUL beside a letter outside ASCII are refused")
  func controls() {
    for wrong in ["ü x", "ü\0x", "ü\u{7F}", "ü\r\nX", "ü\u{85}x", "ü\u{2028}x"] {
      #expect(throws: WireError.self) { try HttpUrl("http://\(wrong)/") }
    }
    let error = #expect(throws: WireError.self) { try HttpUrl("http://\u{202E}ü.example☃/") }
    #expect(error?.message.contains("\\u{202e}ü.example☃") == true, "\(error?.message ?? "")")
  }

  @Test("labels and hosts that are too long once encoded are refused in words")
  func length() {
    let label = #expect(throws: WireError.self) { try HttpUrl("http://\(String(repeating: "ü", count: 63)).example/") }
    #expect(label?.message.contains("longer than 63 bytes") == true, "\(label?.message ?? "")")
    let name = Array(repeating: "bücherbücherbücherbücher", count: 8).joined(separator: ".")
    let host = #expect(throws: WireError.self) { try HttpUrl("http://\(name)/") }
    #expect(host?.message.contains("longer than 253 bytes") == true, "\(host?.message ?? "")")
    #expect(throws: WireError.self) { try HttpUrl("http://\(String(repeating: "ü", count: 600))/") }
  }

  @Test(
    "a host that is encoded already passes if it is Punycode, whatever it stands for",
    arguments: [
      "xn--bcher-kva.example", "XN--BCHER-KVA.example", "xn--i-7iq.ws", "xn--zca.de", "a.xn--fa-hia", "xn-a.de", "a-xn--b.de", "ab--cd.de",
    ])
  func encodedAlready(host: String) throws {
    #expect(try HttpUrl("http://\(host)/").host == host.lowercased())
  }

  @Test(
    "a label that only looks encoded is refused",
    arguments: ["xn--", "xn--0000.de", "a.XN--99999999", "xn--a-.de", "xn--foo-.example", "xn--bcher-kvb9.example"])
  func notPunycode(host: String) {
    let error = #expect(throws: WireError.self) { try HttpUrl("http://\(host)/") }
    #expect(error?.message.contains(host) == true, "\(error?.message ?? "")")
  }

  @Test("50,000 random hosts outside ASCII do not trap, and what is accepted is letters, digits, hyphens and dots")
  func random() throws {
    var generator = SeededGenerator(seed: 11)
    let seeds: [[Unicode.Scalar]] = ["bücher.example", "例え。テスト", "xn--bcher-kva.ü", "א.b", "\u{200D}क्‍ष"].map { Array($0.unicodeScalars) }
    var accepted = 0
    for _ in 0..<50_000 {
      var scalars = seeds[Int.random(in: 0..<seeds.count, using: &generator)]
      for _ in 0..<Int.random(in: 0..<4, using: &generator) {
        let limit: UInt32 = Bool.random(using: &generator) ? 0x3100 : 0x11_0000
        guard let scalar = Unicode.Scalar(UInt32.random(in: 0x80..<limit, using: &generator)) else { continue }
        scalars.insert(scalar, at: Int.random(in: 0...scalars.count, using: &generator))
      }
      guard let url = try? HttpUrl("http://\(String(String.UnicodeScalarView(scalars)))/") else { continue }
      accepted += 1
      #expect(url.host.utf8.allSatisfy { $0 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2D || $0 == 0x2E }, "\(url.host)")
    }
    #expect(accepted > 5_000)
  }
}
