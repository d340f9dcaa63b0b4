import Dispatch
import EventLoop
import Glibc
import Synchronization

/// A server on a thread of its own, so that it acts while the client's loop is in the middle of a write: it answers GET, and cuts
/// the connection the moment the head of anything else has come.
final class CuttingServer: Sendable {
  /// The targets of the requests that were cut.
  let cut = Record<String>("requests that were cut")
  let address: SocketAddress
  private let listener: Int32
  private let isStopping = Atomic<Bool>(false)
  private let thread = DispatchQueue(label: "cutting server")

  init() throws {
    listener = try Socket.listen(on: .loopback(port: 0))
    guard let address = Socket.localAddress(listener) else { throw SystemError(errno: EINVAL, call: "getsockname") }
    self.address = address
    thread.async { [self] in serve() }
  }

  func stop() {
    isStopping.store(true, ordering: .relaxed)
    thread.sync {}
  }

  private func serve() {
    var heads: [Int32: [UInt8]] = [:]
    while !isStopping.load(ordering: .relaxed) {
      var watched = ([listener] + heads.keys).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      poll(&watched, nfds_t(watched.count), 20)
      for ready in watched where ready.revents != 0 {
        if ready.fd == listener {
          while let connection = try? Socket.accept(listener) { heads[connection.descriptor] = [] }
        } else if let kept = read(ready.fd, heads[ready.fd] ?? []) {
          heads[ready.fd] = kept
        } else {
          heads[ready.fd] = nil
        }
      }
    }
    for descriptor in heads.keys { Socket.close(descriptor) }
    Socket.close(listener)
  }

  /// What is read of the next head; nil if the connection is gone.
  private func read(_ descriptor: Int32, _ begun: [UInt8]) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 2_048)
    guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ Socket.receive(descriptor, into: $0) }) else {
      Socket.close(descriptor)
      return nil
    }
    let head = begun + buffer[..<count]
    let text = String(decoding: head, as: UTF8.self)
    guard text.contains("\r\n\r\n") else { return head }
    if text.hasPrefix("GET ") {
      _ = Socket.send(descriptor, Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8), from: 0)
      return []
    }
    cut.add(String(text.split(separator: " ")[1]))
    Socket.setReset(descriptor)
    Socket.close(descriptor)
    return nil
  }
}
