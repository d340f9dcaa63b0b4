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

  init(
    version: HttpVersionChoice, resolve: [ResolveOverride] = [], proxy: ProxyPlan = .direct, tls: TlsContext? = nil,
    unixSocket: String? = nil
  ) {
    self.unixSocket = unixSocket
    self.version = version
    self.resolve = resolve
    self.proxy = proxy
    self.tls = tls
  }

  /// nil where the request leaves all to its client, which goes there directly.
  static func of(_ request: HttpRequest, _ proxy: ProxyPlan, _ tls: TlsContext?) -> ConnectionOptions? {
    if tls == nil, case .direct = proxy {
      guard let box = request.optionBox else { return nil }
      if box.value.httpVersion == .auto, box.value.resolve.isEmpty, box.value.unixSocket == nil { return nil }
    }
    return ConnectionOptions(
      version: request.httpVersion, resolve: request.resolve, proxy: proxy, tls: tls, unixSocket: request.unixSocket)
  }

  static func == (left: ConnectionOptions, right: ConnectionOptions) -> Bool {
    if left === right { return true }
    return left.version == right.version && left.resolve == right.resolve && left.proxy == right.proxy && left.tls === right.tls
      && left.unixSocket == right.unixSocket
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(resolve)
    hasher.combine(proxy)
    hasher.combine(tls.map { ObjectIdentifier($0) })
    hasher.combine(unixSocket)
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
