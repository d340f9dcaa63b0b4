import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Challenges to requests with bodies of every kind.
@Suite("Bodies and challenges", .oneAtATime, .timeLimit(.minutes(2)))
struct BodyAuthTests {
  enum Kind: CaseIterable {
    case none, bytes, large, form, json, multipart, file, filesInForm, replayableStream, streamOfKnownLength

    /// 3 bytes, or somewhat more.
    func body(_ directory: TemporaryDirectory) throws -> HttpBody? {
      switch self {
      case .none: nil
      case .bytes: .bytes(Array("abc".utf8))
      case .large: .bytes([UInt8](repeating: 0x61, count: 200_000))
      case .form: .form([HttpParam("a", "b")])
      case .json: .json(Array("{}".utf8))
      case .multipart: .multipart([.value("a", "b")])
      case .file: .file(try directory.write("file.txt", [UInt8](repeating: 0x62, count: 600_000)))
      case .filesInForm: .multipart([.file("f", try directory.write("part.txt", Array("abc".utf8)))])
      case .replayableStream: .stream(HttpBodyStream { Pieces() })
      case .streamOfKnownLength: .stream(HttpBodyStream(length: 6) { Pieces() })
      }
    }

    var canBeHashed: Bool {
      switch self {
      case .none, .bytes, .large, .form, .json, .multipart, .file: true
      case .filesInForm, .replayableStream, .streamOfKnownLength: false
      }
    }
  }

  private func withServer(
    _ change: (inout DigestServer.Settings) -> Void, _ body: (HttpClient, PeerProcess, String) async throws -> Void
  ) async throws {
    var settings = DigestServer.Settings()
    change(&settings)
    let server = try DigestServer.start(settings)
    let port = try await server.line(after: "port ")
    let client = HttpClient(.test)
    try await body(client, server, "http://127.0.0.1:\(port)/")
    await expectNothingLeft(client)
  }

  private func request(_ url: String, _ body: HttpBody?) -> HttpRequest {
    var request = HttpRequest(url, method: .put, body: body)
    request.credentials = .any(user: "Mufasa", password: "Circle of Life")
    return request
  }

  @Test("a body that can be made again is sent with the answer", arguments: Kind.allCases)
  func replayed(kind: Kind) async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, request in
      guard request.head.headers.contains("Authorization") else {
        return connection.answer("", status: 401, fields: "WWW-Authenticate: Digest realm=a, nonce=b, qop=auth\r\n")
      }
      connection.answer("\(request.bodyCount)")
    } test: { client, peer in
      let body = try kind.body(directory)
      let first = try await client.send(request(await peer.url(), body))
      let bodies = peer.requests.all.map(\.bodyCount)
      // A form's boundary is random, and a digit shorter at times.
      #expect(bodies.count == 2 && abs(bodies[0] - bodies[1]) <= 16 && first.text == "\(bodies[1])" && (bodies[0] > 0) == (body != nil))
    }
  }

  @Test("auth-int covers what is known before it is sent; of what is not, the 401 is the outcome", arguments: Kind.allCases)
  func authInt(kind: Kind) async throws {
    let directory = try TemporaryDirectory()
    try await withServer {
      $0.qop = "auth-int"
      $0.algorithms = ["SHA-256"]
    } _: { client, _, url in
      let body = try kind.body(directory)
      for _ in 0..<2 {
        if kind.canBeHashed {
          try await client.expect("ok", request(url, body))
        } else {
          let error = try await client.failure(request(url, body))
          #expect(error.code == .httpStatus && error.status == 401 && error.attempts == 1 && error.message.contains("auth-int"), "\(error)")
        }
      }
    }
  }

  @Test("a stream that can be sent once only ends with cannot_replay_body, and with what was answered")
  func once() async throws {
    try await withServer {
      _ = $0
    } _: { client, server, url in
      let error = try await client.failure(request(url, .stream(HttpBodyStream(once: Pieces()))))
      #expect(error.code == .cannotReplayBody && error.response?.status == 401 && error.message.contains("asks who it is"), "\(error)")
      #expect(server.output.contains("seen 401 PUT / none"))
      // With what was learned of an earlier request there is no second try.
      try await client.expect("ok", request(url, nil))
      try await client.expect("ok", request(url, .stream(HttpBodyStream(once: Pieces(), length: 6))))
    }
  }

  @Test("one that was held back for the server's 100 can be sent after all")
  func held() async throws {
    try await scene { _, _ in
    } test: { client, peer in
      await peer.watchHeads { connection, head in
        guard head.headers.contains("Authorization") else {
          connection.answer("", status: 401, fields: "WWW-Authenticate: Basic realm=a\r\nConnection: close\r\n")
          return true
        }
        connection.write("HTTP/1.1 100 Continue\r\n\r\n")
        return false
      }
      var request = request(await peer.url(), .stream(HttpBodyStream(once: Pieces(), length: 6)))
      request.headers = ["Expect": "100-continue"]
      let handle = client.submit(request, delegate: nil)
      let seen = try await peer.requests.first(1)
      #expect(seen[0].bodyCount == 6 && seen[0].head.headers["Authorization"]?.hasPrefix("Basic ") == true)
      await client.cancel(handle)
    }
  }

  @Test("a delegate is not asked about a body that could not be sent again")
  func delegate() async throws {
    try await scene { connection, _ in
      connection.answer("no", status: 401, fields: "WWW-Authenticate: Basic realm=a\r\n")
    } test: { client, peer in
      let delegate = RecordingDelegate(.challenges)
      client.submit(HttpRequest(await peer.url(), body: .stream(HttpBodyStream(once: Pieces()))), delegate: delegate)
      let error = try await delegate.outcomes.first(1)[0].event.error
      #expect(error?.code == .httpStatus && error?.status == 401 && error?.response?.text == "no")
    }
  }
}

/// `abc`, `def`.
private struct Pieces: AsyncSequence, Sendable {
  struct AsyncIterator: AsyncIteratorProtocol {
    var pieces = ["abc", "def"]
    mutating func next() async -> [UInt8]? { pieces.isEmpty ? nil : Array(pieces.removeFirst().utf8) }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
