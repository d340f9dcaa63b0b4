import EventLoop
import Glibc
import TestSupport

/// A daemon that runs for one test.
@LoopActor
final class RunningDaemon {
  private let directory: TemporaryDirectory
  private var program: RunningProgram
  let socket: String
  private let options: [String]
  private let environment: [String: String]

  /// `configuration` is JSON5.
  init(configuration: String? = nil, environment: [String: String] = [:]) async throws {
    let directory = try TemporaryDirectory()
    (self.directory, self.environment) = (directory, environment)
    socket = directory.file("s")
    options = try configuration.map { ["--config", try directory.write("errandd.json5", Array($0.utf8))] } ?? []
    program = try RunningDaemon.launch(directory, options, environment)
    try await answers()
  }

  /// What it has logged so far.
  var log: String { program.errorText }

  func restart() async throws {
    await stop()
    program = try RunningDaemon.launch(directory, options, environment)
    try await answers()
  }

  /// Ends at once, whatever runs.
  func stop() async {
    program.send(SIGKILL)
    _ = await program.wait()
  }

  func start(_ words: String...) throws -> RunningProgram {
    try RunningProgram([Programs.path("errand")] + words, environment: ["ERRAND_SOCKET": socket])
  }

  func errand(_ words: String...) async throws -> Ended { try await errand(words) }

  func errand(_ words: [String], input: String? = nil, environment: [String: String] = [:]) async throws -> Ended {
    let variables = environment.merging(["ERRAND_SOCKET": socket]) { $1 }
    return try await RunningProgram([Programs.path("errand")] + words, input: input.map { Array($0.utf8) }, environment: variables).wait()
  }

  private static func launch(
    _ directory: TemporaryDirectory, _ options: [String], _ environment: [String: String]
  ) throws -> RunningProgram {
    let paths = ["--socket", directory.file("s"), "--state-dir", directory.file("state")]
    return try RunningProgram([Programs.path("errandd")] + paths + options, environment: environment)
  }

  private func answers() async throws {
    let deadline = Instant.now() + testPatience
    while try await errand("stats").status != 0 {
      guard Instant.now() < deadline else { throw TestTimeout("errandd does not answer: \(program.errorText)") }
      await pause(.milliseconds(5))
    }
  }
}
