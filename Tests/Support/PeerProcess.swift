internal import EventLoop
public import Glibc

/// A program that runs beside a test as its peer, and is ended with the value. What it writes is kept.
public final class PeerProcess: Sendable {
  public let directory: TemporaryDirectory
  private let process: pid_t
  private let state = Locked<Int32?>(nil)

  /// Starts a program found in PATH, in a directory of its own. `input` stays open and empty if true, for programs that end with it.
  public init(_ arguments: [String], in directory: TemporaryDirectory? = nil, keepsInput: Bool = false) throws {
    let directory = try directory ?? TemporaryDirectory()
    self.directory = directory
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if keepsInput {
      guard mkfifo(directory.file("input"), 0o600) == 0 else { throw TestTimeout("mkfifo: errno \(errno)") }
      posix_spawn_file_actions_addopen(&actions, 0, directory.file("input"), O_RDWR, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_addopen(&actions, 1, directory.file("output"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // The loop's thread, on which tests run, has signals blocked; a program starts without.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    // What it starts itself ends with it.
    posix_spawnattr_setpgroup(&attributes, 0)
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, arguments.first ?? "", &actions, &attributes, &words, environ)
    guard failure == 0 else { throw TestTimeout("can't run \(arguments.first ?? "nothing"): errno \(failure)") }
    self.process = process
  }

  deinit {
    end(with: SIGKILL)
  }

  /// Sends a signal and waits for the end, once.
  public func end(with signal: Int32 = SIGTERM) {
    state.withLock { state in
      guard state == nil else { return }
      kill(-process, signal)
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      state = status
    }
  }

  /// Whether it has ended by itself.
  public var hasEnded: Bool {
    state.withLock { state in
      if state != nil { return true }
      var status: Int32 = 0
      guard waitpid(process, &status, WNOHANG) == process else { return false }
      state = status
      return true
    }
  }

  /// All that it has written to its standard output and error.
  public var output: String { PeerProcess.text(of: directory.file("output")) }

  /// Waits for a line that begins with `prefix`, and gives what follows in it.
  public func line(after prefix: String) async throws -> String {
    try await waitUntil("\(prefix.debugDescription) from a peer") { self.firstLine(after: prefix) != nil || self.hasEnded }
    guard let found = firstLine(after: prefix) else { throw TestTimeout("the peer ended: \(output)") }
    return found
  }

  private func firstLine(after prefix: String) -> String? {
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
  }

  /// The content of a file; empty if there is none.
  public static func text(of path: String) -> String {
    guard let stream = fopen(path, "r") else { return "" }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, stream), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
