import HttpWire
import Testing

@Suite("HttpMethod and MediaType")
struct HttpMethodTests {
  @Test("a method is a token and keeps its case")
  func tokens() throws {
    #expect(try HttpMethod("GET") == .get)
    #expect(try HttpMethod("get") != .get)
    #expect(try HttpMethod("M-SEARCH").rawValue == "M-SEARCH")
    for bad in ["", "G T", "GET\r\n", "Gä", String(repeating: "A", count: 65)] {
      #expect(throws: WireError.self) { try HttpMethod(bad) }
    }
  }

  @Test("safe and idempotent are as RFC 9110 9.2 says")
  func semantics() {
    #expect([HttpMethod.get, .head, .options, .trace].allSatisfy { $0.isSafe && $0.isIdempotent })
    #expect([HttpMethod.put, .delete].allSatisfy { !$0.isSafe && $0.isIdempotent })
    #expect([HttpMethod.post, .patch, .connect].allSatisfy { !$0.isSafe && !$0.isIdempotent })
  }

  @Test(
    "media types that are JSON are known as such",
    arguments: [
      ("application/json", true), ("Application/JSON; charset=UTF-8", true), ("application/problem+json", true), ("text/json", true),
      ("text/html", false), ("application/jsonp", false), ("image/json", false),
    ])
  func json(text: String, isJson: Bool) {
    #expect(MediaType(text)?.isJson == isJson)
  }

  @Test("a media type is type, subtype and charset")
  func mediaType() {
    let type = MediaType("Text/HTML; a=b; Charset=\"UTF-8\"")
    #expect(type?.type == "text" && type?.subtype == "html" && type?.charset == "utf-8" && type?.description == "text/html")
    for bad in ["", "text", "text/", "/html", "a/b/c", "te xt/html"] { #expect(MediaType(bad) == nil) }
    #expect(MediaType.forExtension("PNG") == "image/png" && MediaType.forExtension("?") == "application/octet-stream")
  }
}
