import Dispatch
import Errand
import EventLoop
import Glibc
import HttpWire
import TestSupport

@testable import ErrandDaemon

/// The built `errandd`, run as a process of its own, for what only a process shows: signals, exit codes, a kill.
final class DaemonProcess: Sendable {
  let directory: TemporaryDirectory
  let pid: pid_t
  private let logPath: String
  private let isGone = Locked(false)
  private let client: HttpClient

  /// Runs `body` with a daemon that serves, and kills it if it still runs then.
  static func with(
    log: String? = nil, closing: [Int32] = [], _ arguments: [String] = [], in directory: TemporaryDirectory,
    _ body: (DaemonProcess) async throws -> Void
  ) async throws {
    let paths = ["--socket", directory.file("errand.sock"), "--state-dir", directory.file("state")]
    let process = try DaemonProcess(paths + arguments, log: log, closing: closing, in: directory)
    let result: Result<Void, any Error>
    do {
      if log == nil, closing.isEmpty {
        try await process.logged("msg=serving")
      } else {
        try await waitUntil("the socket") { DaemonProcess.accepts(directory.file("errand.sock")) }
      }
      result = .success(try await body(process))
    } catch {
      result = .failure(error)
    }
    await process.client.shutdown(grace: .zero)
    // Its number may be another's once it was waited for.
    if !process.isGone.withLock({ $0 }) { _ = await process.end(SIGKILL) }
    try result.get()
  }

  private static func accepts(_ path: String) -> Bool {
    guard let address = try? SocketAddress.unix(path), let probe = try? Socket.open(for: address) else { return false }
    defer { Socket.close(probe) }
    return (try? Socket.connect(probe, to: address)) == true
  }

  /// Runs it to its end.
  static func run(_ arguments: [String]) async throws -> (status: Int32, errors: String) {
    let directory = try TemporaryDirectory()
    let process = try DaemonProcess(arguments, in: directory)
    let status = await process.status()
    await process.client.shutdown(grace: .zero)
    return (status, process.log)
  }

  private init(_ arguments: [String], log: String? = nil, closing: [Int32] = [], in directory: TemporaryDirectory) throws {
    self.directory = directory
    logPath = log ?? directory.file("log")
    if log == nil { unlink(logPath) }
    client = HttpClient()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, logPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    for descriptor in closing { posix_spawn_file_actions_addclose(&actions, descriptor) }
    // The loop's thread, on which tests run, has signals blocked; a program starts without.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let program = try DaemonProcess.programPath()
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, program, &actions, &attributes, words, environ)
    guard failure == 0 else { throw TestTimeout("can't run \(program): errno \(failure)") }
    pid = process
  }

  /// It is beside the tests.
  private static func programPath() throws -> String {
    for word in ["/proc/self/exe"] + CommandLine.arguments {
      guard let real = realpath(word, nil) else { continue }
      defer { free(real) }
      let pieces = String(cString: real).split(separator: "/").dropLast()
      for count in stride(from: pieces.count, to: max(0, pieces.count - 3), by: -1) {
        let path = "/" + pieces.prefix(count).joined(separator: "/") + "/errandd"
        if access(path, X_OK) == 0 { return path }
      }
    }
    throw TestTimeout("errandd is not beside the tests")
  }

  /// What it has logged so far.
  var log: String { (try? StateFile.read(logPath)).flatMap { $0 } ?? "" }

  /// Waits for a text in the log, and gives the last line that has it.
  @discardableResult
  func logged(_ text: String) async throws -> String {
    try await waitUntil("\(text) in the log") { self.log.contains(text) }
    return log.split(separator: "\n").last { $0.contains(text) }.map(String.init) ?? ""
  }

  func send(_ number: Int32) { kill(pid, number) }

  /// Sends a signal that ends it, and gives its exit code; minus the signal if that killed it.
  func end(_ number: Int32) async -> Int32 {
    send(number)
    return await status()
  }

  /// Waits for its end.
  func status() async -> Int32 {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "waiting for errandd").async { [pid, isGone] in
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        isGone.withLock { $0 = true }
        continuation.resume(returning: status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f))
      }
    }
  }

  /// Calls its API.
  func call(_ method: HttpMethod, _ path: String, _ body: String? = nil) async throws -> (status: Int, json: JsonValue) {
    var request = HttpRequest("http://errand" + path, method: method)
    if let body { request.body = .json(Array(body.utf8)) }
    request.unixSocket = directory.file("errand.sock")
    request.acceptStatus = Array(400...599)
    let response = try await client.send(request)
    return (response.status, (try? JsonValue.parse(response.body)) ?? .null)
  }

  /// The bytes of an answer.
  func raw(_ path: String) async throws -> [UInt8] {
    var request = HttpRequest("http://errand" + path)
    request.unixSocket = directory.file("errand.sock")
    return try await client.send(request).body
  }

  /// Hands over a batch, and gives the answers to its lines.
  func lines(_ path: String, _ lines: [String]) async throws -> [JsonValue] {
    var request = HttpRequest("http://errand" + path, method: .post)
    request.body = .bytes(Array(lines.joined(separator: "\n").utf8), contentType: "application/x-ndjson")
    request.unixSocket = directory.file("errand.sock")
    return try await client.send(request).text.split(separator: "\n").map { try JsonValue.parse(Array($0.utf8)) }
  }

  /// Submits a request to nowhere and gives the event of its outcome.
  func outcome(_ more: String = "") async throws -> JsonValue {
    try await call(.post, "/v1/requests?wait=30", "{\"url\": \"http://127.0.0.1:1/\"\(more)}").json
  }
}
