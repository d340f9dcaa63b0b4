import HttpWire
import Testing

@Suite("ResponseReader")
struct ResponseReaderTests {
  @Test("a response whole in one input is a head, a body that lies in the input, and an end")
  func wholeResponse() throws {
    var reader = ResponseReader(requestMethod: .get)
    #expect(!reader.hasStarted)
    let input = Array("HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 5\r\n\r\nhellosurplus".utf8)
    var offset = 0
    guard case .head(let head) = try reader.next(input.span.bytes, at: &offset) else {
      Issue.record("no head")
      return
    }
    #expect(head.version == .http11 && head.status == 200 && head.reason == "OK")
    #expect(head.headers["server"] == "x" && head.headers.count == 2)
    #expect(reader.contentLength == 5 && !reader.lengthUnknown && reader.hasStarted)
    guard case .body(let range) = try reader.next(input.span.bytes, at: &offset) else {
      Issue.record("no body")
      return
    }
    #expect(String(decoding: input[range], as: UTF8.self) == "hello")
    #expect(!reader.keepAlive)
    guard case .end = try reader.next(input.span.bytes, at: &offset) else {
      Issue.record("no end")
      return
    }
    #expect(offset == input.count - 7 && reader.keepAlive)
    #expect(try reader.next(input.span.bytes, at: &offset) == nil && offset == input.count - 7)
  }

