import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite("Bodies over TLS", .oneAtATime)
struct TlsBodyTests {
  private static let content = [UInt8]((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

  /// Serves files, and takes those that are PUT.
  private func nginx(_ directory: TemporaryDirectory, _ more: String = "") async throws -> NginxServer {
    let identity = try await TestCertificates.shared.identity(.localhost)
    return try await NginxServer { ports in
      """
      server { listen 127.0.0.1:\(ports[0]) ssl http2; ssl_certificate \(identity.chainFile); ssl_certificate_key \(identity.keyFile);
        client_max_body_size 20m; root \(directory.path); \(more)
        location / { dav_methods PUT; }
        location /small { client_max_body_size 1k; return 200; }
      }
      """
    }
  }

  private func request(_ server: NginxServer, _ path: String, _ choice: HttpVersionChoice, put body: [UInt8]? = nil) -> HttpRequest {
    var request = HttpRequest("https://localhost:\(server.port)\(path)", method: body == nil ? .get : .put)
    request.body = body.map { .bytes($0) }
    request.httpVersion = choice
    return request
  }

  @Test(arguments: [HttpVersionChoice.http1, .http2]) func largeBodiesGoUpAndComeDownWhole(choice: HttpVersionChoice) async throws {
    let directory = try TemporaryDirectory()
    let server = try await nginx(directory)
    try await tlsScene { client in
      #expect(try await client.send(request(server, "/big", choice, put: Self.content)).status == 201)
      for _ in 0..<3 { #expect(try await client.send(request(server, "/big", choice)).body == Self.content) }
      for size in [0, 1, 16_384, 16_385, 262_144, 262_145] {
        _ = try await client.send(request(server, "/s\(size)", choice, put: Array(Self.content[..<size])))
        #expect(try await client.send(request(server, "/s\(size)", choice)).body == Array(Self.content[..<size]))
      }
      #expect(await client.stats().connectionsOpened == 1)
    }
  }

  @Test(arguments: [HttpVersionChoice.http1, .http2]) func aSlowDelegateHoldsTheServerBackAndGetsAll(choice: HttpVersionChoice) async throws
  {
    let directory = try TemporaryDirectory()
    try directory.write("big", Self.content)
    let server = try await nginx(directory)
    let gate = Gate()
    let delegate = RecordingDelegate(.bodyChunks) { event in if case .chunk = event { gate.pass() } }
    try await tlsScene { client in
      let handle = client.submit(request(server, "/big", choice), delegate: delegate)
      try await client.wait(for: handle) { $0.connection?.isPaused($0) == true }
      gate.open()
      #expect(try await delegate.outcomes.first(1).first?.event.name == "finished")
      let received = delegate.events.all.flatMap { entry -> [UInt8] in if case .chunk(let bytes) = entry.event { bytes } else { [] } }
      #expect(received == Self.content)
    }
  }

  @Test func aRefusedUploadIsAnsweredAllTheSame() async throws {
    let directory = try TemporaryDirectory()
    let server = try await nginx(directory)
    try await tlsScene { client in
      for choice: HttpVersionChoice in [.http1, .http2] {
        let error = try await client.failure(request(server, "/small", choice, put: Self.content))
        #expect(error.status == 413, "\(error)")
      }
    }
  }

  @Test func aBodyThatIsCutOffIsTruncatedAndOneThatEndsIsWhole() async throws {
    let peer = try await PythonPeer(PeerScripts.toEnd, try await PeerScripts.identity(.localhost))
    try await tlsScene { client in
      let whole = try await client.send(HttpRequest("https://localhost:\(peer.port)/end"))
      #expect(whole.text == "some of it" && whole.lengthUnknown)
      let error = try await client.failure(HttpRequest("https://localhost:\(peer.port)/cut"))
      #expect(error.code == .truncated && error.phase == .response)
      #expect(error.message == "the connection ended without close_notify, which TLS asks for")
    }
  }
}
