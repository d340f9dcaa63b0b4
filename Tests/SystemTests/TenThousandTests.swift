import Foundation
import Glibc
import TestSupport
import Testing

/// The daemon under ten thousand requests that never get an answer, by a driver in Python with nginx and a Python server.
@Suite(.oneAtATime, .timeLimit(.minutes(10))) struct TenThousandTests {
  /// What is journaled is let go of in another order than it came, and leaves more pages with something in them: 9 to 11 MB were measured, and
  /// no more after a second burst.
  @Test(arguments: [("volatile", 8_192, 2), ("journaled", 14_336, 2)])
  func tenThousandInFlightEachHaveOneOutcomeAndLeaveNothingBehind(durability: String, kilobytes: Int, rounds: Int) async throws {
    let driver = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Drivers/ten-thousand")
    var words = [
      "python3", driver.path, "--errandd", try Programs.path("errandd"), "--durability", durability, "--memory-kb", "\(kilobytes)",
    ]
    // A sanitizer keeps freed memory to catch its use, and is slow.
    let isSanitized = getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil
    words += isSanitized ? ["--ignore-memory", "--timeout-s", "90", "--rounds", "1"] : ["--timeout-s", "20", "--rounds", "\(rounds)"]
    let result = try await Command.run(words)
    #expect(result.status == 0, "\(result.text)")
    print(result.text)
  }
}
