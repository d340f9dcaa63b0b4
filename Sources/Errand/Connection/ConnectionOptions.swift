internal import EventLoop

/// How to connect, where a request does not leave that to its client. A value behind one reference: requests in flight are many.
final class ConnectionOptions: Hashable, Sendable {
  let version: HttpVersionChoice
  /// Go before those of the client.
  let resolve: [ResolveOverride]
  let proxy: ProxyPlan
  /// One for each of the settings in use, so that its identity is its value.
  let tls: TlsContext?
  /// Instead of the host.
  let unixSocket: String?
  /// Which addresses may be connected to.
  let egress: EgressPolicy?
  /// For a policy with rules on methods: what is on one connection is under the same rules.
  let method: HttpMethod?
  /// The request itself chose the proxy.
  let isOwnProxy: Bool

  init(
    version: HttpVersionChoice, resolve: [ResolveOverride] = [], proxy: ProxyPlan = .direct, tls: TlsContext? = nil,
    unixSocket: String? = nil, egress: EgressPolicy? = nil, method: HttpMethod? = nil, isOwnProxy: Bool = false
  ) {
    self.egress = egress
    self.method = method
    self.isOwnProxy = isOwnProxy
    self.unixSocket = unixSocket
    self.version = version
    self.resolve = resolve
    self.proxy = proxy
    self.tls = tls
  }

  /// nil where the request leaves all to its client, which goes there directly.
  static func of(_ request: HttpRequest, _ proxy: ProxyPlan, _ tls: TlsContext?, _ method: HttpMethod) -> ConnectionOptions? {
    if tls == nil, case .direct = proxy {
      guard let box = request.optionBox else { return nil }
      if box.value.httpVersion == .auto, box.value.resolve.isEmpty, box.value.unixSocket == nil, box.value.egress == nil { return nil }
    }
    return ConnectionOptions(
      version: request.httpVersion, resolve: request.resolve, proxy: proxy, tls: tls, unixSocket: request.unixSocket,
      egress: request.egress,
      method: request.egress?.hasMethods == true ? method : nil, isOwnProxy: request.proxy != nil)
  }

  static func == (left: ConnectionOptions, right: ConnectionOptions) -> Bool {
    if left === right { return true }
    return left.version == right.version && left.resolve == right.resolve && left.proxy == right.proxy && left.tls === right.tls
      && left.unixSocket == right.unixSocket && left.egress == right.egress && left.method == right.method
      && left.isOwnProxy == right.isOwnProxy
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(resolve)
    hasher.combine(proxy)
    hasher.combine(tls.map { ObjectIdentifier($0) })
    hasher.combine(unixSocket)
    hasher.combine(egress)
  }
}

/// Which version of HTTP a request is made with.
public enum HttpVersionChoice: String, Sendable, Hashable, CaseIterable {
  /// HTTP/2 where a server offers it in TLS (RFC 9113 section 3.2), HTTP/1.1 otherwise. The default.
  case auto
  /// HTTP/1.1 only.
  case http1 = "1.1"
  /// HTTP/2 only: a server that does not offer it in TLS is an error; in the clear it is taken to speak it (prior knowledge,
  /// RFC 9113 section 3.3).
  case http2 = "2"
}
