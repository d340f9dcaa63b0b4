internal import EventLoop

/// The listening sockets that a service manager handed over, looked at before anything is served on them.
struct InheritedSockets: Sendable {
  private(set) var unix: Int32?
  private(set) var unixPath: String?
  private(set) var tcp: Int32?
  private(set) var tcpAddress: SocketAddress?

  /// Throws for what can't be served on: not listening, more than one of a kind, or TCP that is no loopback.
  init(_ descriptors: [Int32]) throws(DaemonError) {
    for descriptor in descriptors {
      guard let address = Socket.localAddress(descriptor), Socket.isListening(descriptor) else {
        throw DaemonError("socket activation: descriptor \(descriptor) is no listening stream socket")
      }
      if let path = address.path {
        guard unix == nil else { throw DaemonError("socket activation: there is more than one Unix socket") }
        (unix, unixPath) = (descriptor, path)
      } else {
        guard address.isLoopback else {
          throw DaemonError("socket activation: \(address) can be reached from other machines; only loopback is served")
        }
        guard tcp == nil else { throw DaemonError("socket activation: there is more than one TCP socket") }
        (tcp, tcpAddress) = (descriptor, address)
      }
      Socket.prepareInherited(descriptor)
    }
  }
}
