import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Against servers that are not ours.
@Suite(.timeLimit(.minutes(3))) struct Http2RealPeerTests {
  private func run(
    _ program: Http2RealPeer.Program, options: [String] = [], settings: String = "",
    _ configuration: HttpClient.Configuration = .test(perHost: 3_000), _ test: (HttpClient, Http2RealPeer) async throws -> Void
  ) async throws {
    try await Http2RealPeer.with(program, options: options, settings: settings) { peer in
      var configuration = configuration
      configuration.tls = try await .test()
      configuration.proxy = .none
      let client = HttpClient(configuration)
      do {
        try await test(client, peer)
      } catch {
        await client.shutdown(grace: .zero)
        throw error
      }
      await expectNothingLeft(client)
    }
  }

  @Test(arguments: Http2RealPeer.Program.allCases)
  func `files of any size come whole, on one connection`(program: Http2RealPeer.Program) async throws {
    try await run(program) { client, peer in
      let delegate = RecordingDelegate()
      for index in 0..<10 {
        client.submit(peer.request("/small\(index)"), delegate: delegate)
        client.submit(peer.request("/large\(index)"), delegate: delegate)
      }
      for outcome in try await delegate.outcomes.first(20) {
        let name = String(outcome.info.url.split(separator: "/").last ?? "")
        let response = try #require(outcome.event.response, "\(outcome.event)")
        #expect(response.version == .http2)
        #expect(response.body == Http2RealPeer.contents(name, name.hasPrefix("large") ? 3_000_000 : 100))
      }
      #expect(await client.stats().connectionsOpened == 1)
      let head = try await client.send(peer.request("/large1", method: .head))
      #expect(head.headers["content-length"] == "3000000")
      #expect(head.body == [])
      #expect(try await client.failure(peer.request("/none")).status == 404)
    }
  }

  @Test(arguments: Http2RealPeer.Program.allCases)
  func `10,000 requests, 500 at a time`(program: Http2RealPeer.Program) async throws {
    try await run(program, options: ["-m", "1000"], settings: "keepalive_requests 100000;", .test(perHost: 500)) { client, peer in
      let delegate = RecordingDelegate()
      for index in 0..<10_000 { client.submit(peer.request("/small\(index % 10)"), delegate: delegate) }
      let outcomes = try await delegate.outcomes.first(10_000)
      #expect(outcomes.allSatisfy { $0.event.response?.body.count == 100 })
      #expect(await client.stats().connectionsOpened <= 6)
    }
  }

  @Test(arguments: Http2RealPeer.Program.nghttpds, [1, 10])
  func `a server with few streams gets more connections`(program: Http2RealPeer.Program, limit: Int) async throws {
    try await run(program, options: ["-m", String(limit)]) { client, peer in
      let delegate = RecordingDelegate()
      for index in 0..<100 { client.submit(peer.request("/small\(index % 10)"), delegate: delegate) }
      let outcomes = try await delegate.outcomes.first(100)
      #expect(outcomes.allSatisfy { $0.event.response?.body.count == 100 })
      #expect(await client.stats().connectionsOpened <= 100 / UInt64(limit) + 2)
    }
  }

  @Test(arguments: Http2RealPeer.Program.nghttpds)
  func `1,000 cancels in the middle of responses are CANCEL to the server and cost no connection`(
    program: Http2RealPeer.Program
  ) async throws {
    let configuration = HttpClient.Configuration.test {
      $0.maxConnectionsPerHost = 3_000
      $0.http2.maxStreams = 2_000
      $0.http2.streamWindow = 20_000
    }
    try await run(program, options: ["-m", "2000"], configuration) { client, peer in
      _ = try await client.send(peer.request("/small0"))
      let cut = RecordingDelegate(.bodyChunks)
      let whole = RecordingDelegate()
      var handles: [RequestHandle] = []
      for index in 0..<1_000 {
        handles.append(client.submit(peer.request("/large\(index % 10)"), delegate: cut))
        if index % 10 == 0 { client.submit(peer.request("/small\(index / 10 % 10)"), delegate: whole) }
      }
      try await client.wait("the middle of all") { client in
        client.engine.table.all.count { $0.interests.contains(.bodyChunks) && $0.receivedCount > 0 } == 1_000
      }
      let receipts = try await client.cancelEach(handles)
      #expect(receipts.allSatisfy { $0.result == .cancelled && $0.connection == .kept })
      for outcome in try await whole.outcomes.first(100) {
        let name = String(outcome.info.url.split(separator: "/").last ?? "")
        #expect(outcome.event.response?.body == Http2RealPeer.contents(name, 100))
      }
      let last = try await client.send(peer.request("/large3"))
      #expect(last.body == Http2RealPeer.contents("large3", 3_000_000))
      #expect(await client.stats().connectionsOpened == 1)
      let resets = peer.output().components(of: "recv RST_STREAM frame")
      #expect(resets == 1_000)
      #expect(peer.output().components(of: "error_code=CANCEL(0x08)") == 1_000)
    }
  }

  @Test(arguments: Http2RealPeer.Program.nginxes)
  func `cancels at nginx cost no connection`(program: Http2RealPeer.Program) async throws {
    try await run(program, settings: "keepalive_requests 100000;") { client, peer in
      _ = try await client.send(peer.request("/small0"))
      for _ in 0..<10 {
        let cut = RecordingDelegate(.bodyChunks)
        let handles = (0..<100).map { client.submit(peer.request("/large\($0 % 10)"), delegate: cut) }
        try await cut.events.first(100)
        _ = try await client.cancelEach(handles)
      }
      let last = try await client.send(peer.request("/large3"))
      #expect(last.body == Http2RealPeer.contents("large3", 3_000_000))
      #expect(await client.stats().connectionsOpened == 1)
    }
  }

  @Test(arguments: Http2RealPeer.Program.nginxes)
  func `a server that limits requests on a connection loses none of them`(program: Http2RealPeer.Program) async throws {
    try await run(program, settings: "keepalive_requests 50;") { client, peer in
      let delegate = RecordingDelegate()
      for round in 0..<20 {
        for index in 0..<30 {
          client.submit(
            peer.request("/hello", method: index % 2 == 0 ? .post : .get, body: index % 2 == 0 ? .text("x") : nil), delegate: delegate)
        }
        let outcomes = try await delegate.outcomes.first((round + 1) * 30)
        #expect(outcomes.allSatisfy { $0.event.response?.text == "hello" })
      }
      #expect(await client.stats().connectionsOpened >= 600 / 50)
    }
  }

  @Test(arguments: Http2RealPeer.Program.allCases)
  func `uploads of many megabytes, several at a time`(program: Http2RealPeer.Program) async throws {
    let body = Http2RealPeer.contents("upload", 20_000_000)
    try await run(program, options: ["--echo-upload"], .test { $0.maxBodyBytes = 30_000_000 }) { client, peer in
      let delegate = RecordingDelegate(.uploadProgress)
      for _ in 0..<3 { client.submit(peer.request("/hello", method: .post, body: .bytes(body)), delegate: delegate) }
      for outcome in try await delegate.outcomes.first(3) {
        let response = try #require(outcome.event.response, "\(outcome.event)")
        #expect(program.isNghttpd ? response.body == body : response.text == "hello")
      }
    }
  }

  @Test(arguments: Http2RealPeer.Program.nghttpds)
  func `trailers and padded frames`(program: Http2RealPeer.Program) async throws {
    try await run(program, options: ["--trailer=x-sum: 42", "-b", "200"]) { client, peer in
      let response = try await client.send(peer.request("/large0"))
      #expect(response.body == Http2RealPeer.contents("large0", 3_000_000))
      #expect(response.trailers == ["x-sum": "42"])
    }
  }

  @Test(arguments: Http2RealPeer.Program.nghttpds)
  func `a pushing server is told not to`(program: Http2RealPeer.Program) async throws {
    try await run(program, options: ["-p", "/small0=/small1"]) { client, peer in
      let response = try await client.send(peer.request("/small0"))
      #expect(response.body.count == 100)
      #expect(!peer.output().contains("send PUSH_PROMISE"))
    }
  }

  @Test(arguments: Http2RealPeer.Program.nghttpds)
  func `small windows at the server make uploads slow and not wrong`(program: Http2RealPeer.Program) async throws {
    try await run(program, options: ["-w", "10", "-W", "10", "--echo-upload"]) { client, peer in
      let body = Http2RealPeer.contents("upload", 200_000)
      let response = try await client.send(peer.request("/x", method: .post, body: .bytes(body)))
      #expect(response.body == body)
    }
  }
}

extension String {
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
