import HttpWire
import Testing

@Suite("Limits of what is read")
struct LimitTests {
  private func limits(_ change: (inout WireLimits) -> Void) -> WireLimits {
    var limits = WireLimits()
    change(&limits)
    return limits
  }

  @Test("a header over headBytes is refused, one of exactly that size is not")
  func headBytes() {
    let text = "HTTP/1.1 200 OK\r\nA: bbbb\r\n\r\n"
    #expect(readResponse(text, method: .head, limits: limits { $0.headBytes = text.utf8.count }).error == nil)
    let error = readResponse(text, method: .head, limits: limits { $0.headBytes = text.utf8.count - 1 }).error
    #expect(error?.kind == .tooLarge && error?.limit == "headBytes" && error?.status == 431)
  }

  @Test("more than headerCount fields are refused")
  func headerCount() {
    let text = "GET / HTTP/1.1\r\nHost: a\r\nB: c\r\n\r\n"
    #expect(readRequest(text, limits: limits { $0.headerCount = 2 }).error == nil)
    let error = readRequest(text, limits: limits { $0.headerCount = 1 }).error
    #expect(error?.limit == "headerCount" && error?.status == 431)
  }

  @Test("a start line over startLineBytes is refused before its end came, 414 for a request")
  func startLine() {
    let request = readRequest("GET /" + String(repeating: "a", count: 50), limits: limits { $0.startLineBytes = 30 }).error
    #expect(request?.limit == "startLineBytes" && request?.status == 414)
    let response = readResponse("HTTP/1.1 200 " + String(repeating: "a", count: 50), limits: limits { $0.startLineBytes = 30 }).error
    #expect(response?.limit == "startLineBytes")
  }

  @Test("trailers over trailerBytes are refused")
  func trailers() {
    let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTrailer: 0123456789\r\n\r\n"
    #expect(readResponse(text, limits: limits { $0.trailerBytes = 10 }).error?.limit == "trailerBytes")
  }

  @Test("a chunk-size line over chunkLineBytes is refused")
  func chunkLine() {
    let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;" + String(repeating: "x", count: 2_000)
    #expect(readResponse(text).error?.limit == "chunkLineBytes")
  }

  @Test("tiny chunks with long extensions are refused in time")
  func chunkOverhead() {
    let chunk = "1;" + String(repeating: "x", count: 900) + "\r\na\r\n"
    let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 30)
    #expect(readResponse(text).error?.limit == "chunkOverheadBytes")
  }

  @Test("many tiny chunks without extensions are read")
  func tinyChunks() {
    let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + String(repeating: "1\r\na\r\n", count: 5_000) + "0\r\n\r\n"
    #expect(readResponse(text).body?.utf8.count == 5_000)
  }

  @Test("more than interimResponses are refused")
  func interim() {
    let text = String(repeating: "HTTP/1.1 103 E\r\n\r\n", count: 17)
    #expect(readResponse(text).error?.limit == "interimResponses")
  }

  @Test(
    "a body over bodyBytes is refused after the head, however it is framed",
    arguments: ["Content-Length: 6\r\n\r\nhello!", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", "\r\nhello!"])
  func body(rest: String) {
    let trace = readResponse("HTTP/1.1 200 OK\r\n\(rest)", limits: limits { $0.bodyBytes = 5 })
    #expect(trace.status == 200)
    #expect(trace.error?.limit == "bodyBytes" && trace.error?.status == 413)
    #expect(readResponse("HTTP/1.1 200 OK\r\n\(rest)", limits: limits { $0.bodyBytes = 6 }).error == nil)
  }

  @Test("an error shows no field value and cuts what it shows of the peer")
  func secrets() {
    let error = readResponse("HTTP/1.1 200 OK\r\nSet-Cookie: secret\u{1}\r\n\r\n").error
    #expect(error?.message.contains("Set-Cookie") == true && error?.message.contains("secret") == false)
    let long = readResponse("HTTP/1.1 200 OK\r\n" + String(repeating: "n", count: 5_000) + "\r\n\r\n").error
    #expect((long?.message.utf8.count ?? 0) < 200)
  }
}
