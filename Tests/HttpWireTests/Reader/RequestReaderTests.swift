import HttpWire
import Testing

@Suite("RequestReader")
struct RequestReaderTests {
  @Test("a request is a head, its body and an end, and leaves the next one in the input")
  func request() {
    let trace = readRequest("POST /a?b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloGET /")
    let head = RequestHead(method: .post, target: "/a?b", headers: ["Host": "x", "Content-Length": "5"])
    #expect(trace == [.request(head), .body(Array("hello".utf8)), .end(keepAlive: true, surplus: 5)])
  }

  @Test("two requests in one input are read one after the other")
  func pipelined() throws {
    let input = Array("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
    var reader = RequestReader()
    var offset = 0
    var targets: [String] = []
    while offset < input.count {
      while let event = try reader.next(input.span.bytes, at: &offset) {
        if case .head(let head) = event { targets.append(head.target) }
      }
      reader.reset()
    }
    #expect(targets == ["/1", "/2"])
    #expect(try reader.endOfInput() == nil)
  }

  @Test("one empty line before a request is skipped, a second one is not")
  func emptyLine() {
    #expect(readRequest("\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n").end != nil)
    #expect(readRequest("\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n").error?.status == 400)
    #expect(readRequest("\r\n") == [.nothing])
  }

  @Test("a client that waits for 100 Continue is told so")
  func expects() throws {
    var reader = RequestReader()
    var offset = 0
    let input = Array("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 5\r\n\r\n".utf8)
    _ = try reader.next(input.span.bytes, at: &offset)
    #expect(reader.expectsContinue && reader.contentLength == 5 && reader.hasStarted)
    #expect(try reader.next(input.span.bytes, at: &offset) == nil && offset == input.count)
  }

  @Test(
    "a request that is not well formed is answered with 400",
    arguments: [
      "GET / HTTP/1.1\nHost: x\n\n", "GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET / HTTP/1.1 \r\nHost: x\r\n\r\n", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", "GET /\r\n\r\n", "GET / http/1.1\r\nHost: x\r\n\r\n",
      "G@T / HTTP/1.1\r\nHost: x\r\n\r\n", " GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x, y\r\n\r\n", "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n",
      "GET * HTTP/1.1\r\nHost: x\r\n\r\n", "GET x HTTP/1.1\r\nHost: x\r\n\r\n", "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /\u{e4} HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\n", "\u{16}\u{3}\u{1}\u{2}\0",
    ])
  func bad(text: String) {
    let error = readRequest(text).error
    #expect(error?.kind == .malformed && error?.status == 400)
  }

  @Test(
    "what is well formed but not offered is answered with 501 or 505",
    arguments: [
      ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505), ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
      ("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 501),
      ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ])
  func unsupported(text: String, status: Int) {
    let error = readRequest(text).error
    #expect(error?.kind == .unsupported && error?.status == status)
  }

  @Test("chunked wins over Content-Length and the connection closes after it")
  func chunkedAndLength() {
    let trace = readRequest("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
    #expect(trace.body == "ok" && trace.end?.keepAlive == false)
  }

  @Test("a client that closes in the middle of a request is told as truncated")
  func truncated() {
    #expect(readRequest("GET / HTTP/1.1\r\nHos").error?.kind == .truncated)
    #expect(readRequest("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc").error?.kind == .truncated)
  }
}
