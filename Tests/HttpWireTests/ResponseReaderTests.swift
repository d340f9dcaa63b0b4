import HttpWire
import Testing

@Suite("ResponseReader")
struct ResponseReaderTests {
  @Test("a response whole in one input is a head, a body that was not copied, and an end")
  func wholeResponse() throws {
    var reader = ResponseReader(requestMethod: .get)
    let input = Array("HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 5\r\n\r\nhellosurplus".utf8)
    var offset = 0
    guard case .head(let head) = try reader.next(input.span.bytes, at: &offset) else {
      Issue.record("no head")
      return
    }
    #expect(head.status == 200 && head.reason == "OK" && head.headers["server"] == "x" && head.headers.count == 2)
    guard case .body(let range) = try reader.next(input.span.bytes, at: &offset) else {
      Issue.record("no body")
      return
    }
    #expect(String(decoding: input[range], as: UTF8.self) == "hello")
    guard case .end = try reader.next(input.span.bytes, at: &offset) else {
      Issue.record("no end")
      return
    }
    #expect(offset == input.count - 7)
    #expect(reader.keepAlive)
  }
}
