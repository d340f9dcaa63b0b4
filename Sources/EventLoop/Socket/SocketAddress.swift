internal import CCares
internal import CLibevent
import Glibc

/// Where a socket connects or listens: an IPv4 or IPv6 address with a port, or a path in the file system.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
  enum Kind: Sendable, Hashable {
    case v4(address: UInt32, port: UInt16)
    case v6(high: UInt64, low: UInt64, port: UInt16, scope: UInt32)
    case unix(String)
  }

  let kind: Kind

  /// The address written as `literal` (`127.0.0.1`, `::1`, no brackets), or nil if it is none.
  public static func ip(_ literal: String, port: UInt16) -> SocketAddress? {
    // To inet_pton it would be the end of the text.
    guard !literal.utf8.contains(0) else { return nil }
    var v4 = in_addr()
    if inet_pton(AF_INET, literal, &v4) == 1 { return SocketAddress(kind: .v4(address: v4.s_addr, port: port)) }
    var v6 = in6_addr()
    if inet_pton(AF_INET6, literal, &v6) == 1 { return SocketAddress(v6, port: port, scope: 0) }
    return nil
  }

  /// A Unix socket. Paths are limited to 107 bytes by the system; an empty, longer or NUL-holding one throws.
  public static func unix(_ path: String) throws(SystemError) -> SocketAddress {
    guard !path.isEmpty, path.utf8.count <= 107, !path.utf8.contains(0) else {
      throw SystemError(errno: path.utf8.count > 107 ? ENAMETOOLONG : EINVAL, call: "unix socket path")
    }
    return SocketAddress(kind: .unix(path))
  }

  /// The IPv4 or IPv6 loopback address.
  public static func loopback(port: UInt16, v6: Bool = false) -> SocketAddress {
    v6
      ? SocketAddress(kind: .v6(high: 0, low: UInt64(1).bigEndian, port: port, scope: 0))
      : SocketAddress(kind: .v4(address: UInt32(0x7f00_0001).bigEndian, port: port))
  }

  /// The port; nil for a Unix socket.
  public var port: UInt16? {
    switch kind {
    case .v4(_, let port), .v6(_, _, let port, _): port
    case .unix: nil
    }
  }

  /// The path of a Unix socket; nil for others.
  public var path: String? {
    if case .unix(let path) = kind { path } else { nil }
  }

  /// The address without its port, as ``ip(_:port:)`` takes it; nil for a Unix socket.
  public var literal: String? {
    switch kind {
    case .v4(let address, _):
      var raw = in_addr(s_addr: address)
      return text(AF_INET, &raw)
    case .v6(let high, let low, _, _):
      var raw = SocketAddress.in6(high, low)
      return text(AF_INET6, &raw)
    case .unix: return nil
    }
  }

  /// The same address with another port; a Unix socket stays as it is.
  public func with(port: UInt16) -> SocketAddress {
    switch kind {
    case .v4(let address, _): SocketAddress(kind: .v4(address: address, port: port))
    case .v6(let high, let low, _, let scope): SocketAddress(kind: .v6(high: high, low: low, port: port, scope: scope))
    case .unix: self
    }
  }

  /// Whether it is an IPv6 address.
  public var isIPv6: Bool {
    if case .v6 = kind { true } else { false }
  }

  /// Whether it is in 127.0.0.0/8, is ::1, or is a Unix socket.
  public var isLoopback: Bool {
    switch kind {
    case .v4(let address, _): UInt32(bigEndian: address) >> 24 == 127
    case .v6(let high, let low, _, _): high == 0 && low == UInt64(1).bigEndian
    case .unix: true
    }
  }

  /// Whether it is in 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, fc00::/7 or fe80::/10, also as an IPv4-mapped address.
  public var isPrivate: Bool {
    func isPrivate(_ v4: UInt32) -> Bool { v4 >> 24 == 10 || v4 >> 20 == 0xAC1 || v4 >> 16 == 0xC0A8 || v4 >> 16 == 0xA9FE }
    switch kind {
    case .v4(let address, _): return isPrivate(UInt32(bigEndian: address))
    case .v6(let high, let low, _, _):
      let (first, last) = (UInt64(bigEndian: high), UInt64(bigEndian: low))
      if first == 0, last >> 32 == 0xFFFF { return isPrivate(UInt32(truncatingIfNeeded: last)) }
      return first >> 57 == 0x7E || first >> 54 == 0x3FA
    case .unix: return false
    }
  }

  /// `127.0.0.1:80`, `[::1]:80` or `unix:/path`.
  public var description: String {
    switch kind {
    case .v4(let address, let port):
      var raw = in_addr(s_addr: address)
      return "\(text(AF_INET, &raw)):\(port)"
    case .v6(let high, let low, let port, _):
      var raw = SocketAddress.in6(high, low)
      return "[\(text(AF_INET6, &raw))]:\(port)"
    case .unix(let path):
      return "unix:\(path)"
    }
  }

  private func text(_ family: Int32, _ raw: UnsafeRawPointer) -> String {
    var buffer = [CChar](repeating: 0, count: 64)
    return buffer.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress, inet_ntop(family, raw, base, 64) != nil else { return "?" }
      return String(cString: base)
    }
  }
}

