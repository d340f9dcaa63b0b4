import Errand
import ErrandDaemon
import EventLoop
import HttpWire
import TestSupport

/// A daemon of one test's own, with a server for its requests to go to.
final class TestDaemon: Sendable {
  let daemon: Daemon
  let target: TargetServer
  let directory: TemporaryDirectory
  private let client: HttpClient

  private init(_ daemon: Daemon, _ target: TargetServer, _ directory: TemporaryDirectory) {
    self.daemon = daemon
    self.target = target
    self.directory = directory
    var configuration = HttpClient.Configuration()
    configuration.proxy = .none
    configuration.maxConnectionsPerHost = 1_000
    client = HttpClient(configuration)
  }

  /// Runs `body` with a daemon, and ends it.
  static func with(
    log: Log? = nil, _ change: (inout DaemonConfiguration) -> Void = { _ in }, _ body: (TestDaemon) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    let target = try await TargetServer()
    let daemon = try await start(in: directory, log: log, change)
    let test = TestDaemon(daemon, target, directory)
    let result: Result<Void, any Error>
    do { result = .success(try await body(test)) } catch { result = .failure(error) }
    await daemon.stop(grace: .zero)
    await target.close()
    await test.client.shutdown(grace: .zero)
    try result.get()
  }

  static func start(
    in directory: TemporaryDirectory, log: Log? = nil, _ change: (inout DaemonConfiguration) -> Void = { _ in }
  ) async throws -> Daemon {
    var configuration = DaemonConfiguration()
    configuration.socket = directory.file("errand.sock")
    configuration.stateDir = directory.file("state")
    configuration.log.level = log == nil ? "error" : "info"
    change(&configuration)
    return try await Daemon.start(configuration, log: log)
  }

  // MARK: Calls

  struct Answer {
    let status: Int
    let headers: HttpHeaders
    let text: String

    /// Null if the body is not JSON.
    var json: JsonValue { (try? JsonValue.parse(Array(text.utf8))) ?? .null }
    var lines: [JsonValue] { text.split(separator: "\n").map { (try? JsonValue.parse(Array($0.utf8))) ?? .null } }
    var handle: String { json["handle"]?.string ?? "none" }
  }

  func call(
    _ method: HttpMethod, _ path: String, _ body: String? = nil, type: String? = nil, headers: HttpHeaders = [:],
    url: String = "http://errand",
    overTcp: Bool = false
  ) async throws -> Answer {
    var request = HttpRequest(url + path, method: method, headers: headers)
    if let body { request.body = .bytes(Array(body.utf8), contentType: type ?? "application/json") }
    if !overTcp { request.unixSocket = daemon.socketPath }
    request.acceptStatus = Array(400...599)
    let response = try await client.send(request)
    return Answer(status: response.status, headers: response.headers, text: response.text)
  }

  func get(_ path: String) async throws -> Answer { try await call(.get, path) }
  func post(_ path: String, _ body: String) async throws -> Answer { try await call(.post, path, body) }
  func submit(_ body: String) async throws -> Answer { try await post("/v1/requests", body) }

  /// Submits a request for a path of the target and gives the handle.
  func submit(path: String, _ more: String = "") async throws -> String {
    let answer = try await submit("{\"url\": \"\(target.url)\(path)\"\(more.isEmpty ? "" : ", " + more)}")
    guard answer.status == 202 else { throw TestTimeout("submitting was answered \(answer.status): \(answer.text)") }
    return answer.handle
  }

  /// Submits a request and gives the event of its outcome.
  func outcome(path: String, _ more: String = "") async throws -> JsonValue {
    let body = "{\"url\": \"\(target.url)\(path)\"\(more.isEmpty ? "" : ", " + more)}"
    let answer = try await post("/v1/requests?wait=30", body)
    guard answer.status == 200 else { throw TestTimeout("waiting was answered \(answer.status): \(answer.text)") }
    return answer.json
  }

  func batch(_ lines: [String]) async throws -> Answer {
    try await call(.post, "/v1/requests", lines.joined(separator: "\n") + "\n", type: "application/x-ndjson")
  }

  func stats() async throws -> JsonValue { try await get("/v1/stats").json }
}
