import EventLoop
import HttpWire
import Testing

@testable import Errand

/// Names whose servers do not answer, beside hosts that do.
@Suite(.timeLimit(.minutes(1))) struct SilentNameTests {
  @Test func silentNamesDoNotUseUpTheConnectionsOfOtherHosts() async throws {
    let resolver = await StubResolver()
    let configuration = HttpClient.Configuration.test {
      $0.maxConnections = 4
      $0.resolver = resolver
    }
    try await scene(configuration) { connection, _ in
      connection.answer("healthy")
    } test: { client, peer in
      let url = await peer.url()
      let silent = (0..<40).map { number in Task { try await client.send(HttpRequest("http://silent-\(number % 10).test/")) } }
      try await resolver.asked.first(40)
      // The stub leaves names open and would leave this one too: a literal address asks nobody.
      await resolver.answerLiterals()
      for _ in 0..<20 {
        let response = try await client.send(HttpRequest(url))
        #expect(response.text == "healthy")
      }
      for task in silent { task.cancel() }
      for task in silent {
        let result = await task.result
        #expect(result.failure is HttpClientError)
      }
    }
  }

  @Test func namesThatAreAnsweredAtOnceStillKeepToTheTotalLimit() async throws {
    let resolver = await StubResolver()
    let configuration = HttpClient.Configuration.test {
      $0.maxConnections = 3
      $0.resolver = resolver
    }
    let open = Record<Int>("connections that the client has open at each request")
    let watched = Locked<HttpClient?>(nil)
    try await scene(configuration) { connection, _ in
      if let client = watched.withLock({ $0 }) { open.add(client.engine.pool.openCount) }
      connection.answer("ok")
    } test: { client, peer in
      watched.withLock { $0 = client }
      defer { watched.withLock { $0 = nil } }
      let port = await peer.address.port ?? 0
      let tasks = (0..<60).map { number in Task { try await client.send(HttpRequest("http://name-\(number % 20).test:\(port)/")) } }
      try await resolver.asked.first(60)
      await resolver.answerAll(.success([.loopback(port: 0)]))
      for task in tasks {
        let response = try await task.value
        #expect(response.text == "ok")
      }
      #expect(open.count == 60)
      #expect(open.all.max() ?? 0 <= 3)
    }
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
