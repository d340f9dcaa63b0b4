internal import HttpWire

/// How a request gets to its origin. Pure.
enum ProxyPlan: Sendable, Hashable {
  case direct
  /// The proxy is sent the request itself, with the whole URL as its target (RFC 9112 3.2.2).
  case forward(Proxy)
  /// The proxy is asked for a way to the origin, with CONNECT or SOCKS, and the request goes through that.
  case tunnel(Proxy)

  /// `needsTunnel`: what is sent is not HTTP/1.1, such as HTTP/2 with prior knowledge, so that no proxy could understand it.
  init(_ url: HttpUrl, _ selection: ProxySelection, unixSocket: String?, needsTunnel: Bool = false) throws(ProxyError) {
    guard unixSocket == nil, let proxy = try selection.proxy(url.scheme, host: url.host) else {
      self = .direct
      return
    }
    self = url.scheme == .https || needsTunnel || proxy.kind.isSocks ? .tunnel(proxy) : .forward(proxy)
  }

  var proxy: Proxy? {
    switch self {
    case .direct: nil
    case .forward(let proxy), .tunnel(let proxy): proxy
    }
  }

  /// The target in the request line: the whole URL for a proxy (RFC 9112 3.2.2), path and query otherwise.
  func target(of url: HttpUrl) -> String {
    guard case .forward = self else { return url.target }
    return "\(url.scheme)://\(url.hostHeader)\(url.target)"
  }

  /// The value of Proxy-Authorization to add to the request's own fields; nil is none.
  ///
  /// The field is for the next proxy alone (RFC 9110 11.7.2). One that the caller sets goes with a forwarded request, before
  /// that of the proxy's URL, and with a direct one, whose URL the caller wrote. Through a tunnel it would reach the origin, so that request is refused.
  func authorization(with headers: HttpHeaders) throws(ProxyError) -> String? {
    let isSet = !headers.isEmpty && headers.contains("Proxy-Authorization")
    switch self {
    case .direct: return nil
    case .forward(let proxy): return isSet ? nil : proxy.credentials?.basic
    case .tunnel(let proxy):
      guard !isSet else {
        throw ProxyError(
          "the header field Proxy-Authorization would reach the origin, through the tunnel of the proxy \(proxy): put the credentials into the proxy's URL"
        )
      }
      return nil
    }
  }
}
