import EventLoop
import HttpWire
import Testing

@testable import Errand

/// What goes out.
@Suite(.timeLimit(.minutes(2))) struct WritingTests {
  static let evil = ["\r", "\n", "\r\n", "\u{0}", "x\r\nX-Evil: 1", "x\nX-Evil: 1\r\n\r\nGET /evil HTTP/1.1"]

  @Test(arguments: evil) func lineBreaksAndNulAreRefusedBeforeConnecting(text: String) async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let url = await peer.url()
      var requests: [(String, HttpRequest)] = [
        ("name", HttpRequest(url, headers: ["X\(text)": "v"])), ("value", HttpRequest(url, headers: ["X": "a\(text)b"])),
        ("host", HttpRequest("http://127.0.0.1\(text)/")), ("host in the middle", HttpRequest("http://a\(text)b.localhost/")),
        ("path", HttpRequest(url + "a\(text)b")), ("query", HttpRequest(url + "?a=\(text)")),
        ("Host", HttpRequest(url, headers: ["Host": "a\(text)b"])), ("user", HttpRequest("http://u\(text):p@127.0.0.1/")),
        ("content type", HttpRequest(url, body: .bytes([1], contentType: "text/\(text)plain"))),
      ]
      requests.append(("port", HttpRequest("http://127.0.0.1:80\(text)/")))
      for (what, request) in requests {
        let error = try await client.failure(request)
        #expect(error.code == .invalidRequest && error.sent == .notSent && !error.retryable, "\(what)")
        #expect(!error.message.contains("X-Evil"), "\(what)")
      }
      #expect(throws: WireError.self) { try HttpMethod("GET\(text)") }
      #expect(peer.accepted.count == 0)
      #expect(await client.stats().failed == 10)
    }
  }

  @Test(arguments: [
    "ftp://127.0.0.1/", "//127.0.0.1/", "127.0.0.1", "", "http://", "http:///x", "http://[::1/", "http://127.0.0.1:99999/", "http://a b/",
  ])
  func aUrlThatCannotBeSentIsRefused(url: String) async throws {
    let client = HttpClient(.test)
    let error = try await client.failure(HttpRequest(url))
    #expect(error.code == .invalidRequest)
    await expectNothingLeft(client)
  }

  @Test(arguments: [
    "/a%2Fb%2fc", "/%C3%A9%e9", "/a%20b+c", "/?q=%26%3D&x=%2B", "/..//./a/../b", "/%", "/%zz", "/?", "/??a?b", "/;p=1?a;b",
    "/a:b@c!$&'()*,=~", "/?a=[b]|c",
  ])
  func pathAndQueryGoOutByteForByte(target: String) async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url(target) + "#fragment"))
      #expect(peer.requests.all.map(\.target) == [target])
    }
  }

  @Test func paramsFollowTheCallersQueryAndDoNotChangeIt() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let params = [HttpParam("q", "a b&c=d"), HttpParam("é", ""), HttpParam("q", "2")]
      for method in [HttpMethod.get, .head, .delete] {
        _ = try await client.send(HttpRequest(await peer.url("/p%2F?x=%41"), method: method, params: params))
      }
      _ = try await client.send(HttpRequest(await peer.url("/p"), params: params, body: .text("t")))
      _ = try await client.send(HttpRequest(await peer.url("/p"), method: .put, params: params))
      let seen = peer.requests.all
      for request in seen[..<3] { #expect(request.target.hasPrefix("/p%2F?x=%41&q=a") && request.bodyCount == 0) }
      #expect(seen[3].target.hasPrefix("/p?q=a") && String(decoding: seen[3].body, as: UTF8.self) == "t")
      #expect(seen[4].target == "/p")
      let form = try FormEncoding.decode(String(decoding: seen[4].body, as: UTF8.self))
      #expect(form.map(\.0) == ["q", "é", "q"] && form.map(\.1) == ["a b&c=d", "", "2"])
      #expect(seen[4].head.headers["Content-Type"] == "application/x-www-form-urlencoded")
    }
  }

  struct Framing: CustomTestStringConvertible {
    let method: HttpMethod
    let body: HttpBody?
    /// The Content-Length expected.
    let length: String?
    var testDescription: String { "\(method) \(body == nil ? "without" : "with") a body" }
  }

  static let framings: [Framing] =
    [HttpMethod.post, .put, .patch].map { Framing(method: $0, body: nil, length: "0") }
    + [HttpMethod.get, .head, .delete, .options].map { Framing(method: $0, body: nil, length: nil) }
    + [HttpMethod.get, .post, .put, .patch, .delete].flatMap { method in
      [
        Framing(method: method, body: .bytes([]), length: "0"), Framing(method: method, body: .text("hello"), length: "5"),
        Framing(method: method, body: .bytes([UInt8](repeating: 1, count: 70_000)), length: "70000"),
      ]
    }

  @Test(arguments: framings) func eachRequestHasOneFramingOrNone(framing: Framing) async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url(), method: framing.method, body: framing.body))
      let seen = try #require(peer.requests.all.first)
      #expect(seen.head.headers.values("Content-Length") == (framing.length.map { [$0] } ?? []))
      #expect(!seen.head.headers.contains("Transfer-Encoding"))
      #expect(seen.bodyCount == Int(framing.length ?? "0"))
      #expect(seen.head.headers.values("Host") == [String(await peer.url().dropFirst(7).dropLast())])
    }
  }

  @Test func framingFieldsOfTheCallerAreTakenOnlyIfTheyAgree() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let url = await peer.url()
      let body = HttpBody.text("hello")
      for headers: HttpHeaders in [["Content-Length": "5"], [:]] {
        _ = try await client.send(HttpRequest(url, method: .post, headers: headers, body: body))
      }
      for headers: HttpHeaders in [
        ["Content-Length": "6"], ["Content-Length": "5, 6"], ["Transfer-Encoding": "chunked"], ["Transfer-Encoding": "gzip"],
        ["Host": "a", "host": "b"],
      ] {
        let error = try await client.failure(HttpRequest(url, method: .post, headers: headers, body: body))
        #expect(error.code == .invalidRequest, "\(headers)")
      }
      #expect(peer.requests.all.map { $0.head.headers.values("Content-Length") } == [["5"], ["5"]])
    }
  }

  @Test func anIPv6LiteralKeepsItsBracketsInHost() async throws {
    try await scene(on: .loopback(port: 0, v6: true)) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let url = await peer.url()
      #expect(url.hasPrefix("http://[::1]:"))
      _ = try await client.send(HttpRequest(url))
      #expect(peer.requests.all[0].head.headers["Host"] == String(url.dropFirst(7).dropLast()))
    }
  }

  @Test func localhostConnectsToTheIPv4Address() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      for host in ["localhost", "LOCALHOST", "a.localhost", "127.0.0.1"] {
        _ = try await client.send(HttpRequest("http://\(host):\(port)/"))
      }
      #expect(peer.requests.count == 4)
    }
  }

  @Test func aUnixSocketGetsTheUrlsHost() async throws {
    try await withTemporaryPath { path in
      try await scene(on: try .unix(path)) { connection, _ in
        connection.answer()
      } test: { client, peer in
        for _ in 0..<2 {
          var request = HttpRequest("http://some.service/x")
          request.unixSocket = path
          _ = try await client.send(request)
        }
        #expect(peer.requests.all.map { $0.head.headers["Host"] } == ["some.service", "some.service"])
        #expect(peer.accepted.count == 1)
      }
    }
  }

  @Test func aPasswordInTheUrlIsNotInWhatDelegatesAndErrorsShow() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let port = await peer.address.port ?? 0
      client.request("http://user:hunter2@127.0.0.1:\(port)/", delegate: delegate)
      client.request("http://user:hunter2@127.0.0.1:1 /", delegate: delegate)
      for (info, event) in try await delegate.outcomes.first(2) {
        #expect(!info.url.contains("hunter2"))
        #expect(event.error?.description.contains("hunter2") != true)
      }
    }
  }
}
