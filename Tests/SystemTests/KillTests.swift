import Foundation
import Glibc
import TestSupport
import Testing

/// The daemon killed again and again while it is handed requests, by a driver in Python: its short form.
@Suite(.oneAtATime, .timeLimit(.minutes(10))) struct KillTests {
  @Test func `whenever it is killed, nothing that was taken is lost, told twice, or sent twice`() async throws {
    let driver = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Drivers/kill-daemon")
    let isSanitized = getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil
    let result = try await Command.run([
      "python3", driver.path, "--errandd", try Programs.path("errandd"), "--requests", isSanitized ? "1000" : "4000", "--kills",
      isSanitized ? "5" : "12",
    ])
    #expect(result.status == 0, "\(result.text)")
    print(result.text)
  }
}
