import HttpWire
import Testing

@Suite("RequestWriter")
struct RequestWriterTests {
  private func write(
    _ method: HttpMethod = .get, _ target: String = "/", host: String = "h", _ headers: HttpHeaders = [:], _ body: BodyFraming = .none
  ) throws(WireError) -> String {
    var bytes: [UInt8] = []
    try RequestWriter.append(method: method, target: target, host: host, headers: headers, body: body, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("Host comes first, then the fields in their order and case, then the framing")
  func order() throws {
    #expect(try write(.get, "/a?b", ["Accept": "*/*", "x-y": "1"]) == "GET /a?b HTTP/1.1\r\nHost: h\r\nAccept: */*\r\nx-y: 1\r\n\r\n")
    #expect(try write(.get, "/", ["A": "1", "host": "mine"]) == "GET / HTTP/1.1\r\nHost: mine\r\nA: 1\r\n\r\n")
  }

  @Test("exactly one of Content-Length and Transfer-Encoding is written, and Content-Length: 0 for POST, PUT and PATCH without a body")
  func framing() throws {
    #expect(try write(.post, "/", [:], .length(5)) == "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n")
    #expect(try write(.post, "/", [:], .chunked) == "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
    for method in [HttpMethod.post, .put, .patch] {
      #expect(try write(method) == "\(method) / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
    }
    for method in [HttpMethod.get, .head, .delete, .options] { #expect(try write(method) == "\(method) / HTTP/1.1\r\nHost: h\r\n\r\n") }
  }

  @Test("framing fields of the caller that agree are not repeated, others are refused")
  func callerFraming() throws {
    #expect(try write(.post, "/", ["content-length": "5"], .length(5)) == "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n")
    #expect(
      try write(.post, "/", ["Transfer-Encoding": "Chunked"], .chunked)
        == "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
    let bad: [(HttpHeaders, BodyFraming)] = [
      (["Content-Length": "6"], .length(5)), (["Content-Length": "5"], .chunked), (["Content-Length": "5"], .none),
      (["Transfer-Encoding": "chunked"], .length(5)), (["Transfer-Encoding": "gzip, chunked"], .chunked), ([:], .length(-1)),
    ]
    for (headers, body) in bad { #expect(throws: WireError.self) { try write(.post, "/", headers, body) } }
  }

  @Test(
    "CR, LF, NUL and spaces in target or host are refused before anything is written",
    arguments: ["/a\r\nX: y", "/a\nb", "/a\0", "/a b", "", "/ä", "/\u{7F}"])
  func badTarget(target: String) {
    var bytes: [UInt8] = [1]
    #expect(throws: WireError.self) {
      try RequestWriter.append(method: .get, target: target, host: "h", headers: [:], body: .none, to: &bytes)
    }
    #expect(throws: WireError.self) {
      try RequestWriter.append(method: .get, target: "/", host: "h\(target)", headers: ["Host": "a\r\nb"], body: .none, to: &bytes)
    }
    #expect(bytes == [1])
  }

  @Test("CR, LF and NUL in names and values of fields and in the host are refused", arguments: ["a\rb", "a\nb", "a\r\nb", "a\0b"])
  func badFields(text: String) {
    #expect(throws: WireError.self) { try write(.get, "/", HttpHeaders(dictionaryLiteral: (text, "v"))) }
    #expect(throws: WireError.self) { try write(.get, "/", HttpHeaders(dictionaryLiteral: ("n", text))) }
    #expect(throws: WireError.self) { try write(.get, "/", host: text) }
    #expect(throws: WireError.self) { try write(.get, "/", ["Host": "a", "host": "b"]) }
  }

  @Test("percent-encoding in the caller's URL goes out byte for byte")
  func percent() throws {
    var bytes: [UInt8] = []
    let url = try HttpUrl("http://[::1]:8080/a%2fb/%7Ex/../c?q=%20+%e4&&=%zz#f")
    try RequestWriter.append(method: .get, url: url, headers: [:], body: .none, to: &bytes)
    let expected = "GET /a%2fb/%7Ex/../c?q=%20+%e4&&=%zz HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
  }

  @Test("chunks and trailers are written so that the reader reads them")
  func chunks() throws {
    var bytes = Array(try write(.post, "/", [:], .chunked).utf8)
    for size in [1, 0, 15, 16, 17, 300, 4_096] { RequestWriter.chunk([UInt8](repeating: 0x61, count: size), to: &bytes) }
    try RequestWriter.lastChunk(trailers: ["Digest": "x"], to: &bytes)
    let trace = readRequest([bytes])
    #expect(trace.body?.utf8.count == 4_445)
    #expect(trace.contains(.trailers(["Digest": "x"])) && trace.end?.surplus == 0)
    for bad: HttpHeaders in [["a\r\n": "b"], ["A": "\n"], ["Content-Length": "1"], ["transfer-encoding": "chunked"]] {
      #expect(throws: WireError.self) { try RequestWriter.lastChunk(trailers: bad, to: &bytes) }
    }
  }

  @Test("fields that were read are written again as name, colon, space, value")
  func passedOn() throws {
    guard case .head(let head) = readResponse("HTTP/1.1 200 OK\nA:1\nB: \t2 \r\nC: 3\r\nContent-Length: 0\r\n\r\n").first else {
      Issue.record("no head")
      return
    }
    #expect(try write(.get, "/", head.headers) == "GET / HTTP/1.1\r\nHost: h\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n")
  }
}
