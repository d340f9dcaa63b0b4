internal import EventLoop
internal import Glibc

/// Small files that are read and written as a whole. Blocks: not for the loop.
enum WholeFile {
  static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw SystemError(errno: errno, call: "open") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(errno: errno, call: "read") }
      guard count > 0 else { return bytes }
      guard bytes.count + count <= limit else { throw SystemError(errno: EFBIG, call: "read") }
      bytes += buffer[..<count]
    }
  }

  /// Writes a file of mode 0600 beside `path` and puts it in its place, with bytes and name on disk before this returns.
  static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    // A name of its own, for several may write at once.
    let temporary = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError(errno: errno, call: "open") }
    do throws(SystemError) {
      defer { close(descriptor) }
      try write(bytes, descriptor)
      guard fsync(descriptor) == 0 else { throw SystemError(errno: errno, call: "fsync") }
      guard rename(temporary, path) == 0 else { throw SystemError(errno: errno, call: "rename") }
    } catch {
      unlink(temporary)
      throw error
    }
    syncDirectory(of: path)
  }

  private static func write(_ bytes: [UInt8], _ descriptor: Int32) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(errno: errno, call: "write") }
      written += count
    }
  }

  /// Without it the name may be lost with the power, though the bytes are there.
  private static func syncDirectory(of path: String) {
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
