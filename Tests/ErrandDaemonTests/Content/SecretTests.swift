import Errand
import EventLoop
import Foundation
import HttpServer
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

/// Bearer tokens that are in files, and that a server stops to take.
@Suite(.timeLimit(.minutes(2))) struct SecretTests {
  /// A daemon with the secret `api`, in whose file `old` stands at first, and a server that takes the tokens in `valid`.
  private func scene(
    valid: Set<String>, _ body: (TestDaemon, TokenServer, _ write: (String) throws -> Void) async throws -> Void
  ) async throws {
    let files = try TemporaryDirectory()
    let path = try files.write("token", Array("old\n".utf8))
    let server = try await TokenServer(valid)
    let service = "{\"versions\": {\"1\": {\"url\": \"\(server.url)\", \"credentials\": \"secret:api\"}}}"
    let result: Result<Void, any Error>
    do {
      try await TestDaemon.with {
        $0.client.secrets = ["api": path]
        $0.client.catalog.services["stock"] = try? JSONDecoder().decode(AnyJson.self, from: Data(service.utf8))
      } _: { test in
        try await body(test, server) { try StateFile.write($0, to: path) }
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await server.close()
    try result.get()
  }

  private func outcome(_ test: TestDaemon, _ server: TokenServer, _ auth: String = "secret:api") async throws -> JsonValue {
    try await test.post("/v1/requests?wait=30", "{\"url\": \"\(server.url)\", \"auth\": {\"bearer\": \"\(auth)\"}}").json
  }

  @Test func theFileIsReadAnewAndManyRequestsGoOnOnceEach() async throws {
    try await scene(valid: ["new"]) { test, server, write in
      try write("new\n")
      let line = "{\"url\": \"\(server.url)\", \"delegate\": \"a\", \"auth\": {\"bearer\": \"secret:api\"}}"
      _ = try await test.batch(Array(repeating: line, count: 50))
      let events = try await StreamReader(test, "a").next(50)
      #expect(events.allSatisfy { $0.type == "finished" && $0["attempts"]?.int ?? 0 <= 2 })
      let seen = await server.seen
      // Those that began after the renewal need not ask with the old one.
      #expect(seen.count { $0 == "new" } == 50 && (1...50).contains(seen.count { $0 == "old" }))
      #expect(try await outcome(test, server).type == "finished")
      #expect(await server.seen.last == "new")
      #expect(await server.seen.count == seen.count + 1, "what was renewed is used from then on")
    }
  }

  @Test func aFileThatHoldsTheSameLeavesThe401AsTheOutcome() async throws {
    try await scene(valid: ["new"]) { test, server, write in
      let refused = try await outcome(test, server)
      #expect(refused.type == "failed" && refused["error"]?["status"]?.int == 401)
      #expect(refused["error"]?["message"]?.string?.contains("the file of the secret api still holds") == true)
      #expect(await server.seen == ["old"])
      #expect(refused["attempts"]?.int == 1)
      try write("new")
      #expect(try await outcome(test, server).type == "finished")
      #expect(await server.seen == ["old", "old", "new"])
    }
  }

  @Test func aNewTokenThatIsRefusedTooIsNotTriedAThirdTime() async throws {
    try await scene(valid: []) { test, server, write in
      try write("other")
      let refused = try await outcome(test, server)
      #expect(refused["error"]?["status"]?.int == 401)
      #expect(await server.seen == ["old", "other"])
    }
  }

  @Test func aFileThatIsGoneIsSaidWithoutTheSecret() async throws {
    let files = try TemporaryDirectory()
    let path = try files.write("token", Array("s3cret".utf8))
    let secret = try FileSecret("api", path: path)
    try FileManager.default.removeItem(atPath: path)
    let server = try await TokenServer([])
    let client = HttpClient()
    var request = HttpRequest(server.url)
    request.proxy = ProxyChoice.none
    request.tokenSource = secret
    do {
      _ = try await client.send(request)
      Issue.record("a 401 is no success")
    } catch {
      #expect(error.status == 401)
      #expect(error.message.contains("the file of the secret api is gone") && !error.message.contains("s3cret"))
    }
    await client.shutdown(grace: .zero)
    await server.close()
  }

  @Test func aTokenThatIsNoSecretIsNotReadFromAnywhere() async throws {
    try await scene(valid: ["new"]) { test, server, write in
      try write("new")
      #expect(try await outcome(test, server, "own")["error"]?["status"]?.int == 401)
      #expect(await server.seen == ["own"])
    }
  }

  @Test func aServiceOfTheCatalogueRenewsItsTokenInTheSameWay() async throws {
    try await scene(valid: ["new"]) { test, server, write in
      try write("new")
      let event = try await test.post("/v1/requests?wait=30", "{\"service\": \"stock\", \"path\": \"/a\"}").json
      #expect(event.type == "finished")
      #expect(await server.seen == ["old", "new"])
    }
  }
}

/// Takes requests with some tokens only, and says 401 to others.
@LoopActor
private final class TokenServer: ResponseHandler {
  let url: String
  private(set) var seen: [String] = []
  private let valid: Set<String>
  private let server = HttpServer()

  init(_ valid: Set<String>) throws {
    self.valid = valid
    url = "http://\(try server.listen(on: .loopback(port: 0)))/"
    server.register(self)
  }

  func close() async { await server.close(grace: .zero) }

  func decision(for head: RequestHead, path: String) -> HandlerDecision { .handles }

  func handle(_ request: ServerRequest, _ responder: Responder) {
    let token = String((request.head.headers["Authorization"] ?? "").dropFirst("Bearer ".count))
    seen.append(token)
    if valid.contains(token) { return responder.respond(status: 200, headers: [:], body: []) }
    responder.respond(status: 401, headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""], body: [])
  }
}
