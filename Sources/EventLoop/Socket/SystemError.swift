import Glibc

/// A system call that failed.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The `errno` it left.
  public let errno: Int32
  /// The call's name, such as `connect`.
  public let call: String

  public init(errno: Int32, call: String) {
    self.errno = errno
    self.call = call
  }

  static func last(_ call: String) -> SystemError {
    SystemError(errno: Glibc.errno, call: call)
  }

  /// Such as `connect: Connection refused`.
  public var description: String {
    "\(call): \(reason)"
  }

  /// The system's words for the error, such as `Connection refused`.
  public var reason: String {
    var buffer = [CChar](repeating: 0, count: 128)
    return buffer.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress, strerror_r(errno, base, buffer.count) == 0 else { return "error \(errno)" }
      return String(cString: base)
    }
  }
}
