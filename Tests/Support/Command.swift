internal import Dispatch
import Glibc

/// A program that a test runs.
public enum Command {
  public struct Result: Sendable {
    public let status: Int32
    public let output: [UInt8]
    public var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// Runs a program found in PATH to its end, on a thread of its own. Standard error goes with the output.
  public static func run(_ arguments: String...) async throws -> Result {
    try await run(arguments)
  }

  public static func run(_ arguments: [String]) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Swift.Result { try runBlocking(arguments) }) }
    }
  }

  private static func runBlocking(_ arguments: [String]) throws -> Result {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw TestTimeout("pipe: errno \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, arguments.first ?? "", &actions, nil, &words, environ)
    Glibc.close(ends[1])
    defer { Glibc.close(ends[0]) }
    guard failure == 0 else { throw TestTimeout("can't run \(arguments.first ?? "nothing"): errno \(failure)") }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(ends[0], &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      output += buffer[..<count]
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return Result(status: status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f), output: output)
  }
}
