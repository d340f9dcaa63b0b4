internal import EventLoop
import Glibc

/// A server program that runs beside a test and listens on a port of loopback.
public final class PeerProcess: Sendable {
  public let port: UInt16
  private let pid: pid_t
  private let logPath: String
  private let isGone = Locked(false)

  /// Runs `body` beside a server, and ends the server whatever happens. `arguments` is given a port that was free a moment ago; the server is
  /// there when it accepts connections. One that finds its port taken by then is started again with another.
  public static func with<Value>(
    isolation: isolated (any Actor)? = #isolation, in directory: TemporaryDirectory, _ arguments: (UInt16) throws -> [String],
    _ body: (UInt16) async throws -> Value
  ) async throws -> Value {
    var failure: any Error = TestTimeout("never started")
    for _ in 0..<3 {
      let port = try freePort()
      let process = try PeerProcess(arguments(port), port: port, log: directory.file("peer-\(port).log"))
      do {
        try await process.ready()
      } catch {
        process.end()
        failure = error
        continue
      }
      defer { process.end() }
      return try await body(port)
    }
    throw failure
  }

  private init(_ arguments: [String], port: UInt16, log: String) throws {
    self.port = port
    logPath = log
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // The loop's thread, on which tests run, has signals blocked; a program starts without.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, arguments.first ?? "", &actions, &attributes, &words, environ)
    guard failure == 0 else { throw TestTimeout("can't run \(arguments.first ?? "nothing"): errno \(failure)") }
    pid = process
  }

  deinit {
    end()
  }

  private func ready() async throws {
    try await waitUntil("a server on port \(port)") { self.hasEnded() || PeerProcess.accepts(self.port) }
    if hasEnded() { throw TestTimeout("the server on port \(port) ended: \(log)") }
  }

  private func hasEnded() -> Bool {
    isGone.withLock { isGone in
      var status: Int32 = 0
      if !isGone, waitpid(pid, &status, WNOHANG) == pid { isGone = true }
      return isGone
    }
  }

  private func end() {
    isGone.withLock { isGone in
      // Its number may be another's once it was waited for.
      guard !isGone else { return }
      isGone = true
      kill(pid, SIGKILL)
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
  }

  private var log: String {
    guard let file = fopen(logPath, "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    return String(decoding: bytes.prefix(fread(&bytes, 1, bytes.count, file)), as: UTF8.self)
  }

  // MARK: Ports of loopback

  private static func freePort() throws -> UInt16 {
    var found = sockaddr_in()
    let isBound = withSocket(port: 0) { descriptor, address, length in
      guard bind(descriptor, address, length) == 0 else { return false }
      var length = length
      return withUnsafeMutableBytes(of: &found) { raw in
        guard let base = raw.baseAddress else { return false }
        return getsockname(descriptor, base.assumingMemoryBound(to: sockaddr.self), &length) == 0
      }
    }
    guard isBound else { throw TestTimeout("no free port: errno \(errno)") }
    return UInt16(bigEndian: found.sin_port)
  }

  private static func accepts(_ port: UInt16) -> Bool {
    withSocket(port: port) { connect($0, $1, $2) == 0 }
  }

  private static func withSocket(port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      body(descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
