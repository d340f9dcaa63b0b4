import EventLoop
import Foundation
import HttpServer
import HttpWire
import TestSupport
import Testing

/// The examples of README.md, as they stand there.
@LoopActor
@Suite(.oneAtATime, .timeLimit(.minutes(3))) struct ReadmeTests {
  private nonisolated static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The README's block in that language.
  private nonisolated static func block(_ language: String) throws -> String {
    let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let start = try #require(text.range(of: "```\(language)\n"))
    let end = try #require(text.range(of: "```\n", range: start.upperBound..<text.endIndex))
    return String(text[start.upperBound..<end.lowerBound])
  }

  @Test func theSwiftExampleIsTheOneThatIsCompiledAndItRuns() async throws {
    let source = try String(contentsOf: Self.root.appending(path: "Examples/quickstart/main.swift"), encoding: .utf8)
    #expect(try Self.block("swift") == source)
    // The post waits for its cancel.
    try await withTarget([
      "/": { request, responder in if request.head.method == .get { responder.text("answer to \(request.head.target)") } }
    ]) { base in
      let ended = try await RunningProgram([Programs.path("errand-quickstart"), base + "/"]).wait()
      #expect(ended.status == 0)
      #expect(ended.lines.sorted() == ["awaited: 200", "cancelling 2: cancelled", "list: 200 answer to /?q=swift"], "\(ended.errors)")
    }
  }

  @Test func thePythonExampleRunsWithTheStandardLibraryAlone() async throws {
    let script = try Self.block("python")
    #expect(script.split(separator: "\n").count <= 15)
    let folder = try TemporaryDirectory()
    try script.write(toFile: folder.file("example.py"), atomically: true, encoding: .utf8)
    try await withTarget(["/items": { _, responder in responder.text("[]") }]) { base in
      let daemon = try await RunningDaemon()
      let result = try await Command.run("python3", "-I", folder.file("example.py"), daemon.socket, base + "/items")
      await daemon.stop()
      #expect(result.text == "finished 7 list 200 None\n")
    }
  }
}
