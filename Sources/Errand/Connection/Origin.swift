internal import HttpWire

/// Where a request's connection goes. Connections are shared within an origin only.
struct Origin: Hashable, Sendable, CustomStringConvertible {
  let host: String
  /// How to connect, where that differs from the client's defaults: requests that ask for different things do not share connections.
  let options: ConnectionOptions?
  let port: UInt16
  let isSecure: Bool
  /// It is a proxy, whose connections carry the requests for any host.
  var isProxy = false

  var unixSocket: String? { options?.unixSocket }

  /// Whether one connection may turn out to carry many requests at a time.
  var mayShare: Bool {
    switch options?.version ?? .auto {
    case .auto: isSecure
    case .http1: false
    case .http2: true
    }
  }

  /// The proxy that is sent the requests themselves: its connections carry them, beside those for other hosts.
  var carrier: Origin? {
    guard !isProxy, let options, case .forward(let proxy) = options.proxy else { return nil }
    return Origin(
      host: proxy.host,
      options: ConnectionOptions(
        version: .http1, resolve: options.resolve, proxy: options.proxy, egress: options.egress, method: options.method,
        isOwnProxy: options.isOwnProxy),
      port: proxy.port,
      isSecure: false, isProxy: true)
  }

  /// What is resolved here on the way to it, for people.
  var resolvedNames: String {
    switch options?.proxy ?? .direct {
    case .direct: host
    case .tunnel(let proxy) where proxy.kind == .socks5: "\(host), and the proxy's \(proxy.host)"
    case .forward(let proxy), .tunnel(let proxy): "the proxy's \(proxy.host)"
    }
  }

  /// What a policy is asked about, with what is connected to.
  func egressTarget(host: String, port: UInt16) -> EgressTarget {
    EgressTarget(scheme: isSecure ? "https" : "http", host: host, port: port, method: options?.method?.rawValue)
  }

  var description: String {
    if let unixSocket { return "unix:\(unixSocket)" }
    return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
