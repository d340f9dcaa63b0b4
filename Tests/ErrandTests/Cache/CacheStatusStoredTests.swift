import HttpWire
import TestSupport
import Testing

@testable import Errand

/// `stored` in Cache-Status (RFC 9211 section 2.5) is said of what was stored.
@Suite("What Cache-Status says of storing", .oneAtATime, .timeLimit(.minutes(2)))
struct CacheStatusStoredTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let memory: Int
    let largest: Int
    var coding = ""
    var isChunked = false
    let isStored: Bool
  }

  private static let body = String(repeating: "0123456789", count: 2_000)

  private static let cases = [
    Case(testDescription: "small enough", memory: 1_000_000, largest: 100_000, isStored: true),
    Case(testDescription: "chunked", memory: 1_000_000, largest: 100_000, isChunked: true, isStored: true),
    Case(testDescription: "small enough when it is decoded", memory: 1_000_000, largest: 100_000, coding: "gzip", isStored: true),
    Case(testDescription: "above the largest entry", memory: 1_000_000, largest: 10_000, isStored: false),
    Case(testDescription: "chunked, above the largest entry", memory: 1_000_000, largest: 10_000, isChunked: true, isStored: false),
    Case(testDescription: "small until it is decoded", memory: 1_000_000, largest: 10_000, coding: "gzip", isStored: false),
    Case(testDescription: "above the memory", memory: 10_000, largest: 100_000, isStored: false),
    Case(testDescription: "no memory at all", memory: 0, largest: 100_000, isStored: false),
  ]

  @Test("it is said of what was stored, and of nothing else", arguments: cases)
  func stored(_ test: Case) async throws {
    let content = test.coding.isEmpty ? Array(Self.body.utf8) : try await CodedFormat.gzip.encode(Array(Self.body.utf8))
    let cache = HttpCache(.test { ($0.memoryBytes, $0.largestEntry) = (test.memory, test.largest) })
    try await scene(
      .test {
        $0.cache = cache
        $0.cachePolicy = .default
      }
    ) { connection, _ in
      let coding = test.coding.isEmpty ? "" : "Content-Encoding: \(test.coding)\r\n"
      let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=100\r\nCache-Status: Before; hit\r\n\(coding)"
      if test.isChunked {
        connection.write("\(head)Transfer-Encoding: chunked\r\n\r\n\(String(content.count, radix: 16))\r\n")
        connection.write(content)
        connection.write("\r\n0\r\n\r\n")
      } else {
        connection.write("\(head)Content-Length: \(content.count)\r\n\r\n")
        connection.write(content)
      }
    } test: { client, peer in
      let request = HttpRequest(await peer.url())
      let first = try await client.send(request)
      #expect(first.text == Self.body)
      let words = test.isStored ? "; stored" : ""
      #expect(first.headers.values("Cache-Status") == ["Before; hit", "Errand; fwd=uri-miss; fwd-status=200\(words)"])
      let second = try await client.send(request)
      #expect(second.text == Self.body)
      #expect(second.headers.values("Cache-Status").last?.hasPrefix("Errand; hit") == test.isStored)
      #expect(peer.requests.count == (test.isStored ? 1 : 2))
      #expect(cache.statistics.stored == (test.isStored ? 1 : 0))
    }
  }

  @Test("a delegate that is told of the head before the body is told nothing that may not come true")
  func early() async throws {
    try await scene(
      .test {
        $0.cache = HttpCache()
        $0.cachePolicy = .default
      }
    ) { connection, _ in
      connection.answer("stored", fields: "Cache-Control: max-age=100\r\n")
    } test: { client, peer in
      let delegate = RecordingDelegate([.head])
      client.submit(HttpRequest(await peer.url()), delegate: delegate)
      let outcome = try await delegate.outcomes.first(1)[0]
      let told = delegate.events.all.compactMap { if case .head(let head) = $0.event { head } else { nil } }
      #expect(told.map { $0.headers["Cache-Status"] } == ["Errand; fwd=uri-miss; fwd-status=200"])
      #expect(outcome.event.response?.headers["Cache-Status"] == "Errand; fwd=uri-miss; fwd-status=200; stored")
    }
  }

  @Test("a validated answer that has become too large is not said to be stored")
  func validated() async throws {
    let cache = HttpCache(.test { $0.largestEntry = 2_000 })
    try await scene(
      .test {
        $0.cache = cache
        $0.cachePolicy = .default
      }
    ) { connection, request in
      guard request.head.headers.contains("If-None-Match") else {
        return connection.answer("stored", fields: "Cache-Control: max-age=0\r\nETag: \"1\"\r\n")
      }
      connection.write("HTTP/1.1 304 Same\r\nX-Long: \(String(repeating: "x", count: 3_000))\r\n\r\n")
    } test: { client, peer in
      let request = HttpRequest(await peer.url())
      #expect(try await client.send(request).headers["Cache-Status"]?.hasSuffix("; stored") == true)
      let second = try await client.send(request)
      #expect(second.text == "stored" && second.headers["Cache-Status"] == "Errand; fwd=stale; fwd-status=304")
      #expect(try await client.send(request).headers["Cache-Status"]?.hasPrefix("Errand; fwd=uri-miss") == true)
    }
  }
}
