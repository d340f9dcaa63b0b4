import EventLoop
import TestSupport

@testable import Errand

/// A real HTTP/2 server with files to serve: in the clear with prior knowledge, or in TLS, where ALPN decides.
struct Http2RealPeer: Sendable {
  enum Program: String, Sendable, CaseIterable {
    case nghttpd, nginx
    case nghttpdTls = "nghttpd over TLS"
    case nginxTls = "nginx over TLS"

    static let nghttpds = [Program.nghttpd, .nghttpdTls]
    static let nginxes = [Program.nginx, .nginxTls]

    var isSecure: Bool { self == .nghttpdTls || self == .nginxTls }
    var isNghttpd: Bool { self == .nghttpd || self == .nghttpdTls }
  }

  let port: UInt16
  let isSecure: Bool
  let output: @Sendable () -> String

  func request(_ path: String, method: HttpMethod? = nil, headers: HttpHeaders = [:], body: HttpBody? = nil) -> HttpRequest {
    let origin = isSecure ? "https://localhost" : "http://127.0.0.1"
    var request = HttpRequest("\(origin):\(port)\(path)", method: method, headers: headers, body: body)
    if !isSecure { request.httpVersion = .http2 }
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
    let identity = try await TestCertificates.shared.identity(.localhost)
    if program.isNghttpd {
      let log = try TemporaryDirectory()
      let (before, after) = program.isSecure ? ([], [identity.keyFile, identity.chainFile]) : (["--no-tls"], [])
      try await PeerProcess.with(in: log) { port in
        ["nghttpd", "-v", "-a", "127.0.0.1", "-d", files.path] + before + options + [String(port)] + after
      } _: { port in
        try await body(Http2RealPeer(port: port, isSecure: program.isSecure, output: { PeerProcess.text(of: log.file("output")) }))
      }
    } else {
      let listen = program.isSecure ? "ssl http2" : "http2"
      let server = try await NginxServer { ports in
        """
        server {
          listen 127.0.0.1:\(ports[0]) \(listen); ssl_certificate \(identity.chainFile); ssl_certificate_key \(identity.keyFile); root \(files.path); http2_max_concurrent_streams 2000; client_max_body_size 100m;
          \(settings)
          location /hello { return 200 "hello"; }
        }
        """
      }
      defer { server.stop() }
      try await body(Http2RealPeer(port: server.port, isSecure: program.isSecure, output: { server.process.output }))
    }
  }
}
