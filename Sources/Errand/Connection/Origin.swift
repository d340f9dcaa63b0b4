internal import HttpWire

/// Where a request's connection goes. Connections are shared within an origin only.
struct Origin: Hashable, Sendable, CustomStringConvertible {
  let isSecure: Bool
  let host: String
  let port: UInt16
  let unixSocket: String?
  /// How to connect, where that differs from the client's defaults: requests that ask for different things do not share connections.
  let options: ConnectionOptions?

  /// Whether one connection may turn out to carry many requests at a time.
  var mayShare: Bool {
    switch options?.version ?? .auto {
    case .auto: isSecure
    case .http1: false
    case .http2: true
    }
  }

  var description: String {
    if let unixSocket { return "unix:\(unixSocket)" }
    return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
