import Glibc
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct LogTests {
  private func written(_ level: LogLevel, _ format: LogFormat, limit: Int = 100, _ body: (Log) -> Void) throws -> [String] {
    let directory = try TemporaryDirectory()
    let descriptor = open(directory.file("log"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
    defer { close(descriptor) }
    let log = Log(descriptor: descriptor, level: level, format: format, limit: limit)
    body(log)
    log.flush()
    return (try StateFile.read(directory.file("log")) ?? "").split(separator: "\n").map(String.init)
  }

  @Test func `logfmt quotes what needs it`() throws {
    let lines = try written(.info, .logfmt) { log in
      log.write(.info, "two words", [("plain", "a/b:1"), ("empty", ""), ("odd", "a \"b\"\nc=d")])
      log.write(.debug, "not this one")
    }
    #expect(lines.count == 1)
    #expect(lines[0].hasSuffix(" level=info msg=\"two words\" plain=a/b:1 empty=\"\" odd=\"a \\\"b\\\"\\nc=d\""))
    #expect(lines[0].hasPrefix("time=20"))
  }

  @Test func `JSON lines are JSON`() throws {
    let lines = try written(.debug, .json) { $0.write(.warning, "m", [("a", "b\u{1}")]) }
    let json = try JsonValue.parse(Array(lines[0].utf8))
    #expect(json["level"]?.string == "warning")
    #expect(json["message"]?.string == "m")
    #expect(json["a"]?.string == "b\u{1}")
  }

  @Test func `times are those of RFC 3339`() {
    #expect(LogLine.time(0, 7) == "1970-01-01T00:00:00.007Z")
    #expect(LogLine.time(1_709_209_845, 120) == "2024-02-29T12:30:45.120Z")
  }

  @Test func `a log that nobody reads drops lines and counts them, and holds nobody up`() throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let log = Log(descriptor: ends[1], limit: 10)
    let text = String(repeating: "x", count: 10_000)
    for _ in 0..<1_000 { log.write(.info, "line", [("text", text)]) }
    #expect(log.droppedCount > 900)
    #expect(!log.flush(limit: .milliseconds(20)))
    close(ends[0])
    log.flush()
    close(ends[1])
  }
}
