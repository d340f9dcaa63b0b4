import Foundation
import TestSupport
import Testing

/// Webhooks to a receiver in Python that checks signatures with nothing of ours, and is not always there.
@Suite(.oneAtATime, .timeLimit(.minutes(5))) struct WebhookDriverTests {
  @Test func `every event is delivered in the end, in order, and with a good signature`() async throws {
    let driver = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Drivers/webhooks")
    let result = try await Command.run(["python3", driver.path, "--errandd", try Programs.path("errandd")])
    #expect(result.status == 0, "\(result.text)")
    print(result.text)
  }
}
