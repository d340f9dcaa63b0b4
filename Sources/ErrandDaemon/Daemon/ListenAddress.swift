internal import EventLoop

/// `127.0.0.1:8080`, `localhost:8080` or `[::1]:8080`: a loopback address to listen on.
enum ListenAddress {
  static func parse(_ text: String) throws(DaemonError) -> SocketAddress {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      throw DaemonError("listen: \(text.debugDescription) is not of the form HOST:PORT")
    }
    var host = String(text[..<colon])
    if host == "localhost" { host = "127.0.0.1" }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard let address = SocketAddress.ip(host, port: port) else {
      throw DaemonError("listen: \(host.debugDescription) is not an address; give 127.0.0.1, [::1] or localhost")
    }
    guard address.isLoopback else { throw DaemonError("listen: \(address) can be reached from other machines; only loopback is served") }
    return address
  }
}