  @Test("a reader that was reset reads the next response on the same connection")
  func reset() throws {
    var reader = ResponseReader(requestMethod: .head)
    for text in ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 404 N\r\nContent-Length: 0\r\n\r\n"] {
      for byte in text.utf8 {
        var offset = 0
        while try reader.next([byte].span.bytes, at: &offset) != nil {}
      }
      #expect(reader.keepAlive)
      reader.reset(requestMethod: .get)
      #expect(!reader.keepAlive && !reader.hasStarted && reader.contentLength == nil)
    }
  }

  @Test("interim responses come as events of their own before the final response, their headers apart")
  func interim() {
    let trace = readResponse("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    #expect(trace.first == .informational(ResponseHead(status: 103, reason: "Early Hints", headers: ["Link": "</a>"])))
    #expect(trace.status == 200 && trace.body == "ok" && trace.end?.keepAlive == true)
    for case .head(let head) in trace { #expect(!head.headers.contains("Link")) }
  }

  @Test(
    "without Content-Length and chunked the body is all until close, whatever Connection says",
    arguments: ["", "Connection: keep-alive\r\n"])
  func untilClose(connection: String) throws {
    let text = "HTTP/1.1 200 OK\r\n\(connection)\r\nall of this"
    let trace = readResponse(text)
    #expect(trace.body == "all of this" && trace.end?.keepAlive == false)
    var reader = ResponseReader(requestMethod: .get)
    var offset = 0
    _ = try reader.next(Array(text.utf8).span.bytes, at: &offset)
    #expect(reader.lengthUnknown && reader.contentLength == nil)
  }

  @Test("trailers of a chunked body come apart from the headers")
  func trailers() {
    let trace = readResponse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\nDigest: abc\r\n\r\n")
    #expect(trace.body == "hello")
    #expect(trace.contains(.trailers(["digest": "abc"])))
    for case .head(let head) in trace { #expect(!head.headers.contains("Digest")) }
  }

  @Test(
    "a chunk size that is not plain hexadecimal of at most 16 digits is malformed",
    arguments: [
      "0x5", "+5", "-0", "-5", " 5", "5 ", "00000000000000005", "FFFFFFFFFFFFFFFF", "8000000000000000", "g", "", ";x", "5\u{b}", "5\0",
      "5;a\u{1}", "5\rx",
    ])
  func chunkSizes(size: String) {
    let trace = readResponse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nhello\r\n0\r\n\r\n")
    #expect(trace.error?.kind == .malformed)
  }

  @Test(
    "chunk sizes in any case, with leading zeros and extensions, are read",
    arguments: ["a", "A", "000000000000000A", "a;x=y", "a ; x=\"q r\""])
  func goodChunkSizes(size: String) {
    let trace = readResponse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n0123456789\r\n0\r\n\r\n")
    #expect(trace.body == "0123456789" && trace.end?.keepAlive == true)
  }

  @Test("chunk sizes that add up beyond 63 bits are malformed")
  func chunkSizeSum() {
    let trace = readResponse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n7FFFFFFFFFFFFFFF\r\nb")
    #expect(trace.error?.kind == .malformed)
  }

  @Test("equal Content-Lengths are accepted", arguments: ["5\r\nContent-Length: 5", "5, 5", "5,5 ,5", "005"])
  func equalLengths(value: String) {
    let trace = readResponse("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello")
    #expect(trace.body == "hello" && trace.end?.keepAlive == true)
  }

  @Test(
    "a Content-Length that is different from another, or no number, or too large is malformed",
    arguments: ["5\r\nContent-Length: 6", "5, 6", "", "5,", ",5", "+5", "-5", "5.0", "0x5", "5 5", "9223372036854775808", "five"])
  func badLengths(value: String) {
    let trace = readResponse("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello")
    #expect(trace.error?.kind == .malformed)
  }

  @Test("Transfer-Encoding that ends in chunked wins over Content-Length and the connection closes after it")
  func chunkedAndLength() {
    let trace = readResponse("HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
    #expect(trace.body == "ok" && trace.end?.keepAlive == false)
  }

  @Test("Transfer-Encoding that does not end in chunked is read to close", arguments: ["gzip", "chunked, gzip", "identity"])
  func otherCoding(value: String) {
    let trace = readResponse("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: \(value)\r\n\r\nall of it")
    #expect(trace.body == "all of it" && trace.end?.keepAlive == false)
  }

  @Test(
    "a Transfer-Encoding that could be read in two ways is malformed",
    arguments: ["chunked, chunked", "chunked;a=b", "\"chunked\"", "", ",", "chun ked", "chunked\r\nTransfer-Encoding: chunked"])
  func badCoding(value: String) {
    #expect(readResponse("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(value)\r\n\r\n0\r\n\r\n").error?.kind == .malformed)
  }

  @Test("chunked in HTTP/1.0 is read and the connection closes after it")
  func chunkedInHttp10() {
    let trace = readResponse("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
    #expect(trace.body == "ok" && trace.end?.keepAlive == false)
  }

  @Test(
    "what is not HTTP/1 is malformed, at its first wrong byte",
    arguments: [
      "<html>", "HTTP/0.9 200 OK\r\n", "HTTP/2.0 200 OK\r\n", "HTTP/1.1 2x0 OK\r\n", "HTTP/1.1\r\n", "\r\nHTTP/1.1 200 OK\r\n", "h", "\0",
    ])
  func notHttp(text: String) {
    #expect(readResponse(text).error?.kind == .malformed)
  }

  @Test(
    "an answer to HEAD, a 204 and a 304 have no body, whatever their fields say",
    arguments: [(HttpMethod.head, 200), (.get, 204), (.get, 304)])
  func bodiless(method: HttpMethod, status: Int) {
    for fields in ["Content-Encoding: gzip\r\nContent-Length: 20\r\n", "Transfer-Encoding: chunked\r\n", ""] {
      let trace = readResponse("HTTP/1.1 \(status) X\r\n\(fields)\r\n", method: method)
      #expect(trace.status == status && trace.body == nil && trace.end?.keepAlive == true)
    }
  }

  @Test("switching protocols without being asked is malformed")
  func switching() {
    #expect(readResponse("HTTP/1.1 101 Switching Protocols\r\n\r\n").error?.kind == .malformed)
  }

  @Test(
    "Connection: close ends the connection, alone or in a list, in any case",
    arguments: ["close", "CLOSE", "close, TE", "keep-alive, Close", "TE\r\nConnection: close"])
  func connectionClose(value: String) {
    let trace = readResponse("HTTP/1.1 200 OK\r\nConnection: \(value)\r\nContent-Length: 0\r\n\r\n")
    #expect(trace.end?.keepAlive == false)
  }

  @Test("HTTP/1.0 keeps the connection only with Connection: keep-alive")
  func http10() {
    #expect(readResponse("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n").end?.keepAlive == false)
    #expect(readResponse("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n").end?.keepAlive == true)
  }

  @Test(
    "folded lines, bare CR, controls, blanks before the colon and fields without a name are malformed",
    arguments: [
      "A: b\r\n c", "A: b\rc", "A: \0", "A: \u{7F}", "A: \u{b}chunked", "A : b", "A", ": b", "A\u{e4}: b", " A: b", "A: 12345678\u{1}",
    ])
  func badFields(field: String) {
    #expect(readResponse("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n").error?.kind == .malformed)
  }

  @Test("lines may end with LF alone in a response (RFC 9112 2.2), chunk lines may not")
  func bareLineFeed() {
    let trace = readResponse("HTTP/1.1 200 OK\nA: b\nContent-Length: 2\n\nok")
    #expect(trace.body == "ok" && trace.end?.keepAlive == true)
    #expect(readResponse("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nok\n0\n\n").error?.kind == .malformed)
  }

  @Test(
    "a peer that closes early is told as truncated",
    arguments: [
      "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nA: b\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n",
    ])
  func truncated(text: String) {
    #expect(readResponse(text).error?.kind == .truncated)
  }

  @Test("a reader that has failed fails again in the same way")
  func failsAgain() {
    var reader = ResponseReader(requestMethod: .get)
    let input = Array("nonsense".utf8)
    var offset = 0
    #expect(throws: WireError.self) { try reader.next(input.span.bytes, at: &offset) }
    #expect(throws: WireError.self) { try reader.next(input.span.bytes, at: &offset) }
    #expect(throws: WireError.self) { try reader.endOfInput() }
  }
}
