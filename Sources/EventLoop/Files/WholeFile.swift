import Glibc

/// Small files that are read and written as a whole. Blocks: not for the loop.
public enum WholeFile {
  /// All bytes of a file. Throws `EFBIG` if there are more than `limit`, and `EINVAL` for a path with a NUL in it.
  public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    guard !path.utf8.contains(0) else { throw SystemError(errno: EINVAL, call: "open") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw .last("open") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .last("read") }
      guard count > 0 else { return bytes }
      guard bytes.count + count <= limit else { throw SystemError(errno: EFBIG, call: "read") }
      bytes += buffer[..<count]
    }
  }

  /// Writes a file of mode 0600 beside `path` and puts it in its place, with bytes and name on disk before this returns: whoever reads it
  /// sees the old one or the new one, also after a power cut.
  ///
  /// `isOnlyWriter`: nobody else writes it meanwhile. The file beside it then has one name, `.new` behind the path, and what a killed
  /// process left is written over; otherwise it has a name of its own each time.
  public static func write(_ bytes: [UInt8], to path: String, isOnlyWriter: Bool = false) throws(SystemError) {
    guard !path.utf8.contains(0) else { throw SystemError(errno: EINVAL, call: "open") }
    let temporary = "\(path).\(isOnlyWriter ? "" : String(UInt64.random(in: 0 ... .max), radix: 36))new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_CLOEXEC | (isOnlyWriter ? O_TRUNC : O_EXCL), 0o600)
    guard descriptor >= 0 else { throw .last("open") }
    do throws(SystemError) {
      defer { close(descriptor) }
      try append(bytes, to: descriptor)
      guard fsync(descriptor) == 0 else { throw .last("fsync") }
      guard rename(temporary, path) == 0 else { throw .last("rename") }
    } catch {
      unlink(temporary)
      throw error
    }
    syncDirectory(of: path)
  }

  /// Writes all of the bytes.
  public static func append(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .last("write") }
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
