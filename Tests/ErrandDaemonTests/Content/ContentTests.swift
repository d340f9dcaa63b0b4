import Errand
import EventLoop
import Foundation
import Glibc
import HttpServer
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

/// What the API has for whole messages: bodies from files, parts, credentials, cookies, the cache, downloads, services.
@Suite(.timeLimit(.minutes(2))) struct ContentTests {
  /// A server that answers with what it saw.
  private func withEcho(_ body: (String) async throws -> Void) async throws {
    let server = try await EchoServer()
    let result: Result<Void, any Error>
    do { result = .success(try await body(server.url)) } catch { result = .failure(error) }
    await server.close()
    try result.get()
  }

  private func outcome(_ test: TestDaemon, _ url: String, _ more: String = "") async throws -> JsonValue {
    let answer = try await test.post("/v1/requests?wait=30", "{\"url\": \"\(url)\"\(more.isEmpty ? "" : ", " + more)}")
    #expect(answer.status == 200, "\(answer.text)")
    return answer.json
  }

  @Test func filesAreSentAndWrittenBelowTheAllowedDirectoriesOnly() async throws {
    let files = try TemporaryDirectory()
    let path = try files.write("a.txt", Array("in the file".utf8))
    try await withEcho { base in
      try await TestDaemon.with {
        $0.client.fileDirectories = [files.path]
      } _: { test in
        #expect(try await outcome(test, base, "\"body_file\": \"\(path)\"")["body"]?.string?.hasSuffix("in the file") == true)
        let parts = "\"multipart\": [{\"name\": \"f\", \"file\": \"\(path)\"}, {\"name\": \"n\", \"value\": \"v\"}]"
        let seen = try await outcome(test, base, parts)["body"]?.string ?? ""
        #expect(seen.contains("filename=\"a.txt\"") && seen.contains("in the file") && seen.contains("name=\"n\""))
        #expect(try await outcome(test, "file://\(path)")["body"]?.string == "in the file")
        let event = try await outcome(test, base + "/download", "\"download\": {\"path\": \"\(files.file("out"))\"}")
        #expect(event["file"]?["path"]?.string == files.file("out") && event["body"] == nil)
        #expect(FileManager.default.fileExists(atPath: files.file("out")))
        for outside in ["/etc/passwd", files.path + "/../a", "a.txt", files.path + "x/a"] {
          for member in ["\"body_file\": \"\(outside)\"", "\"download\": {\"path\": \"\(outside)\"}"] {
            let answer = try await test.post("/v1/requests", "{\"url\": \"\(base)\", \(member)}")
            #expect((400..<404).contains(answer.status), "\(answer.text)")
          }
        }
        #expect(try await test.post("/v1/requests", "{\"url\": \"file:///etc/passwd\"}").status == 403)
      }
    }
  }

  @Test func withoutTheSettingNoFileIsRead() async throws {
    try await TestDaemon.with { test in
      let answer = try await test.post("/v1/requests", "{\"url\": \"http://127.0.0.1/\", \"body_file\": \"/etc/passwd\"}")
      #expect(answer.status == 403 && answer.text.contains("file_directories"))
    }
  }

  @Test func credentialsMayBeSecretsAndAreShownNowhere() async throws {
    let files = try TemporaryDirectory()
    let secret = try files.write("token", Array("s3cret\n".utf8))
    try await withEcho { base in
      try await TestDaemon.with {
        $0.client.secrets = ["api": secret]
      } _: { test in
        let bearer = try await outcome(test, base, "\"auth\": {\"bearer\": \"secret:api\"}")
        #expect(bearer["body"]?.string?.contains("authorization: Bearer s3cret") == true)
        let basic = try await outcome(test, base, "\"auth\": {\"basic\": {\"user\": \"ann\", \"password\": \"secret:api\"}}")
        #expect(basic["body"]?.string?.contains(Base64.encode(Array("ann:s3cret".utf8))) == true)
        let unknown = try await test.post("/v1/requests", "{\"url\": \"\(base)\", \"auth\": {\"bearer\": \"secret:other\"}}")
        #expect(unknown.status == 400 && unknown.text.contains("there are: api"))
        #expect(try await !test.get("/v1/requests").text.contains("s3cret"))
      }
    }
  }

  @Test func anOwnersCookiesAreKeptOverARestart() async throws {
    try await withEcho { base in
      let directory = try TemporaryDirectory()
      try await TestDaemon.with {
        $0.stateDir = directory.file("state")
      } _: { test in
        #expect(try await outcome(test, base + "/cookie")["body"]?.string?.contains("cookie:") == false)
        _ = try await outcome(test, base + "/cookie", "\"cookies\": true")
        #expect(try await outcome(test, base, "\"cookies\": true")["body"]?.string?.contains("cookie: kept=1") == true)
        #expect(try await test.call(.put, "/v1/cookies", "{\"name\": \"own\", \"value\": \"2\", \"domain\": \"127.0.0.1\"}").status == 200)
        let listed = try await test.get("/v1/cookies").json["cookies"]?.array ?? []
        #expect(listed.compactMap { $0["name"]?.string }.sorted() == ["kept", "own"])
        let removed = try await test.call(.delete, "/v1/cookies?name=own&domain=127.0.0.1")
        #expect(removed.json["removed"]?.int == 1)
      }
      try await TestDaemon.with {
        $0.stateDir = directory.file("state")
      } _: { test in
        let text = try await test.call(.get, "/v1/cookies", headers: ["Accept": "text/plain"]).text
        #expect(text.contains("kept\t1"))
        #expect(try await test.call(.put, "/v1/cookies", text, type: "text/plain").json["taken"]?.int == 1)
      }
    }
  }

  @Test func theCacheAnswersWhereARequestAsksForItAlsoAfterARestart() async throws {
    try await withEcho { base in
      let directory = try TemporaryDirectory()
      for isHit in [false, true] {
        try await TestDaemon.with {
          $0.stateDir = directory.file("state")
        } _: { test in
          // What is on disk is found once the directory has been read.
          await test.daemon.core.cache.settle()
          let event = try await outcome(test, base + "/cached", "\"cache\": \"default\"")
          let status = event["headers"]?.array?.first { $0[0]?.string == "cache-status" }?[1]?.string ?? ""
          #expect(status.contains("hit") == isHit, "\(status)")
        }
      }
    }
  }

  @Test func aServiceOfTheCatalogueStandsInPlaceOfAUrl() async throws {
    try await withEcho { base in
      try await TestDaemon.with { configuration in
        let json =
          "{\"versions\": {\"1\": {\"url\": \"\(base)/v1\"}, \"2\": {\"url\": \"\(base)/v2\", \"headers\": {\"X-Of\": \"service\"}}}}"
        configuration.client.catalog.services["stock"] = try? JSONDecoder().decode(AnyJson.self, from: Data(json.utf8))
      } _: { test in
        func ask(_ members: String) async throws -> TestDaemon.Answer {
          try await test.post("/v1/requests?wait=30", "{\(members)}")
        }
        let newest = try await ask("\"service\": \"stock\", \"path\": \"/a?b=c\"").json["body"]?.string ?? ""
        #expect(newest.contains("GET /v2/a?b=c") && newest.contains("x-of: service"))
        let first = try await ask("\"service\": \"stock\", \"version\": 1, \"path\": \"/a\"").json["body"]?.string ?? ""
        #expect(first.contains("GET /v1/a"))
        let unknown = try await ask("\"service\": \"stok\", \"path\": \"/a\"")
        #expect(unknown.status == 400 && unknown.text.contains("there are: stock"))
        let base = try await ask("\"service\": \"stock\", \"version\": 1")
        #expect(base.status == 200 && base.json["type"]?.string != nil, "\(base.text)")
        let beside = try await ask("\"service\": \"stock\", \"url\": \"http://127.0.0.1/\"")
        #expect(beside.status == 400 && beside.text.contains("beside a URL"))
        let version = try await ask("\"service\": \"stock\", \"version\": 3, \"path\": \"/a\"")
        #expect(version.status == 400 && version.json["field"]?.string == "/version" && version.text.contains("there are: 1, 2"))
        let names = try await test.get("/v1/services").json["services"]?.array ?? []
        #expect(names.compactMap { $0["name"]?.string } == ["stock"])
      }
    }
  }

  @Test func aTraceOfTheCallersGoesOn() async throws {
    try await withEcho { base in
      try await TestDaemon.with { test in
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let answer = try await test.call(.post, "/v1/requests?wait=30", "{\"url\": \"\(base)\"}", headers: ["traceparent": trace])
        #expect(answer.json["body"]?.string?.contains("traceparent: \(trace)") == true)
      }
    }
  }
}

@LoopActor
private final class EchoServer {
  let url: String
  private let server = HttpServer()

  init() throws {
    server.register(Echo())
    url = "http://\(try server.listen(on: .loopback(port: 0)))"
  }

  func close() async { await server.close(grace: .zero) }
}

@LoopActor
private final class Echo: ResponseHandler {
  func decision(for head: RequestHead, path: String) -> HandlerDecision { .handles }

  func handle(_ request: ServerRequest, _ responder: Responder) {
    var headers: HttpHeaders = ["Content-Type": "text/plain"]
    if request.path == "/cookie" { headers.append("Set-Cookie", "kept=1; Max-Age=1000") }
    if request.path == "/cached" { headers.append("Cache-Control", "max-age=1000") }
    var text = "\(request.head.method) \(request.head.target)\n"
    for (name, value) in request.head.headers { text += "\(name.lowercased()): \(value)\n" }
    responder.respond(status: 200, headers: headers, body: Array(text.utf8) + request.body)
  }
}
