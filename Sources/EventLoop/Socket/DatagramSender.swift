internal import CLibevent
import Glibc

/// Sends single datagrams to Unix sockets.
public enum DatagramSender {
  /// Does not wait: what the receiver has no room for is lost. A path that begins with `@` is in the abstract namespace.
  public static func send(_ bytes: [UInt8], to address: SocketAddress) {
    guard let path = address.path else { return }
    var raw = sockaddr_un()
    raw.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    let room = MemoryLayout.size(ofValue: raw.sun_path)
    guard name.count < room else { return }
    withUnsafeMutableBytes(of: &raw.sun_path) { $0.copyBytes(from: name) }
    // The length says where an abstract name ends.
    let length = socklen_t(MemoryLayout<sockaddr_un>.size - room + name.count + (name.first == 0 ? 0 : 1))
    withUnsafePointer(to: &raw) { errand_send_datagram(bytes, bytes.count, $0, length) }
  }
}
