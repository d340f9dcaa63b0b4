import Glibc

/// Servers that are told which port of loopback to listen on.
extension PeerProcess {
  /// Runs `body` beside a server, and ends the server whatever happens. `arguments` is given a port that was free a moment ago; the server is
  /// there when it accepts connections. One that finds its port taken by then is started again with another.
  public static func with<Value>(
    isolation: isolated (any Actor)? = #isolation, in directory: TemporaryDirectory, _ arguments: (UInt16) throws -> [String],
    _ body: (UInt16) async throws -> Value
  ) async throws -> Value {
    var failure: any Error = TestTimeout("never started")
    for _ in 0..<3 {
      let port = try freePort()
      let process = try PeerProcess(arguments(port), in: directory)
      do {
        try await waitUntil("a server on port \(port)") { process.hasEnded || accepts(port) }
        if process.hasEnded { throw TestTimeout("the server on port \(port) ended: \(process.output)") }
      } catch {
        process.end(with: SIGKILL)
        failure = error
        continue
      }
      defer { process.end(with: SIGKILL) }
      return try await body(port)
    }
    throw failure
  }

  // MARK: Ports of loopback

  private static func freePort() throws -> UInt16 {
    var found = sockaddr_in()
    let isBound = withSocket(port: 0) { descriptor, address, length in
      guard bind(descriptor, address, length) == 0 else { return false }
      var length = length
      return withUnsafeMutableBytes(of: &found) { raw in
        guard let base = raw.baseAddress else { return false }
        return getsockname(descriptor, base.assumingMemoryBound(to: sockaddr.self), &length) == 0
      }
    }
    guard isBound else { throw TestTimeout("no free port: errno \(errno)") }
    return UInt16(bigEndian: found.sin_port)
  }

  private static func accepts(_ port: UInt16) -> Bool {
    withSocket(port: port) { connect($0, $1, $2) == 0 }
  }

  private static func withSocket(port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      body(descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
