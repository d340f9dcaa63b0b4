internal import EventLoop
internal import Glibc

/// The system's calls on a download's files, with errors that name the file. Each may block: not for the loop.
enum FileCalls {
  static func failure(_ path: String, _ call: String, _ code: Int32 = errno) -> HttpClientError {
    failure("\(path): \(SystemError(errno: code, call: call).description)")
  }

  static func failure(_ words: String) -> HttpClientError {
    HttpClientError(.file, phase: .response, message: words, sent: .sent)
  }

  /// What is there, links followed; nil if nothing is.
  static func status(_ path: String) throws(HttpClientError) -> stat? {
    var status = stat()
    if stat(path, &status) == 0 { return status }
    if errno == ENOENT { return nil }
    throw failure(path, "stat")
  }

  static func status(_ descriptor: Int32, _ path: String) throws(HttpClientError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(path, "fstat") }
    return status
  }

  static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

  /// A new file that only its owner may read, for now.
  static func create(_ path: String) throws(HttpClientError) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure(path, "open") }
    return descriptor
  }

  /// A file that is there, for this download alone; nil if none is. `followsLink`: it may be reached by a link.
  static func claim(_ path: String, followsLink: Bool) throws(HttpClientError) -> Int32? {
    // The one who has it may rename or remove it just now.
    for _ in 0..<8 {
      let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (followsLink ? 0 : O_NOFOLLOW))
      if descriptor < 0, errno == ENOENT { return nil }
      guard descriptor >= 0 else { throw failure(path, "open") }
      do throws(HttpClientError) {
        guard isRegular(try status(descriptor, path)) else { throw failure("\(path) is not a regular file") }
        try lock(descriptor, path)
        if let there = try status(path), there.st_ino == (try status(descriptor, path)).st_ino { return descriptor }
      } catch {
        close(descriptor)
        throw error
      }
      close(descriptor)
    }
    throw failure("\(path) is replaced again and again")
  }

  static func lock(_ descriptor: Int32, _ path: String) throws(HttpClientError) {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      if errno == EWOULDBLOCK { throw failure("\(path) is being written by another download") }
      throw failure(path, "flock")
    }
  }

  static func write(_ bytes: [UInt8], _ descriptor: Int32, at offset: Int64, _ path: String) throws(HttpClientError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written, off_t(offset) + written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(path, "write", count == 0 ? ENOSPC : errno) }
      written += count
    }
  }

  static func truncate(_ descriptor: Int32, _ path: String) throws(HttpClientError) {
    guard ftruncate(descriptor, 0) == 0 else { throw failure(path, "ftruncate") }
  }

  /// Puts a file in its place, with bytes and name on the disk before this returns.
  static func put(_ descriptor: Int32, _ path: String, at place: DownloadPlace, replaces: Bool) throws(HttpClientError) {
    guard fchmod(descriptor, 0o666 & ~mask()) == 0 else { throw failure(path, "fchmod") }
    guard fsync(descriptor) == 0 else { throw failure(path, "fsync") }
    if replaces {
      guard rename(path, place.target) == 0 else { throw failure(place.target, "rename") }
    } else if link(path, place.target) == 0 {
      unlink(path)
    } else {
      // A file system without links: a moment stays in which another file may come.
      guard errno == EPERM || errno == EOPNOTSUPP, try status(place.target) == nil else { throw exists(place, errno) }
      guard rename(path, place.target) == 0 else { throw failure(place.target, "rename") }
    }
    try syncDirectory(of: place)
  }

  static func exists(_ place: DownloadPlace, _ code: Int32 = EEXIST) -> HttpClientError {
    code == EEXIST ? failure("\(place.target) exists already, and is not overwritten") : failure(place.target, "link", code)
  }

  private static func syncDirectory(of place: DownloadPlace) throws(HttpClientError) {
    let path = place.directory.isEmpty ? "/" : place.directory
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, "open") }
    defer { close(descriptor) }
    // Some file systems have nothing to sync there.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(path, "fsync") }
  }

  /// The process's umask, which can't be asked for without changing it but here.
  private static func mask() -> mode_t {
    let lines = (try? WholeFile.read("/proc/self/status", limit: 65_536)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    for line in lines.split(separator: "\n") where line.hasPrefix("Umask:") {
      if let mask = mode_t(line.dropFirst(6).drop { $0 == "\t" || $0 == " " }, radix: 8) { return mask }
    }
    return 0o077
  }
}
