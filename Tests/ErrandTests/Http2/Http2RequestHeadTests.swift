import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite @LoopActor struct Http2RequestHeadTests {
  /// The fields as they arrive.
  private func fields(_ headers: HttpHeaders = [:], method: HttpMethod = .get, path: String = "/a?b=c", body: [UInt8] = []) throws
    -> [String]
  {
    let pair = Http2Pair()
    defer { pair.close() }
    let stream = try #require(pair.submit(method, path, headers: headers, body: body))
    pair.run()
    return try #require(pair.server.requests[stream.number]).fields.map { "\($0.name)=\($0.value)" }
  }

  @Test func `pseudo fields come first, names are in lower case, order is kept`() throws {
    #expect(
      try fields(["Accept": "*/*", "X-One": "1", "x-one": "2"]) == [
        ":method=GET", ":scheme=https", ":path=/a?b=c", ":authority=host.test", "accept=*/*", "x-one=1", "x-one=2",
      ])
    #expect(try fields(method: .options, path: "*")[2] == ":path=*")
  }

  @Test func `Host becomes the authority`() throws {
    #expect(try fields(["X": "1", "hOsT": "other.example:8080"])[3] == ":authority=other.example:8080")
  }

  @Test(arguments: ["Connection", "Keep-Alive", "proxy-connection", "Upgrade", "HTTP2-Settings"])
  func `fields that belong to a connection are left out`(name: String) throws {
    #expect(try fields([name: "x", "Accept": "*/*"]).dropFirst(4) == ["accept=*/*"])
  }

  @Test func `what Connection names is left out too`() throws {
    #expect(
      try fields(["Connection": "close, X-Hop", "X-HOP": "1", "X-End": "2", "connection": "x-other", "X-Other": "3"]).dropFirst(4) == [
        "x-end=2"
      ])
  }

  @Test func `TE goes out only as trailers`() throws {
    #expect(try fields(["TE": "trailers"]).last == "te=trailers")
    #expect(try fields(["TE": "trailers", "Connection": "TE"]).last == "te=trailers")
    #expect(try fields(["TE": "gzip"]).count == 4)
  }

  @Test func `Content-Length says what follows`() throws {
    #expect(try fields(method: .post, body: [1, 2, 3]).dropFirst(4) == ["content-length=3"])
    #expect(try fields(method: .post).dropFirst(4) == ["content-length=0"])
    #expect(try fields(method: .delete).count == 4)
  }

  @Test func `values lose the blanks around them, and may be empty or hold colons`() throws {
    #expect(try fields(["X": " \ta b\t ", "Y": "", "Z": "a: b"]).dropFirst(4) == ["x=a b", "y=", "z=a: b"])
  }
}
