import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// For how long a request may go on as a whole, where nobody says it.
@Suite("The total timeout by default", .oneAtATime, .timeLimit(.minutes(2)))
struct TotalTimeoutTests {
  enum Way: CaseIterable, Sendable { case memory, file, stream, pieces }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var client: Duration?
    var request: Duration?
    /// In seconds, of a body that is held in memory, and of others; 0 is none.
    let memory: Int64
    let streamed: Int64
  }

  private static let cases = [
    Case(testDescription: "nobody says it", memory: 60, streamed: 0),
    Case(testDescription: "the client says it", client: .seconds(40), memory: 40, streamed: 40),
    Case(testDescription: "the client says the default", client: .seconds(60), memory: 60, streamed: 60),
    Case(testDescription: "the client wants none", client: .zero, memory: 0, streamed: 0),
    Case(testDescription: "the request says it", request: .seconds(30), memory: 30, streamed: 30),
    Case(testDescription: "the request stands above the client", client: .seconds(40), request: .seconds(50), memory: 50, streamed: 50),
    Case(testDescription: "the request wants none", client: .seconds(40), request: .zero, memory: 0, streamed: 0),
  ]

  @Test("what streams its response has one only where it is given", arguments: cases, Way.allCases)
  func total(_ test: Case, way: Way) async throws {
    var configuration = HttpClient.Configuration()
    (configuration.proxy, configuration.followsNetworkChanges) = (.none, false)
    configuration.timeouts.total = test.client
    let directory = try TemporaryDirectory()
    try await scene(configuration) { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.timeouts.total = test.request
      let delegate = RecordingDelegate(way == .pieces ? [.bodyChunks] : [])
      var streamed: StreamedResponse?
      switch way {
      case .memory, .pieces: client.submit(request, delegate: delegate)
      case .file:
        request.download = Download(to: directory.file("file"))
        client.submit(request, delegate: delegate)
      case .stream: streamed = try await client.stream(request)
      }
      try await client.wait("half of the body") { $0.engine.table.all.first?.receivedCount == 4 }
      let (nanoseconds, isTimed) = try await client.onLoop { client in
        let item = try #require(client.engine.table.all.first)
        #expect(item.rules.nanoseconds(of: .idle) == 30_000_000_000 && item.phaseTimer != .none)
        return (item.rules.nanoseconds(of: .total), item.totalTimer != .none)
      }
      let expected = way == .memory ? test.memory : test.streamed
      #expect(nanoseconds == expected * 1_000_000_000 && isTimed == (expected > 0))
      await peer.writeInOneTurn([(1, "half")])
      if let streamed {
        var count = 0
        for try await piece in streamed.body { count += piece.count }
        #expect(count == 8)
      } else {
        #expect(try await delegate.outcomes.first(1)[0].event.response?.status == 200)
      }
    }
  }

  @Test("a request with other timeouts of its own, and a client with some, keep these defaults")
  func others() async throws {
    var configuration = HttpClient.Configuration()
    configuration.timeouts = Timeouts(connect: .seconds(5))
    let rules = RulesByExpectation(configuration)
    var request = HttpRequest("http://a.example/")
    request.timeouts.idle = .seconds(7)
    #expect(rules.rules(for: request, streams: false).nanoseconds(of: .total) == 60_000_000_000)
    #expect(rules.rules(for: request, streams: true).nanoseconds(of: .total) == 0)
    #expect(rules.rules(for: request, streams: true).nanoseconds(of: .connect) == 5_000_000_000)
    #expect(rules.rules(for: request, streams: true).nanoseconds(of: .idle) == 7_000_000_000)
  }
}