extension SocketAddress {
  init(_ address: in6_addr, port: UInt16, scope: UInt32) {
    let (high, low) = withUnsafeBytes(of: address) {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    self.init(kind: .v6(high: high, low: low, port: port, scope: scope))
  }

  /// The address in a `sockaddr` of `length` bytes; nil for families that are none of ours.
  init?(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
      let v4 = raw.loadUnaligned(as: sockaddr_in.self)
      self.init(kind: .v4(address: v4.sin_addr.s_addr, port: UInt16(bigEndian: v4.sin_port)))
    case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
      let v6 = raw.loadUnaligned(as: sockaddr_in6.self)
      self.init(v6.sin6_addr, port: UInt16(bigEndian: v6.sin6_port), scope: v6.sin6_scope_id)
    case AF_UNIX:
      let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
      let bytes = UnsafeRawBufferPointer(start: raw, count: Int(length)).dropFirst(offset).prefix { $0 != 0 }
      self.init(kind: .unix(String(decoding: bytes, as: UTF8.self)))
    default:
      return nil
    }
  }

  static func in6(_ high: UInt64, _ low: UInt64) -> in6_addr {
    var raw = in6_addr()
    withUnsafeMutableBytes(of: &raw) {
      $0.storeBytes(of: high, as: UInt64.self)
      $0.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
    }
    return raw
  }

  var family: Int32 {
    switch kind {
    case .v4: AF_INET
    case .v6: AF_INET6
    case .unix: AF_UNIX
    }
  }

  func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var storage = sockaddr_storage()
    var length = 0
    withUnsafeMutableBytes(of: &storage) { storage in
      switch kind {
      case .v4(let address, let port):
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_port = port.bigEndian
        v4.sin_addr.s_addr = address
        storage.storeBytes(of: v4, as: sockaddr_in.self)
        length = MemoryLayout<sockaddr_in>.size
      case .v6(let high, let low, let port, let scope):
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = port.bigEndian
        v6.sin6_addr = SocketAddress.in6(high, low)
        v6.sin6_scope_id = scope
        storage.storeBytes(of: v6, as: sockaddr_in6.self)
        length = MemoryLayout<sockaddr_in6>.size
      case .unix(let path):
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        storage.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
        for (index, byte) in path.utf8.prefix(107).enumerated() { storage[offset + index] = byte }
        length = offset + min(path.utf8.count, 107) + 1
      }
    }
    return withUnsafePointer(to: &storage) {
      body(UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), socklen_t(length))
    }
  }
}
