import HttpWire
import Testing

@testable import Errand

@Suite struct Http2FieldsTests {
  private func fields(
    _ headers: HttpHeaders = [:], method: HttpMethod = .get, authority: String = "example.com", path: String = "/a?b=c",
    body: BodyFraming = .none
  ) throws -> [String] {
    try RequestWriter.http2Fields(
      method: method, scheme: .https, authority: authority, path: path, headers: headers, body: body
    ).map { "\($0.name)=\($0.value)" }
  }

  @Test func `pseudo fields come first, names are in lower case, order is kept`() throws {
    #expect(
      try fields(["Accept": "*/*", "X-One": "1", "x-one": "2"]) == [
        ":method=GET", ":scheme=https", ":authority=example.com", ":path=/a?b=c", "accept=*/*", "x-one=1", "x-one=2",
      ])
  }

  @Test func `Host becomes the authority`() throws {
    #expect(try fields(["hOsT": "other.example:8080"])[2] == ":authority=other.example:8080")
    #expect(throws: WireError.self) { try fields(["Host": "a", "host": "b"]) }
    #expect(throws: WireError.self) { try fields(["Host": "a/b"]) }
  }

  @Test(arguments: ["Connection", "Keep-Alive", "proxy-connection", "Upgrade", "HTTP2-Settings"])
  func `fields that belong to a connection are left out`(name: String) throws {
    #expect(try fields([name: "x", "Accept": "*/*"]).dropFirst(4) == ["accept=*/*"])
  }

  @Test func `what Connection names is left out too`() throws {
    #expect(try fields(["Connection": "close, X-Hop", "X-HOP": "1", "X-End": "2"]).dropFirst(4) == ["x-end=2"])
  }

  @Test func `TE goes out only as trailers`() throws {
    #expect(try fields(["TE": "trailers"]).last == "te=trailers")
    #expect(try fields(["TE": "trailers", "Connection": "TE"]).last == "te=trailers")
    #expect(try fields(["TE": "gzip"]).count == 4)
  }

  @Test func `Transfer-Encoding gives way, Content-Length is our own`() throws {
    #expect(try fields(["Transfer-Encoding": "chunked"], method: .post, body: .chunked).count == 4)
    #expect(try fields(["Content-Length": "3"], method: .post, body: .length(3)).dropFirst(4) == ["content-length=3"])
    #expect(try fields(method: .post).last == "content-length=0")
    #expect(try fields(method: .delete).count == 4)
    #expect(throws: WireError.self) { try fields(["Content-Length": "4"], method: .post, body: .length(3)) }
  }

  @Test func `values lose the blanks around them`() throws {
    #expect(try fields(["X": " \ta b\t "]).last == "x=a b")
  }

  @Test(arguments: [("X\r", "1"), ("X", "1\r\nY: 2"), ("", "1"), ("X", "\0"), (":path", "/other")])
  func `what would break a message apart is refused`(name: String, value: String) {
    #expect(throws: WireError.self) { try fields([name: value]) }
  }

  @Test(arguments: ["", "/a b", "/a\n", "/ä"])
  func `a target that can't be sent is refused`(path: String) {
    #expect(throws: WireError.self) { try fields(path: path) }
  }
}
