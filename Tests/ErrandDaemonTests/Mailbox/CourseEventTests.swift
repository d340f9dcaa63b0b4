import EventLoop
import HttpServer
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

/// The events that a request asks for before its outcome, and those of sessions.
@Suite(.timeLimit(.minutes(2))) struct CourseEventTests {
  private func scene(
    _ change: (inout DaemonConfiguration) -> Void = { _ in }, _ body: (TestDaemon, CourseServer) async throws -> Void
  ) async throws {
    let server = try await CourseServer()
    let result: Result<Void, any Error>
    do {
      try await TestDaemon.with(change) { try await body($0, server) }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await server.close()
    try result.get()
  }

  private func submit(_ test: TestDaemon, _ url: String, _ more: String) async throws -> String {
    let answer = try await test.submit("{\"url\": \"\(url)\", \"delegate\": \"a\", \(more)}")
    #expect(answer.status == 202, "\(answer.text)")
    return answer.handle
  }

  @Test func aRequestTellsOfItsBeginningAndEachRedirectAndThenItsOutcome() async throws {
    try await scene { test, server in
      let reader = try await StreamReader(test, "a")
      let more = "\"tag\": 7, \"key\": \"k\", \"meta\": 1, \"method\": \"POST\", \"events\": [\"redirected\", \"started\", \"started\"]"
      let handle = try await submit(test, server.url + "/twice", more)
      let events = try await reader.next(4)
      #expect(events.map(\.type) == ["started", "redirected", "redirected", "finished"])
      #expect(events.map(\.seq) == [1, 2, 3, 4])
      let common = ["seq", "type", "handle", "delegate", "tag", "key", "url"]
      #expect(events[0].object?.members.map(\.key) == common)
      #expect(events[1].object?.members.map(\.key) == common + ["status", "from", "to", "method"])
      for event in events {
        #expect(event["handle"]?.string == handle && event["delegate"]?.string == "a")
        #expect(event["tag"]?.int == 7 && event["key"]?.string == "k" && event["url"]?.string == server.url + "/twice")
      }
      let hops = events[1...2].map { [$0["status"]?.int.map(String.init), $0["from"]?.string, $0["to"]?.string, $0["method"]?.string] }
      #expect(hops[0] == ["307", server.url + "/twice", server.url + "/once", "POST"])
      #expect(hops[1] == ["303", server.url + "/once", server.url + "/end", "GET"])
    }
  }

  @Test func whoAsksForNothingIsToldOfTheOutcomeAlone() async throws {
    try await scene { test, server in
      _ = try await submit(test, server.url + "/twice", "\"events\": []")
      _ = try await submit(test, server.url + "/twice", "\"events\": null")
      #expect(try await StreamReader(test, "a").next(2).map(\.type) == ["finished", "finished"])
      #expect(try await test.get("/v1/delegates/a").json["last_seq"]?.int == 2)
    }
  }

  @Test(arguments: [
    ("[\"started\", \"finished\"]", "/events/1", "started, redirected, progress"), ("[\"Started\"]", "/events/0", "started"),
    ("[1]", "/events/0", "a string"), ("\"started\"", "/events", "an array"), ("{}", "/events", "an array"),
  ])
  func unknownNamesAreRefused(_ events: String, _ field: String, _ words: String) async throws {
    try await TestDaemon.with { test in
      let answer = try await test.submit("{\"url\": \"\(test.target.url)/json\", \"events\": \(events)}")
      #expect(answer.status == 400 && answer.json["field"]?.string == field)
      #expect(answer.json["detail"]?.string?.contains(words) == true)
    }
  }

  @Test func progressTellsWhatHasComeAndNothingAfterTheOutcome() async throws {
    try await scene { test, server in
      let reader = try await StreamReader(test, "a")
      _ = try await submit(test, server.url + "/slow", "\"events\": [\"progress\"]")
      var event = try await reader.next(1)[0]
      while event["downloaded"]?.int != 1_000 { event = try await reader.next(1)[0] }
      #expect(event.type == "progress" && event["url"]?.string == server.url + "/slow")
      #expect(event["uploaded"]?.int == 0 && event["upload_total"]?.int == 0 && event["download_total"]?.int == 3_000)
      #expect(event["rate"]?.int ?? 0 > 0)
      // Nothing has moved since.
      await test.daemon.core.tellProgress(at: .now())
      await server.goOn()
      let last = try await reader.next(1)[0]
      #expect(last.type == "finished" && last.seq == event.seq + 1)
      await test.daemon.core.tellProgress(at: .now())
      #expect(await test.daemon.core.meters.isEmpty)
      #expect(try await test.get("/v1/delegates/a").json["last_seq"]?.int == last.seq)
    }
  }

  @Test func progressTellsWhatWasSent() async throws {
    try await TestDaemon.with { test in
      let body = String(repeating: "x", count: 100_000)
      let reader = try await StreamReader(test, "a")
      _ = try await test.submit(path: "/held", "\"delegate\": \"a\", \"events\": [\"progress\"], \"body\": \"\(body)\"")
      var event = try await reader.next(1)[0]
      while event["uploaded"]?.int != 100_000 { event = try await reader.next(1)[0] }
      #expect(event["upload_total"]?.int == 100_000 && event["downloaded"]?.int == 0 && event["download_total"] == .null)
      await test.target.release()
      #expect(try await reader.next(1)[0].type == "finished")
    }
  }

  @Test func progressOfADownloadIsThatOfItsFile() async throws {
    let files = try TemporaryDirectory()
    try await scene {
      $0.client.fileDirectories = [files.path]
    } _: { test, server in
      let reader = try await StreamReader(test, "a")
      _ = try await submit(test, server.url + "/slow", "\"events\": [\"progress\"], \"download\": {\"path\": \"\(files.file("f"))\"}")
      var event = try await reader.next(1)[0]
      while event["downloaded"]?.int != 1_000 { event = try await reader.next(1)[0] }
      #expect(event["download_total"]?.int == 3_000)
      await server.goOn()
      while event.type == "progress" { event = try await reader.next(1)[0] }
      #expect(event["file"]?["bytes"]?.int == 3_000)
    }
  }

  @Test func aCancelledRequestHasTheCancellationAsItsLastEvent() async throws {
    try await TestDaemon.with { test in
      let reader = try await StreamReader(test, "a")
      let more = "\"delegate\": \"a\", \"events\": [\"started\", \"progress\"]"
      let handle = try await test.submit(path: "/held", more)
      #expect(try await reader.next(1)[0].type == "started")
      _ = try await test.call(.delete, "/v1/requests/\(handle)")
      await test.target.release()
      #expect(try await reader.next(1)[0].type == "cancelled")
      await test.daemon.core.tellProgress(at: .now())
      #expect(try await test.get("/v1/delegates/a").json["last_seq"]?.int == 2)
    }
  }

  @Test func acknowledgingAnEarlierEventKeepsTheResult() async throws {
    try await TestDaemon.with {
      $0.results.acknowledgedCount = 0
    } _: { test in
      let handle = try await test.submit(path: "/json", "\"delegate\": \"a\", \"events\": [\"started\"]")
      #expect(try await StreamReader(test, "a").next(2).map(\.type) == ["started", "finished"])
      _ = try await test.post("/v1/delegates/a/ack", "{\"through\": 1}")
      #expect(try await test.get("/v1/requests/\(handle)").status == 200)
      _ = try await test.post("/v1/delegates/a/ack", "{\"through\": 2}")
      #expect(try await test.get("/v1/requests/\(handle)").status == 404)
    }
  }

  @Test func whatNeverBeginsHasNoBeginning() async throws {
    try await TestDaemon.with { test in
      let refused = try await test.submit("{\"url\": \"http://127.0.0.1:1/\", \"delegate\": \"a\", \"events\": [\"started\"]}")
      #expect(refused.status == 202)
      #expect(try await StreamReader(test, "a").next(1).map(\.type) == ["failed"])
      let local = try await test.submit("{\"url\": \"http://\", \"delegate\": \"b\", \"events\": [\"started\", \"progress\"]}")
      #expect(local.status == 400)
      #expect(await test.daemon.core.meters.isEmpty)
    }
  }

  // MARK: Sessions

  private static let shop = """
    {name: "shop", success_pointer: "/code", success_values: ["0"], code_pointer: "/code", message_pointer: "/msg", data_pointer: "/data",
     session_invalid_codes: ["401"]}
    """

  private func configure(_ configuration: inout DaemonConfiguration, delegate: String?) throws {
    let read = try ConfigurationFile.parse("{client: {services: {store: {}}}, envelopes: [\(Self.shop)]}", name: "test")
    configuration.client.services = read.client.services
    configuration.client.sessionDelegate = delegate
    configuration.envelopes = read.envelopes
  }

  @Test(arguments: ["keeper", nil]) func theEndOfASessionIsToldOnceToTheDelegateOfTheSetting(_ delegate: String?) async throws {
    var configuration = DaemonConfiguration()
    try configure(&configuration, delegate: delegate)
    try await scene {
      ($0.client.services, $0.envelopes) = (configuration.client.services, configuration.envelopes)
      $0.client.sessionDelegate = delegate
    } _: { test, server in
      let line = "{\"url\": \"\(server.url)/over\", \"delegate\": \"a\", \"service\": \"store\", \"envelope\": \"shop\"}"
      _ = try await test.batch(Array(repeating: line, count: 5))
      let failed = try await StreamReader(test, "a").next(5)
      #expect(failed.allSatisfy { $0["error"]?["service_code"]?.string == "401" })
      guard let delegate else {
        #expect(try await test.get("/v1/delegates").json["delegates"]?.array?.count == 1)
        return
      }
      let event = try await StreamReader(test, delegate).next(1)[0]
      #expect(
        event.object?.members.map(\.key) == ["seq", "type", "handle", "delegate", "service", "origin", "envelope", "code", "message"])
      #expect(event.type == "session_invalid" && event["delegate"]?.string == "keeper" && event["service"]?.string == "store")
      #expect(event["code"]?.string == "401" && event["message"]?.string == "log in again" && event["envelope"]?.string == "shop")
      #expect(event["origin"]?.string == server.url && failed.contains { $0["handle"] == event["handle"] })
      // One that was submitted later and succeeds ends the silence.
      for path in ["/fine", "/over"] {
        let more = "\"service\": \"store\", \"envelope\": \"shop\""
        _ = try await test.post("/v1/requests?wait=30", "{\"url\": \"\(server.url)\(path)\", \(more)}")
      }
      #expect(try await StreamReader(test, delegate, query: "?after=1").next(1)[0].seq == 2)
      #expect(try await test.get("/v1/delegates/keeper").json["owner"] == test.get("/v1/delegates/a").json["owner"])
    }
  }
}

