internal import EventLoop
import Glibc
internal import HttpWire

/// The directory of a cache, locked against other processes. Its methods touch the disk: not for the loop.
final class CacheDirectory: Sendable {
  struct Failure: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
    init(_ error: SystemError) { reason = error.description }
    init(errno: Int32, _ call: String) { self.init(SystemError(errno: errno, call: call)) }
  }

  /// A file of an entry, as the directory lists it.
  struct Listed {
    let name: CacheFileName
    let bytes: Int64
    /// When it was written or last read, in nanoseconds since 1970.
    let usedAt: Int64
  }

  let descriptor: Int32
  private let lock: Int32

  /// Makes the directory if there is none, and takes its lock.
  init(_ path: String) throws(Failure) {
    try Self.make(path)
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(errno: errno, "open") }
    do throws(Failure) {
      try Self.check(descriptor)
      lock = try Self.lock(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    close(lock)
    close(descriptor)
  }

  private static func make(_ path: String) throws(Failure) {
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, !bytes.contains(0) else { throw Failure("the directory's path is none") }
    for end in bytes.indices.dropFirst() where bytes[end] == UInt8(ascii: "/") || end == bytes.count - 1 {
      let part = String(decoding: bytes[...end], as: UTF8.self)
      if mkdir(part, 0o700) != 0, errno != EEXIST, end == bytes.count - 1 { throw Failure(errno: errno, "mkdir") }
    }
  }

  private static func check(_ descriptor: Int32) throws(Failure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Failure(errno: errno, "fstat") }
    guard status.st_uid == geteuid() else { throw Failure("the directory is another user's") }
    guard status.st_mode & 0o022 == 0 else { throw Failure("others may write to the directory") }
  }

  private static func lock(_ directory: Int32) throws(Failure) -> Int32 {
    let lock = openat(directory, CacheFileName.lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw Failure(errno: errno, "open the lock") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let failure = errno
      close(lock)
      throw failure == EWOULDBLOCK ? Failure("another process uses the directory") : Failure(errno: failure, "flock")
    }
    return lock
  }

  // MARK: Content

  /// The files of entries, those used last first. What an earlier process did not finish writing, or an earlier version wrote, is removed;
  /// what is not the cache's own is left alone.
  func list() throws(Failure) -> [Listed] {
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else {
      let failure = errno
      if copy >= 0 { close(copy) }
      throw Failure(errno: failure, "opendir")
    }
    defer { closedir(stream) }
    var files: [Listed] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) { String(cString: $0) }
      }
      if CacheFileName.isTemporary(name) || CacheFileName.isOutdated(name) {
        unlinkat(descriptor, name, 0)
      } else if let own = CacheFileName(name) {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
        let usedAt = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        files.append(Listed(name: own, bytes: Int64(status.st_size), usedAt: usedAt))
      }
    }
    files.sort { $0.usedAt > $1.usedAt }
    return files
  }

  /// Removes a file; one that is not there is no failure.
  func remove(_ name: CacheFileName) throws(Failure) {
    guard unlinkat(descriptor, name.text, 0) == 0 || errno == ENOENT else { throw Failure(errno: errno, "unlink") }
  }
}
