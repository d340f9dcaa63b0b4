import Dispatch
import EventLoop
import Glibc
import HttpServer
import HttpWire
import TestSupport

/// The built programs, beside the tests.
enum Programs {
  static func path(_ name: String) throws -> String {
    for word in ["/proc/self/exe"] + CommandLine.arguments {
      guard let real = realpath(word, nil) else { continue }
      defer { free(real) }
      let directory = String(cString: real).split(separator: "/").dropLast()
      for end in stride(from: directory.count, to: max(0, directory.count - 3), by: -1) {
        let path = "/" + directory.prefix(end).joined(separator: "/") + "/" + name
        if access(path, X_OK) == 0 { return path }
      }
    }
    throw TestTimeout("the program \(name) is not beside the tests")
  }
}

/// How a program ended, and what it said.
struct Ended: Sendable {
  let status: Int32
  let output: [UInt8]
  let errors: String
  var text: String { String(decoding: output, as: UTF8.self) }
  var lines: [String] { text.split(separator: "\n").map(String.init) }
}

/// A program that runs beside the test.
final class RunningProgram: Sendable {
  let pid: pid_t
  /// The lines of its standard output, as they come.
  let lines: AsyncStream<String>
  private let output = Locked<[UInt8]>([])
  private let errors = Locked<[UInt8]>([])
  private let readers = DispatchGroup()

  init(_ words: [String], input: [UInt8]? = nil, environment: [String: String] = [:], outputIsClosed: Bool = false) throws {
    // A program need not read its input to the end.
    signal(SIGPIPE, SIG_IGN)
    let ends = try RunningProgram.pipes(3)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    posix_spawn_file_actions_adddup2(&actions, ends[3], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[5], 2)
    // What surrounds the tests must not change what the programs do.
    var variables = ["PATH=/usr/bin:/bin", "ERRAND_SOCKET=/nonexistent/errand.sock"].filter {
      !environment.keys.contains("ERRAND_SOCKET") || !$0.hasPrefix("ERRAND")
    }
    variables += environment.map { "\($0.key)=\($0.value)" }
    for name in ["ASAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"] {
      if let value = getenv(name) { variables.append("\(name)=\(String(cString: value))") }
    }
    let argv = words.map { strdup($0) } + [nil]
    let envp = variables.map { strdup($0) } + [nil]
    defer { for word in argv + envp { free(word) } }
    // The loop's thread, on which tests run, has signals blocked; a program starts without.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    sigaddset(&mask, SIGPIPE)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&mask, number) }
    posix_spawnattr_setsigdefault(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var process: pid_t = 0
    let failure = posix_spawn(&process, words[0], &actions, &attributes, argv, envp)
    for end in [ends[0], ends[3], ends[5]] { close(end) }
    guard failure == 0 else { throw TestTimeout("can't run \(words[0]): errno \(failure)") }
    pid = process
    let (lines, continuation) = AsyncStream<String>.makeStream()
    self.lines = lines
    let inputEnd = ends[1]
    RunningProgram.thread.async {
      RunningProgram.write(input ?? [], to: inputEnd)
      close(inputEnd)
    }
    if outputIsClosed {
      close(ends[2])
      continuation.finish()
    } else {
      let begun = Locked<[UInt8]>([])
      RunningProgram.read(ends[2], readers) { [output] piece in
        output.withLock { $0 += piece }
        let ready = begun.withLock { begun in
          var lines = piece.split(separator: 0x0a, omittingEmptySubsequences: false)
          guard lines.count > 1 else {
            begun += piece
            return [String]()
          }
          let rest = Array(lines.removeLast())
          let first = begun + lines.removeFirst()
          begun = rest
          return ([first[...]] + lines).map { String(decoding: $0, as: UTF8.self) }
        }
        for line in ready { continuation.yield(line) }
      } end: {
        continuation.finish()
      }
    }
    RunningProgram.read(ends[4], readers) { [errors] piece in
      errors.withLock { $0 += piece }
    } end: {
    }
  }

  /// What standard error has so far.
  var errorText: String { errors.withLock { String(decoding: $0, as: UTF8.self) } }

  func send(_ number: Int32) { kill(pid, number) }

  /// Waits for its end.
  func wait() async -> Ended {
    await withCheckedContinuation { continuation in
      RunningProgram.thread.async { [self] in
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        readers.wait()
        let code = status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f)
        continuation.resume(returning: Ended(status: code, output: output.withLock { $0 }, errors: errorText))
      }
    }
  }

  /// What blocks has a queue, and with it a thread, of its own: the global queues have few threads, and many tests run at once.
  private static var thread: DispatchQueue { DispatchQueue(label: "running program") }

  /// Read and write ends, not inherited. Another program that is started at the same moment may inherit them all the same, and so keep an
  /// end open until it ends: that delays a test at the most.
  private static func pipes(_ count: Int) throws -> [Int32] {
    var all: [Int32] = []
    for _ in 0..<count {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw TestTimeout("pipe: errno \(errno)") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      all += ends
    }
    return all
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func read(
    _ descriptor: Int32, _ group: DispatchGroup, _ piece: @escaping @Sendable ([UInt8]) -> Void, end: @escaping @Sendable () -> Void
  ) {
    thread.async(group: group) {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        piece(Array(buffer[..<count]))
      }
      close(descriptor)
      end()
    }
  }
}

/// Runs `errand` to its end.
func errand(_ words: String..., input: String? = nil, environment: [String: String] = [:]) async throws -> Ended {
  try await errand(words, input: input, environment: environment)
}

func errand(_ words: [String], input: String? = nil, environment: [String: String] = [:]) async throws -> Ended {
  try await RunningProgram([Programs.path("errand")] + words, input: input.map { Array($0.utf8) }, environment: environment).wait()
}

/// A scripted server for one test: `routes` by path.
@LoopActor
func withTarget(
  _ routes: [String: @LoopActor (ServerRequest, Responder) -> Void], _ body: @LoopActor (String) async throws -> Void
) async throws {
  let server = HttpServer()
  for (path, route) in routes { server.register(ClosureHandler(path: path, route)) }
  let address = try server.listen(on: .loopback(port: 0))
  do {
    try await body("http://\(address)")
  } catch {
    await server.close(grace: .zero)
    throw error
  }
  await server.close(grace: .zero)
}

extension Responder {
  func text(_ text: String, status: Int = 200, headers: HttpHeaders = ["Content-Type": "text/plain"]) {
    respond(status: status, headers: headers, body: Array(text.utf8))
  }
}

extension ServerRequest {
  var text: String { String(decoding: body, as: UTF8.self) }
}
