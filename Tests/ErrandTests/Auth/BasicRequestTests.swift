import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite("Basic and bearer requests", .oneAtATime, .timeLimit(.minutes(2)))
struct BasicRequestTests {
  private func request(_ url: String, _ credentials: HttpCredentials, _ headers: HttpHeaders = [:]) -> HttpRequest {
    var request = HttpRequest(url, headers: headers)
    request.credentials = credentials
    return request
  }

  static let any = HttpCredentials.any(user: "user", password: "hush")
  static let basic = HttpCredentials.basic(user: "user", password: "hush")

  @Test("nginx takes Basic at once, or when it asks, and refuses what is wrong")
  func nginx() async throws {
    let files = try TemporaryDirectory()
    let users = try files.write("users", Array("user:{PLAIN}hush\n".utf8))
    let server = try await NginxServer { ports in
      """
      server { listen 127.0.0.1:\(ports[0]); auth_basic "a \\"realm\\""; auth_basic_user_file \(users); location / { return 200; }
        location /in { root \(files.path); try_files /users =404; } }
      """
    }
    defer { server.stop() }
    let client = HttpClient(.test)
    let url = "http://127.0.0.1:\(server.port)/in"
    for credentials in [BasicRequestTests.basic, BasicRequestTests.any] {
      let answer = try await client.send(request(url, credentials))
      #expect(answer.text == "user:{PLAIN}hush\n" && answer.attempts == (credentials == BasicRequestTests.basic ? 1 : 2))
    }
    let again = try await client.send(request(url, BasicRequestTests.any))
    #expect(again.attempts == 1, "what was asked for is remembered")
    let wrong: [HttpCredentials] = [.basic(user: "user", password: "wrong"), .any(user: "user", password: "wrong")]
    for credentials in wrong {
      let error = try await client.failure(request(url, credentials))
      #expect(error.code == .httpStatus && error.status == 401 && !"\(error)".contains("wrong"))
    }
    let digest = try await client.failure(request(url, .digest(user: "user", password: "hush")))
    #expect(digest.status == 401 && digest.attempts == 1, "a password that is for Digest is not sent in Basic")
    await expectNothingLeft(client)
  }

  /// Answers with the Authorization that it saw.
  @LoopActor private static func echo(_ connection: PeerConnection, _ request: SeenRequest) {
    connection.answer(request.head.headers["Authorization"] ?? "none")
  }

  @Test("what needs no challenge goes with the first request, and a field of the caller's comes before it")
  func first() async throws {
    try await scene(BasicRequestTests.echo) { client, peer in
      let url = await peer.url()
      try await client.expect("Basic dXNlcjpodXNo", request(url, BasicRequestTests.basic))
      try await client.expect("Bearer t0k3n", request(url, .bearer("t0k3n")))
      try await client.expect("none", request(url, BasicRequestTests.any))
      try await client.expect("Mine x", request(url, BasicRequestTests.basic, ["authorization": "Mine x"]))
      #expect(peer.requests.all.allSatisfy { $0.head.headers.values("Authorization").count <= 1 })
    }
  }

  @Test("credentials that can't be sent are refused before anything is connected, and not repeated")
  func refused() async throws {
    try await scene(BasicRequestTests.echo) { client, peer in
      let bad: [HttpCredentials] = [
        .basic(user: "a:b", password: "hush"), .basic(user: "a", password: "hush\r\nX: y"), .bearer("hush hush"), .bearer(""),
        .any(user: "hush\u{1}", password: ""), .digest(user: "a", password: "hush\0"),
      ]
      for credentials in bad {
        let error = try await client.failure(request(await peer.url(), credentials))
        #expect(error.code == .invalidRequest && error.field == "credentials" && !"\(error)".contains("hush"))
      }
      #expect(peer.accepted.count == 0)
    }
  }

  @Test("a redirect to another origin gets nothing, one within the origin all")
  func redirects() async throws {
    let other = await ScriptedPeer(BasicRequestTests.echo)
    try await other.start(on: .loopback(port: 0))
    let away = await other.url("/end")
    try await scene { connection, request in
      switch request.target {
      case "/away": connection.answer("", status: 302, fields: "Location: \(away)\r\n")
      case "/in": connection.answer("", status: 307, fields: "Location: /end\r\n")
      default: BasicRequestTests.echo(connection, request)
      }
    } test: { client, peer in
      for credentials in [BasicRequestTests.basic, .bearer("t")] {
        try await client.expect("none", request(await peer.url("/away"), credentials))
        let within = try await client.send(request(await peer.url("/in"), credentials)).text
        #expect(within.hasPrefix("B"))
      }
      await client.onLoop { $0.dropIdleConnections() }
    }
    await other.stop()
  }

  @Test(
    "a 401 without a challenge, or with one that can't be answered, is the outcome", arguments: ["", "Negotiate", "Basic realm=", "Digest"])
  func unanswerable(challenge: String) async throws {
    try await scene { connection, _ in
      connection.answer("no", status: 401, fields: challenge.isEmpty ? "" : "WWW-Authenticate: \(challenge)\r\n")
    } test: { client, peer in
      for credentials in [BasicRequestTests.basic, .bearer("t"), .digest(user: "u", password: "p")] {
        let error = try await client.failure(request(await peer.url(), credentials))
        #expect(error.status == 401 && error.response?.text == "no" && error.attempts == 1)
      }
      let plain = try await client.failure(HttpRequest(await peer.url()))
      #expect(plain.status == 401 && plain.response?.text == "no")
    }
  }

  @Test("a body is sent again with the answer")
  func body() async throws {
    try await scene { connection, request in
      guard request.head.headers.contains("Authorization") else {
        return connection.answer("", status: 401, fields: "WWW-Authenticate: Basic realm=a\r\n")
      }
      connection.answer("\(request.head.method) \(request.bodyCount)")
    } test: { client, peer in
      for (count, method) in [(3, HttpMethod.post), (2_000_000, .put)] {
        var request = request(await peer.url("/\(count)/"), BasicRequestTests.any)
        request.method = method
        request.body = .bytes([UInt8](repeating: 0x61, count: count))
        try await client.expect("\(method) \(count)", request)
      }
      #expect(peer.requests.count == 4)
    }
  }

  @Test("through a forwarding proxy each gets its own, and tinyproxy takes Basic")
  func tinyproxy() async throws {
    try await scene(BasicRequestTests.echo) { client, peer in
      try await Tinyproxy.with(["BasicAuth user hush"]) { proxy in
        var request = HttpRequest.through("http://user:hush@127.0.0.1:\(proxy)", await peer.url())
        request.credentials = .bearer("mine")
        try await client.expect("Bearer mine", request)
        #expect(peer.requests.all.allSatisfy { !$0.head.headers.contains("Proxy-Authorization") })
        let wrong = HttpRequest.through("http://user:wrong@127.0.0.1:\(proxy)", await peer.url())
        let error = try await client.failure(wrong)
        #expect(error.status == 407 || error.status == 401, "\(error)")
        #expect(!"\(error)".contains("wrong"))
        await client.onLoop { $0.dropIdleConnections() }
      }
    }
  }
}
