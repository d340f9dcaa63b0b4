import EventLoop
import TestSupport

@testable import Errand

/// A real HTTP/2 server in the clear, with files to serve.
struct Http2RealPeer: Sendable {
  enum Program: String, Sendable, CaseIterable {
    case nghttpd, nginx
  }

  let port: UInt16
  let output: @Sendable () -> String

  func request(_ path: String, method: HttpMethod? = nil, headers: HttpHeaders = [:], body: HttpBody? = nil) -> HttpRequest {
    var request = HttpRequest("http://127.0.0.1:\(port)\(path)", method: method, headers: headers, body: body)
    request.httpVersion = .http2
    return request
  }

  /// What the file of that name holds.
  static func contents(_ name: String, _ size: Int) -> [UInt8] {
    var bytes = Array("\(name) ".utf8)
    while bytes.count < size { bytes += bytes }
    return Array(bytes[..<size])
  }

  /// Runs `body` beside a server with `/small0` … `/small9` of 100 bytes and `/large0` … `/large9` of 3,000,000. `options` are nghttpd's;
  /// `settings` are nginx's.
  static func with(
    _ program: Program, options: [String] = [], settings: String = "", _ body: (Http2RealPeer) async throws -> Void
  ) async throws {
    let files = try TemporaryDirectory()
    for index in 0..<10 {
      try files.write("small\(index)", contents("small\(index)", 100))
      try files.write("large\(index)", contents("large\(index)", 3_000_000))
    }
    switch program {
    case .nghttpd:
      let log = try TemporaryDirectory()
      try await PeerProcess.with(in: log) { port in
        ["nghttpd", "--no-tls", "-v", "-a", "127.0.0.1", "-d", files.path] + options + [String(port)]
      } _: { port in
        try await body(Http2RealPeer(port: port, output: { PeerProcess.text(of: log.file("output")) }))
      }
    case .nginx:
      let server = try await NginxServer { ports in
        """
        server {
          listen 127.0.0.1:\(ports[0]) http2; root \(files.path); http2_max_concurrent_streams 2000; client_max_body_size 100m;
          \(settings)
          location /hello { return 200 "hello"; }
        }
        """
      }
      defer { server.stop() }
      try await body(Http2RealPeer(port: server.port, output: { server.process.output }))
    }
  }
}
