internal import CCares
internal import CLibevent
import Glibc

/// What a read from a socket gave.
public enum ReceiveResult: Sendable {
  case bytes(Int)
  case wouldBlock
  case closed
  case failed(SystemError)
}

/// What a write to a socket gave.
public enum SendResult: Sendable {
  case sent(Int)
  case wouldBlock
  case failed(SystemError)
}

/// The system calls on stream sockets, all of them non-blocking and close-on-exec.
public enum Socket {
  /// A new stream socket of the address's family, with `TCP_NODELAY` where it is TCP.
  public static func open(for address: SocketAddress) throws(SystemError) -> Int32 {
    let descriptor = socket(address.family, errand_stream_type(), 0)
    guard descriptor >= 0 else { throw .last("socket") }
    if address.family != AF_UNIX { setNoDelay(descriptor) }
    return descriptor
  }

  /// Begins to connect. True: connected at once. False: in progress, the socket becomes writable when it is decided.
  public static func connect(_ descriptor: Int32, to address: SocketAddress) throws(SystemError) -> Bool {
    let result = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
    if result == 0 { return true }
    if errno == EINPROGRESS { return false }
    throw .last("connect")
  }

  /// How a connection in progress ended: nil if it stands.
  public static func connectError(_ descriptor: Int32) -> SystemError? {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return .last("getsockopt") }
    return code == 0 ? nil : SystemError(errno: code, call: "connect")
  }

  /// A listening socket, with `SO_REUSEADDR`. A Unix socket that no process listens on any more is replaced; one that is in use
  /// throws `EADDRINUSE`. `mode` is the Unix socket's permission, set before it can be connected to.
  public static func listen(on address: SocketAddress, backlog: Int32 = 1_024, mode: UInt32? = nil) throws(SystemError) -> Int32 {
    let descriptor = try open(for: address)
    do throws(SystemError) {
      var one: Int32 = 1
      if let path = address.path {
        try removeStaleSocket(at: path, address)
      } else {
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        if address.family == AF_INET6 {
          setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, socklen_t(MemoryLayout<Int32>.size))
        }
      }
      guard address.withSockaddr({ bind(descriptor, $0, $1) }) == 0 else { throw .last("bind") }
      if let path = address.path, let mode, chmod(path, mode_t(mode)) != 0 { throw .last("chmod") }
      guard Glibc.listen(descriptor, backlog) == 0 else { throw .last("listen") }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Whether it is a stream socket that listens.
  public static func isListening(_ descriptor: Int32) -> Bool {
    func option(_ name: Int32) -> Int32? {
      var value: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
    return option(SO_ACCEPTCONN) == 1 && option(SO_TYPE) == Int32(SOCK_STREAM.rawValue)
  }

  /// Makes a socket that another process made fit for the loop: it does not block.
  public static func prepareInherited(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  /// The next waiting connection, or nil if there is none.
  public static func accept(_ descriptor: Int32) throws(SystemError) -> (descriptor: Int32, peer: SocketAddress)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let accepted = withUnsafeMutablePointer(to: &storage) {
      errand_accept(descriptor, UnsafeMutableRawPointer($0).assumingMemoryBound(to: sockaddr.self), &length)
    }
    guard accepted >= 0 else {
      if errno == EAGAIN || errno == ECONNABORTED || errno == EINTR { return nil }
      throw .last("accept")
    }
    let peer = read(&storage, length) ?? SocketAddress(kind: .unix(""))
    if peer.path == nil { setNoDelay(accepted) }
    return (accepted, peer)
  }

  /// The socket's own address.
  public static func localAddress(_ descriptor: Int32) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      getsockname(descriptor, UnsafeMutableRawPointer($0).assumingMemoryBound(to: sockaddr.self), &length)
    }
    return result == 0 ? read(&storage, length) : nil
  }

  /// The peer's address.
  public static func remoteAddress(_ descriptor: Int32) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      getpeername(descriptor, UnsafeMutableRawPointer($0).assumingMemoryBound(to: sockaddr.self), &length)
    }
    return result == 0 ? read(&storage, length) : nil
  }

  /// Reads what is there into `buffer`.
  public static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> ReceiveResult {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if count > 0 { return .bytes(count) }
    if count == 0 { return .closed }
    return errno == EAGAIN || errno == EINTR ? .wouldBlock : .failed(.last("recv"))
  }

  /// Writes as much of `bytes` as the kernel takes. Never raises SIGPIPE.
  public static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> SendResult {
    let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, errand_nosignal())
    if count >= 0 { return .sent(count) }
    return errno == EAGAIN || errno == EINTR ? .wouldBlock : .failed(.last("send"))
  }

  /// The same with what `bytes` hold from `offset` on.
  public static func send(_ descriptor: Int32, _ bytes: [UInt8], from offset: Int) -> SendResult {
    bytes.withUnsafeBytes { send(descriptor, UnsafeRawBufferPointer(rebasing: $0[min(offset, bytes.count)...])) }
  }

  /// Ends the writing half.
  public static func shutdownWrite(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Makes the coming ``close(_:)`` send a reset instead of an orderly end.
  public static func setReset(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Closes a descriptor; a watch on it must have ended before.
  public static func close(_ descriptor: Int32) {
    Glibc.close(descriptor)
  }

  /// Sends small writes at once (`TCP_NODELAY`).
  public static func setNoDelay(_ descriptor: Int32) {
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Who is at the other end of a Unix socket (`SO_PEERCRED`); nil for other sockets.
  public static func peerCredentials(_ descriptor: Int32) -> (pid: Int32, uid: UInt32, gid: UInt32)? {
    var credentials = errand_credentials()
    guard errand_peer_credentials(descriptor, &credentials) == 0, credentials.pid != 0 else { return nil }
    return (credentials.pid, credentials.uid, credentials.gid)
  }

  /// Raises the process's limit of open files as far as it may, and gives the limit now in force.
  public static func raiseDescriptorLimit() -> UInt {
    UInt(errand_raise_descriptor_limit())
  }

  private static func read(_ storage: inout sockaddr_storage, _ length: socklen_t) -> SocketAddress? {
    withUnsafePointer(to: &storage) {
      SocketAddress(UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), length: length)
    }
  }

  private static func removeStaleSocket(at path: String, _ address: SocketAddress) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw SystemError(errno: EEXIST, call: "bind") }
    let probe = try open(for: address)
    defer { close(probe) }
    let result = address.withSockaddr { Glibc.connect(probe, $0, $1) }
    guard result != 0, errno == ECONNREFUSED else { throw SystemError(errno: EADDRINUSE, call: "bind") }
    unlink(path)
  }
}
