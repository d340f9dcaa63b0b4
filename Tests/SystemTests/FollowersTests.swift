import Foundation
import TestSupport
import Testing

/// Twenty followers that come and go while twenty thousand events flow.
@Suite(.oneAtATime, .timeLimit(.minutes(10))) struct FollowersTests {
  @Test func `each follower sees all events of its mailbox, in order, wherever its connections end`() async throws {
    let driver = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Drivers/followers")
    let result = try await Command.run(["python3", driver.path, "--errandd", try Programs.path("errandd")])
    #expect(result.status == 0, "\(result.text)")
    print(result.text)
  }
}
