import EventLoop
import Glibc
import HttpServer
import HttpWire
import TestSupport
import Testing

/// nginx with certificates of the tests, spoken to by the built programs: through a daemon, and directly.
@LoopActor
final class TransportScene {
  let nginx: NginxServer
  let identity: TestIdentity
  let client: TestIdentity
  let root: String
  let directory: TemporaryDirectory

  /// Tells the protocol, the version of TLS, who the client is and what the proxy added.
  var secure: String { "https://localhost:\(nginx.ports[0])/" }
  /// Wants a client's certificate.
  var restricted: String { "https://localhost:\(nginx.ports[1])/" }
  /// TLS 1.2 only, HTTP/1.1 only.
  var old: String { "https://localhost:\(nginx.ports[2])/" }
  /// HTTP/2 in the clear.
  var clearHttp2: String { "http://127.0.0.1:\(nginx.ports[3])/" }
  var clear: String { "http://127.0.0.1:\(nginx.ports[4])/" }

  init() async throws {
    let identity = try await TestCertificates.shared.identity(.localhost)
    let root = try await TestCertificates.shared.rootFile
    let unix = try TemporaryDirectory()
    (self.identity, self.root, directory) = (identity, root, unix)
    client = try await TestCertificates.shared.identity(.client)
    let body = "$server_protocol $ssl_protocol [$ssl_client_s_dn] [$http_via] [$host]"
    let tls = "ssl_certificate \(identity.chainFile); ssl_certificate_key \(identity.keyFile);"
    let answer = "location / { return 200 \"\(body)\"; }"
    nginx = try await NginxServer(ports: 5) { ports in
      """
      server { listen 127.0.0.1:\(ports[0]) ssl http2; \(tls) \(answer) }
      server { listen 127.0.0.1:\(ports[1]) ssl http2; \(tls) ssl_client_certificate \(root); ssl_verify_client on; \(answer) }
      server { listen 127.0.0.1:\(ports[2]) ssl; \(tls) ssl_protocols TLSv1.2; \(answer) }
      server { listen 127.0.0.1:\(ports[3]) http2; \(answer) }
      server { listen 127.0.0.1:\(ports[4]); listen unix:\(unix.file("web")); \(answer) }
      """
    }
  }

  var unixSocket: String { directory.file("web") }

  /// Runs `body` with a way to run `errand`: once directly and once through a daemon with that configuration, told which.
  static func both(
    _ configuration: String? = nil, environment: [String: String] = [:],
    _ body: @LoopActor (TransportScene, _ way: String, _ errand: @LoopActor ([String]) async throws -> Ended) async throws -> Void
  ) async throws {
    let scene = try await TransportScene()
    defer { scene.nginx.stop() }
    try await body(scene, "direct") { words in
      try await errand(words + ["--direct"], environment: environment)
    }
    let daemon = try await RunningDaemon(configuration: configuration, environment: environment)
    do {
      try await body(scene, "daemon") { words in try await daemon.errand(words, environment: environment) }
    } catch {
      await daemon.stop()
      throw error
    }
    await daemon.stop()
  }
}
