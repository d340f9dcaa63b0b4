import EventLoop
import HttpWire
import Testing

@testable import Errand

/// Requests that can't be sent: refused before anything is connected, with the part that is wrong.
@Suite(.timeLimit(.minutes(1))) struct RefusedTests {
  static let cases: [(HttpRequest, field: String, words: String)] = [
    (HttpRequest("ftp://localhost/"), "url", "scheme"),
    (HttpRequest("nonsense"), "url", "URL"),
    (HttpRequest("http://m%0Ae:secret@localhost/"), "url", "credentials"),
    (HttpRequest("http://localhost/a b"), "url", "space"),
    (HttpRequest("http://localhost/", method: .connect), "method", "CONNECT"),
    (HttpRequest("http://localhost/", headers: ["X": "a\r\nY: b"]), "headers", "X"),
    (HttpRequest("http://localhost/", headers: ["Content-Length": "7"]), "headers", "Content-Length"),
  ]

  @Test(arguments: cases.indices) func whatIsWrongIsNamedAndNothingIsShownOfIt(index: Int) async throws {
    let (request, field, words) = Self.cases[index]
    let client = HttpClient()
    let error = try await client.failure(request)
    #expect(error.code == .invalidRequest)
    #expect(error.field == field)
    #expect(error.sent == .notSent)
    #expect(error.message.contains(words), "\(error.message)")
    #expect(!error.message.contains("secret"))
    #expect(await client.stats().connectionsOpened == 0)
    await client.shutdown(grace: .zero)
  }

  @Test func aTimeoutSaysWhichLimitAndHowLong() async throws {
    try await scene { _, _ in
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.timeouts.firstByte = .milliseconds(30)
      let error = try await client.failure(request)
      #expect(error.code == .timeout)
      #expect(error.message == "no response in time (first_byte timeout of 30 ms)")
    }
  }
}
