internal import HttpWire

/// Whom credentials are for: an origin (RFC 9110 section 4.3.1), or a proxy. Never both, whatever their names.
struct AuthSpace: Sendable, Hashable {
  private let name: String
  let isProxy: Bool

  init(_ url: HttpUrl) {
    name = "\(url.scheme)://\(url.host):\(url.port)"
    isProxy = false
  }

  init(_ proxy: Proxy) {
    name = proxy.description
    isProxy = true
  }
}
