import EventLoop
import Foundation
import HttpServer
import HttpWire
import TestSupport
import Testing

/// The examples of docs/guides, as they stand there: the Swift ones are compiled and run, the command lines are run.
@LoopActor
@Suite(.timeLimit(.minutes(5))) struct GuideTests {
  enum Guide: String, CaseIterable {
    case bodies = "Bodies"
    case downloads = "Downloads"
    case services = "Services"
    case credentials = "Credentials"
    case cache = "Cache"

    /// What the example prints.
    var output: [String] {
      switch self {
      case .bodies: ["200", "application/json utf-8 28", "[\"lamp\"]", "28"]
      case .downloads: ["1000 0", "file", "checksum"]
      case .services:
        [
          "{\"symbol\":\"ACME\",\"price\":7}", "ACME 7", "service stok is not known; there are: stock",
        ]
      case .credentials: ["200", "200", "[\"sid\"]"]
      case .cache: ["true 0", "200", "504"]
      }
    }
  }

  private nonisolated static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private nonisolated static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private nonisolated static func block(_ guide: Guide, _ language: String) throws -> String? {
    let text = try text("docs/guides/\(guide.rawValue.lowercased()).md")
    guard let start = text.range(of: "```\(language)\n"), let end = text.range(of: "\n```", range: start.upperBound..<text.endIndex) else {
      return nil
    }
    return String(text[start.upperBound..<end.lowerBound])
  }

  @Test(arguments: Guide.allCases) func theExampleIsTheOneThatIsCompiledAndItRuns(_ guide: Guide) async throws {
    let source = try Self.text("Examples/guides/\(guide.rawValue).swift")
    let block = try #require(try Self.block(guide, "swift"))
    let indented = block.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  " + $0 }.joined(
      separator: "\n")
    #expect(source.contains("{\n" + indented + "\n}\n"))
    let directory = try TemporaryDirectory()
    let path = guide == .bodies ? try directory.write("file.txt", Array("text".utf8)) : directory.path
    try await withTarget(Self.routes) { base in
      let ended = try await RunningProgram([Programs.path("errand-guides"), guide.rawValue.lowercased(), base, path]).wait()
      #expect(ended.lines == guide.output, "\(ended.errors)")
    }
  }

  @Test(arguments: Guide.allCases) func theCommandLinesRun(_ guide: Guide) async throws {
    guard let block = try Self.block(guide, "console") else { return }
    let directory = try TemporaryDirectory()
    let file = try directory.write("FILE", Array("text".utf8))
    try await withTarget(Self.routes) { base in
      for line in block.split(separator: "\n") where line.hasPrefix("$ errand ") {
        let command = line.dropFirst("$ errand ".count).replacing("http://127.0.0.1:8080", with: base)
          .replacing("@FILE", with: "@" + file).replacing("DIRECTORY", with: directory.path)
        let ended = try await Command.run("sh", "-c", "\(try Programs.path("errand")) \(command) --direct --fail")
        #expect(ended.status == 0, "\(line): \(ended.text)")
      }
    }
  }

  private static let routes: [String: @LoopActor (ServerRequest, Responder) -> Void] = [
    "/items": { request, responder in
      responder.respond(status: 200, headers: ["Content-Type": "application/json"], body: Array("[{\"name\":\"lamp\",\"price\":20}]".utf8))
    },
    "/file.bin": { request, responder in
      let body = [UInt8](repeating: 0x61, count: 1_000)
      guard let range = request.head.headers["Range"].flatMap({ $0.split(separator: "=").last })?.split(separator: "-"),
        let from = range.first.flatMap({ Int($0) })
      else { return responder.respond(status: 200, headers: ["ETag": "\"1\""], body: body) }
      guard from < body.count else { return responder.respond(status: 416, headers: ["Content-Range": "bytes */1000"], body: []) }
      let to = range.count > 1 ? min(Int(range[1]) ?? 999, 999) : 999
      responder.respond(
        status: 206, headers: ["ETag": "\"1\"", "Content-Range": "bytes \(from)-\(to)/1000"], body: Array(body[from...to]))
    },
    "/v2/quotes/ACME": { _, responder in
      let body = "{\"code\":\"0\",\"msg\":\"\",\"data\":{\"symbol\":\"ACME\",\"price\":7}}"
      responder.respond(status: 200, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
    },
    "/private": { request, responder in
      guard request.head.headers["Authorization"] == "Basic " + Base64.encode(Array("ann:secret".utf8)) else {
        return responder.text("who?", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
      }
      responder.text("in")
    },
    "/digest": { request, responder in
      guard request.head.headers["Authorization"]?.hasPrefix("Digest ") == true else {
        return responder.text("who?", status: 401, headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""])
      }
      responder.text("in")
    },
    "/token": { request, responder in
      guard request.head.headers["Authorization"] == "Bearer new" else {
        return responder.text("who?", status: 401, headers: ["WWW-Authenticate": "Bearer"])
      }
      responder.text("in")
    },
    "/login": { _, responder in responder.text("in", headers: ["Set-Cookie": "sid=1"]) },
    "/cached": { _, responder in responder.text("kept", headers: ["Cache-Control": "max-age=100"]) },
  ]
}
