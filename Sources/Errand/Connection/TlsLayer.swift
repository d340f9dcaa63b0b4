internal import EventLoop

/// Agrees on TLS with the origin, or with the proxy on the way to it.
@LoopActor
final class TlsLayer: StreamLayer {
  private let context: TlsContext
  private let host: String
  private let port: UInt16
  private let version: HttpVersionChoice
  /// nil: with the origin.
  private let proxy: Proxy?
  private var tls: TlsStream?
  private var begun: Instant?

  /// With an origin.
  init(_ context: TlsContext, host: String, port: UInt16, version: HttpVersionChoice) {
    self.context = context
    self.host = host
    self.port = port
    self.version = version
    proxy = nil
  }

  /// With a proxy, which is spoken to in HTTP/1.1.
  init(_ context: TlsContext, with proxy: Proxy) {
    self.context = context
    self.proxy = proxy
    (host, port, version) = (proxy.host, proxy.port, .http1)
  }

  private var prefix: String { proxy.map { "the proxy \($0): " } ?? "" }

  var isPaced: Bool { true }
  var explanation: String { "in the TLS handshake with \(proxy.map { "the proxy \($0)" } ?? "\(host):\(port)")" }
  private(set) var tlsTime: Int64 = 0

  var step: RequestTrace.Moment {
    RequestTrace.Moment(at: EventLoop.shared.now, event: "tls", note: prefix + (tls?.facts?.words ?? ""))
  }

  func advance(over stream: ByteStream) -> LayerProgress {
    let now = Instant.now()
    let began = begun ?? now
    begun = began
    let tls = self.tls ?? TlsStream(context, over: stream, host: host, port: port, alpn: version.protocols, resume: true)
    self.tls = tls
    switch tls.handshake() {
    case .wantsRead: return .wants(.read)
    case .wantsWrite: return .wants(.write)
    case .failed(let error): return .failed(failure(error))
    case .done:
      tlsTime = Instant.now().microseconds(since: began)
      if version == .http2, tls.facts?.alpn != "h2" {
        return .failed(failure(TlsError(.refused, "\(host) does not offer HTTP/2")))
      }
      return .done(ByteStream(tls))
    }
  }

  private func failure(_ error: TlsError) -> ConnectFailure {
    // A server that restarts cuts handshakes; the rest of what can go wrong stays wrong.
    let mayPass = error.kind == .closed || error.kind == .connection
    return ConnectFailure(code: .tls, phase: .tls, message: "\(prefix)\(error)", mayPass: mayPass)
  }
}

extension TlsFacts {
  /// For the timeline: such as `TLSv1.3, TLS_AES_256_GCM_SHA384, resumed, h2, certificate CN=api.example.com`.
  var words: String {
    var parts = [version, cipher]
    if isResumed { parts.append("resumed") }
    if let alpn { parts.append(alpn) }
    parts.append("certificate \(subject)")
    if !isVerified { parts.append("NOT VERIFIED") }
    return parts.joined(separator: ", ")
  }
}

extension HttpVersionChoice {
  /// What is offered in TLS (RFC 7301).
  fileprivate var protocols: [String] {
    switch self {
    case .auto: ["h2", "http/1.1"]
    case .http1: ["http/1.1"]
    case .http2: ["h2"]
    }
  }
}
