import EventLoop
import TestSupport
import Testing

@testable import Errand

extension TlsSettings {
  /// Trusts the root of the tests, and nobody else.
  static func test(_ change: (inout TlsSettings) -> Void = { _ in }) async throws -> TlsSettings {
    var settings = TlsSettings()
    settings.caFile = try await TestCertificates.shared.rootFile
    settings.useSystemStore = false
    change(&settings)
    return settings
  }
}

/// Runs a test with a client that trusts the root of the tests, and looks at what is left of it.
func tlsScene(_ test: (HttpClient) async throws -> Void) async throws {
  try await tlsScene({ _ in }, test: test)
}

/// The same with another configuration.
func tlsScene(_ change: (inout HttpClient.Configuration) -> Void, test: (HttpClient) async throws -> Void) async throws {
  var configuration = HttpClient.Configuration.test
  configuration.tls = try await .test()
  configuration.proxy = .none
  change(&configuration)
  let client = HttpClient(configuration)
  do {
    try await test(client)
  } catch {
    await client.shutdown(grace: .zero)
    throw error
  }
  await expectNothingLeft(client)
}

extension NginxServer {
  /// One server for each certificate, on a port of its own.
  static func serving(_ specs: [CertificateSpec], _ more: String = "", listen: String = "ssl http2") async throws -> NginxServer {
    var identities: [TestIdentity] = []
    for spec in specs { identities.append(try await TestCertificates.shared.identity(spec)) }
    let known = identities
    return try await NginxServer(ports: specs.count) { ports in
      zip(ports, known).map { port, identity in
        """
        server { listen 127.0.0.1:\(port) \(listen); listen [::1]:\(port) \(listen);
          ssl_certificate \(identity.chainFile); ssl_certificate_key \(identity.keyFile); \(more)
          location / { return 200 "$server_protocol $connection [$ssl_session_reused] [$ssl_server_name] $ssl_client_s_dn"; }
        }
        """
      }.joined()
    }
  }
}

/// Keeps the trace of each request when it ends.
@LoopActor
final class EndingTraces: OutcomeSink {
  nonisolated let traces = Record<RequestTrace>("traces")
  private let client: HttpClient

  nonisolated init(_ client: HttpClient) { self.client = client }

  func requestEnded(_ request: RequestInfo, _ outcome: Outcome) {
    if let trace = client.trace(request.handle) { traces.add(trace) }
  }
}
