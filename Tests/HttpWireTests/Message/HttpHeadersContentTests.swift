import HttpWire
import Testing

@Suite("What headers say of the content")
struct HttpHeadersContentTests {
  @Test(
    arguments: [
      ("text/html; charset=UTF-8", "text/html", "utf-8"), ("text/html;Charset=\"utf-8\";x=y", "text/html", "utf-8"),
      ("text/plain", "text/plain", nil),
      ("text/plain; a=\";charset=x\"; charset=latin1", "text/plain", "latin1"), ("text/plain; charset=; charset=a", "text/plain", "a"),
      ("text/plain; charset = koi8-r ", "text/plain", "koi8-r"), ("multipart/form-data; boundary=\"a;b\"", "multipart/form-data", nil),
      ("text/plain;", "text/plain", nil), ("text/plain; charset=\"un\\\"closed", "text/plain", "un\"closed"), ("nonsense", nil, nil),
      ("", nil, nil),
    ] as [(String, String?, String?)])
  func `the media type and its charset are read`(field: String, type: String?, charset: String?) {
    let headers: HttpHeaders = ["Content-Type": field]
    #expect(headers.mediaType?.description == type && headers.charset == charset)
  }

  @Test(
    arguments: [
      (["Content-Length": "5"], 5, 5), (["Content-Length": "5", "content-length": "5"], 5, 5), (["Content-Length": "5, 5"], 5, 5),
      (["Content-Length": "5", "content-length": "6"], nil, nil), (["Content-Length": "5, 6"], nil, nil),
      (["Content-Length": "-5"], nil, nil),
      (["Content-Length": "9223372036854775808"], nil, nil), (["Content-Length": ""], nil, nil), ([:], nil, nil),
      (["Content-Length": "5", "Content-Encoding": "gzip"], 5, nil), (["Content-Length": "5", "Content-Encoding": "identity"], 5, 5),
      (["Content-Length": "5", "Content-Encoding": "x-unknown"], 5, nil), (["Content-Length": "5", "Content-Encoding": ""], 5, 5),
      (["Content-Length": "5", "Transfer-Encoding": "chunked"], 5, nil),
    ] as [(HttpHeaders, Int64?, Int64?)])
  func `the length is expected where the fields tell it`(headers: HttpHeaders, length: Int64?, expected: Int64?) {
    #expect(headers.contentLength == length && headers.expectedLength == expected)
  }

  @Test func `there is no charset and no range without their fields`() {
    let headers = HttpHeaders()
    #expect(headers.mediaType == nil && headers.charset == nil && headers.contentRange == nil && headers.contentDisposition == nil)
  }
}
