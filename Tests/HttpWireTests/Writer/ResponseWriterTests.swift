import HttpWire
import Testing

@Suite("ResponseWriter")
struct ResponseWriterTests {
  private func write(
    _ status: Int, _ reason: String = "", _ version: HttpVersion = .http11, _ headers: HttpHeaders = [:], _ body: BodyFraming = .none
  ) throws(WireError) -> String {
    var bytes: [UInt8] = []
    try ResponseWriter.append(status: status, reason: reason, version: version, headers: headers, body: body, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("a response is status line, fields and framing")
  func response() throws {
    #expect(try write(200, "", .http11, ["A": "b"], .length(3)) == "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 3\r\n\r\n")
    #expect(try write(418, "", .http11, [:], .chunked) == "HTTP/1.1 418 \r\nTransfer-Encoding: chunked\r\n\r\n")
    #expect(try write(404, "Gone fishing", .http10) == "HTTP/1.0 404 Gone fishing\r\n\r\n")
    #expect(try write(100) == "HTTP/1.1 100 Continue\r\n\r\n")
    #expect(try write(304, "", .http11, [:], .length(7)) == "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n")
  }

  @Test("what no response may be is refused")
  func refused() {
    #expect(throws: WireError.self) { try write(99) }
    #expect(throws: WireError.self) { try write(1_000) }
    #expect(throws: WireError.self) { try write(200, "a\r\nb") }
    #expect(throws: WireError.self) { try write(204, "", .http11, [:], .length(0)) }
    #expect(throws: WireError.self) { try write(103, "", .http11, [:], .chunked) }
    #expect(throws: WireError.self) { try write(200, "", .http10, [:], .chunked) }
    #expect(throws: WireError.self) { try write(200, "", .http11, ["A": "b\nc"]) }
    #expect(throws: WireError.self) { try write(200, "", .http11, ["Content-Length": "1"], .length(2)) }
  }

  @Test("what is written is read back the same")
  func roundTrip() throws {
    var bytes = Array(try write(207, "Käse", .http11, ["A": "b", "C": ""], .chunked).utf8)
    ResponseWriter.chunk(Array("hello".utf8), to: &bytes)
    try ResponseWriter.lastChunk(to: &bytes)
    let trace = readResponse([bytes])
    let head = ResponseHead(status: 207, reason: "Käse", headers: ["A": "b", "C": "", "Transfer-Encoding": "chunked"])
    #expect(trace == [.head(head), .body(Array("hello".utf8)), .end(keepAlive: true, surplus: 0)])
  }
}
