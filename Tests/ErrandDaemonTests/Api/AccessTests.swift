import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct AccessTests {
  private static let token = "0123456789abcdef-token"

  private func withTcp(_ listen: String = "127.0.0.1:0", _ body: (TestDaemon, String) async throws -> Void) async throws {
    try await TestDaemon.with {
      $0.listen = listen
      $0.token = Self.token
    } _: { test in
      try await body(test, try #require(test.daemon.listenAddress).description)
    }
  }

  @Test func `a call over TCP needs the token, its own Host, and no Origin`() async throws {
    try await withTcp { test, address in
      let bearer = "Bearer \(Self.token)"
      let cases: [(status: Int, field: String?, headers: HttpHeaders)] = [
        (200, nil, ["Authorization": bearer]),
        (200, nil, ["Authorization": "bearer \(Self.token)"]),
        (401, "Authorization", [:]),
        (401, "Authorization", ["Authorization": "Bearer \(Self.token)x"]),
        (401, "Authorization", ["Authorization": "Bearer \(Self.token.dropLast())"]),
        (401, "Authorization", ["Authorization": "Basic \(Self.token)"]),
        (403, "Origin", ["Authorization": bearer, "Origin": "http://\(address)"]),
        (403, "Origin", ["Authorization": bearer, "Origin": "null"]),
      ]
      for (status, field, headers) in cases {
        for path in ["/healthz", "/v1/requests", "/nothing"] {
          let answer = try await test.call(.get, path, headers: headers, url: "http://\(address)", overTcp: true)
          #expect(answer.status == (path == "/nothing" && status == 200 ? 404 : status), "\(path) \(headers)")
          if let field { #expect(answer.json["field"]?.string == field) }
          if status == 401 { #expect(answer.headers["WWW-Authenticate"]?.hasPrefix("Bearer") == true) }
        }
      }
    }
  }

  @Test func `a name that was rebound to the loopback address is refused by its Host`() async throws {
    try await withTcp { test, address in
      let listen = try #require(test.daemon.listenAddress)
      let port = try #require(listen.port)
      for (host, status) in [
        (address, 200), ("localhost:\(port)", 200), ("LOCALHOST:\(port)", 200), ("[::1]:\(port)", 200), ("evil.example:\(port)", 403),
        ("127.0.0.1", 403), ("localhost:\(port &+ 1)", 403), ("", 403),
      ] {
        let socket = try await TestSocket(listen)
        let answer = try await socket.exchange(
          "GET /healthz HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \(Self.token)\r\n\r\n")
        #expect(answer.status == status, "\(host)")
        await socket.close()
      }
    }
  }

  @Test func `a listener's own address is a good Host, whatever loopback address it is`() async throws {
    try await withTcp("127.0.0.2:0") { test, address in
      #expect(address.hasPrefix("127.0.0.2:"))
      let answer = try await test.call(
        .get, "/healthz", headers: ["Authorization": "Bearer \(Self.token)"], url: "http://\(address)", overTcp: true)
      #expect(answer.status == 200)
    }
  }

  @Test func `the token's calls are made for the daemon's own user`() async throws {
    try await withTcp { test, address in
      let answer = try await test.call(
        .post, "/v1/requests?wait=30", "{\"url\": \"\(test.target.url)/json\"}", headers: ["Authorization": "Bearer \(Self.token)"],
        url: "http://\(address)", overTcp: true)
      #expect(answer.json.type == "finished")
      #expect(try await test.get("/v1/requests/1").json["owner"]?.string == test.daemon.core.ownOwner.description)
    }
  }

  @LoopActor @Test func `tokens are compared wholly`() {
    let token = Array("secret-secret-16".utf8)
    #expect(AccessGuard.equal(token, token))
    #expect(!AccessGuard.equal(Array(token.dropLast()), token))
    #expect(!AccessGuard.equal(token + token, token))
    #expect(!AccessGuard.equal([], token))
    #expect(!AccessGuard.equal([], []))
  }
}
