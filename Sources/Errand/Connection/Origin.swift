internal import HttpWire

/// Where a request's connection goes. Connections are shared within an origin only.
struct Origin: Hashable, Sendable, CustomStringConvertible {
  let host: String
  let port: UInt16
  let unixSocket: String?

  var description: String {
    if let unixSocket { return "unix:\(unixSocket)" }
    return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
