internal import EventLoop
import Glibc

/// Small files that are there wholly or in their earlier state, whatever happens. Blocks: not for the loop.
enum StateFile {
  /// nil if there is none.
  static func read(_ path: String, limit: Int = 1 << 20) throws(SystemError) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw SystemError(errno: errno, call: "open")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= limit {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(errno: errno, call: "read") }
      guard count > 0 else { break }
      bytes.append(contentsOf: buffer[..<count])
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes beside the file and exchanges it, with both the bytes and the name on disk before this returns.
  static func write(_ text: String, to path: String) throws(SystemError) {
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError(errno: errno, call: "open") }
    let bytes = Array(text.utf8)
    var failure: SystemError?
    var written = 0
    while written < bytes.count, failure == nil {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { failure = SystemError(errno: errno, call: "write") } else { written += count }
    }
    if failure == nil, fsync(descriptor) != 0 { failure = SystemError(errno: errno, call: "fsync") }
    close(descriptor)
    if failure == nil, rename(temporary, path) != 0 { failure = SystemError(errno: errno, call: "rename") }
    if let failure {
      unlink(temporary)
      throw failure
    }
    syncDirectory(of: path)
  }

  private static func syncDirectory(of path: String) {
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = open(directory.isEmpty ? "/" : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