/// Sends on, answers in two pieces, and says that sessions are over.
@LoopActor
private final class CourseServer: ResponseHandler {
  let url: String
  private let server = HttpServer()
  private var slow: Responder?

  init() throws {
    url = "http://\(try server.listen(on: .loopback(port: 0)))"
    server.register(self)
  }

  func close() async { await server.close(grace: .zero) }

  /// Sends what is left of the slow answer.
  func goOn() {
    slow?.write([UInt8](repeating: 0x61, count: 2_000))
    slow?.finish()
  }

  func decision(for head: RequestHead, path: String) -> HandlerDecision { .handles }

  func handle(_ request: ServerRequest, _ responder: Responder) {
    let json: HttpHeaders = ["Content-Type": "application/json"]
    switch request.path {
    case "/twice": responder.respond(status: 307, headers: ["Location": "/once"], body: [])
    case "/once": responder.respond(status: 303, headers: ["Location": "/end"], body: [])
    case "/over": responder.respond(status: 200, headers: json, body: Array("{\"code\": 401, \"msg\": \"log in again\"}".utf8))
    case "/fine": responder.respond(status: 200, headers: json, body: Array("{\"code\": 0, \"data\": {}}".utf8))
    case "/slow":
      slow = responder
      responder.startStream(status: 200, headers: ["Content-Type": "text/plain"], length: 3_000)
      responder.write([UInt8](repeating: 0x61, count: 1_000))
    default: responder.respond(status: 200, headers: json, body: Array("{}".utf8))
    }
  }
}
