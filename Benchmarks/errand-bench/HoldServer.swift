import EventLoop
import Glibc

/// The server that never answers, as seen from here.
struct HoldServer {
  let controlPort: UInt16

  /// Waits until it has `open` connections, all of which have asked something.
  func wait(for open: Int) async {
    let giveUp = Instant.now() + .seconds(60)
    while counts() != (open, open) {
      guard Instant.now() < giveUp else {
        print("errand-bench: the server has (open, asked) \(counts()), not \(open)")
        exit(1)
      }
      try? await Task.sleep(for: .milliseconds(2))
    }
  }

  private func counts() -> (open: Int, asked: Int) {
    let descriptor = PlainSockets.connect(to: controlPort)
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 64)
    let length = max(0, read(descriptor, &text, text.count))
    let words = String(decoding: text.prefix(length), as: UTF8.self).split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
    return words.count == 2 ? (words[0], words[1]) : (-1, -1)
  }
}

/// Blocking sockets without a loop: what the kernel alone takes.
enum PlainSockets {
  static func connect(to port: UInt16) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let result = withUnsafeBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { Glibc.connect(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
    }
    guard descriptor >= 0, result == 0 else {
      print("errand-bench: cannot connect to port \(port): errno \(errno)")
      exit(1)
    }
    return descriptor
  }

  static func send(_ bytes: [UInt8], on descriptor: Int32) {
    if write(descriptor, bytes, bytes.count) != bytes.count {
      print("errand-bench: cannot write: errno \(errno)")
      exit(1)
    }
  }
}
