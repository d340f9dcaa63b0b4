import HttpWire
import Testing

@Suite("HttpHeaders")
struct HttpHeadersTests {
  @Test("names are found in any case, order and case stay")
  func lookup() {
    var headers: HttpHeaders = ["Content-Type": "text/plain", "Set-Cookie": "a=1"]
    headers.append("set-cookie", "b=2")
    #expect(headers["CONTENT-TYPE"] == "text/plain" && headers["Absent"] == nil && headers["Content-Typ"] == nil)
    #expect(headers["SET-cookie"] == "a=1" && headers.values("Set-Cookie") == ["a=1", "b=2"])
    #expect(headers.map(\.name) == ["Content-Type", "Set-Cookie", "set-cookie"] && headers.count == 3)
    #expect(headers.contains("set-Cookie") && !headers.contains("cookie") && HttpHeaders().isEmpty)
  }

  @Test("set replaces all fields of a name, remove drops them")
  func changing() {
    var headers: HttpHeaders = ["A": "1", "B": "2", "a": "3"]
    headers.set("A", "4")
    #expect(headers.map { "\($0.name)=\($0.value)" } == ["B=2", "A=4"])
    headers.remove("b")
    headers.remove("absent")
    #expect(headers.map(\.name) == ["A"])
  }

  @Test("a token is found in a comma list over all fields of the name")
  func tokens() {
    let headers: HttpHeaders = ["Connection": "keep-alive , TE", "X": "close", "connection": ",Upgrade,"]
    for token in ["keep-alive", "te", "UPGRADE"] { #expect(headers.hasToken(token, in: "Connection")) }
    for token in ["close", "keep", "alive", "keep-alive , TE"] { #expect(!headers.hasToken(token, in: "Connection")) }
  }

  @Test("headers are equal if names in any case, values and order are")
  func equality() {
    #expect(HttpHeaders(dictionaryLiteral: ("A", "1"), ("B", "2")) == ["a": "1", "b": "2"])
    #expect(HttpHeaders(dictionaryLiteral: ("A", "1"), ("B", "2")) != ["B": "2", "A": "1"])
    #expect(HttpHeaders(dictionaryLiteral: ("A", "x")) != ["A": "X"])
    guard case .head(let head) = readResponse("HTTP/1.1 200 OK\r\nA:1\r\nB: \t2 \r\n\r\n", method: .head).first else {
      Issue.record("no head")
      return
    }
    #expect(head.headers == ["a": "1", "b": "2"])
  }

  @Test("validation refuses names that are no tokens", arguments: ["", "a b", "a:", "a\r\nb", "ä", "a\0", "(a)"])
  func badNames(name: String) {
    #expect(throws: WireError.self) { try HttpHeaders(dictionaryLiteral: (name, "v")).validate() }
  }

  @Test(
    "validation refuses CR, LF and NUL in values and names the field only", arguments: ["a\rb", "a\nb", "a\0", "0123456789\r\nX: y", "\n"])
  func badValues(value: String) {
    do throws(WireError) {
      try HttpHeaders(dictionaryLiteral: ("Token", value)).validate()
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .invalid && error.message.contains("Token") && !error.message.contains("a"[...] + value))
    }
  }

  @Test("validation accepts tabs, quotes and bytes above ASCII", arguments: ["", "a\tb", "\"q\"", "schöne Grüße", "0123456789abcdef"])
  func goodValues(value: String) throws {
    try HttpHeaders(dictionaryLiteral: ("X-Y_z!", value)).validate()
  }

  @Test("the description shows no values")
  func description() {
    #expect(HttpHeaders(dictionaryLiteral: ("Authorization", "secret")).description == "[Authorization]")
  }
}
