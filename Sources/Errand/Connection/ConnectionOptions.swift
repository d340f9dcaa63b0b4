/// How to connect, where a request does not leave that to its client. A value behind one reference: requests in flight are many.
final class ConnectionOptions: Hashable, Sendable {
  let version: HttpVersionChoice
  /// Go before those of the client.
  let resolve: [ResolveOverride]
  let proxy: ProxyPlan

  init(version: HttpVersionChoice, resolve: [ResolveOverride] = [], proxy: ProxyPlan = .direct) {
    self.version = version
    self.resolve = resolve
    self.proxy = proxy
  }

  /// nil where the request leaves all to its client, which goes there directly.
  static func of(_ request: HttpRequest, _ proxy: ProxyPlan) -> ConnectionOptions? {
    if request.httpVersion == .auto, request.resolve.isEmpty, proxy == .direct { return nil }
    return ConnectionOptions(version: request.httpVersion, resolve: request.resolve, proxy: proxy)
  }

  static func == (left: ConnectionOptions, right: ConnectionOptions) -> Bool {
    left === right || left.version == right.version && left.resolve == right.resolve && left.proxy == right.proxy
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(resolve)
    hasher.combine(proxy)
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
