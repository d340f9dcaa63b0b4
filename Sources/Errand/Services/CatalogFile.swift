internal import Dispatch
internal import EventLoop
internal import Glibc

/// The file that a catalogue document is kept in, for starts at which it can't be fetched. Read and written on a queue for the disk.
struct CatalogFile: Sendable {
  let path: String
  let maximumBytes: Int

  private static let queue = DispatchQueue(label: "errand.catalog.file")

  /// nil if there is no file.
  func read() async -> Result<[UInt8], SystemError>? {
    await CatalogFile.onDisk { () -> Result<[UInt8], SystemError>? in
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
      guard descriptor >= 0 else { return errno == ENOENT ? nil : .failure(SystemError(errno: errno, call: "open")) }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return .failure(SystemError(errno: EINVAL, call: "open"))
      }
      guard status.st_size <= maximumBytes else { return .failure(SystemError(errno: EFBIG, call: "read")) }
      var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
      var filled = 0
      while filled < bytes.count {
        let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled) }
        if got < 0, errno == EINTR { continue }
        guard got >= 0 else { return .failure(SystemError(errno: errno, call: "read")) }
        if got == 0 { break }
        filled += got
      }
      return .success(Array(bytes.prefix(filled)))
    }
  }

  /// Replaces the file as a whole: whoever reads it sees the old one or the new one, also after a power cut. Nil if that worked.
  func write(_ bytes: [UInt8]) async -> SystemError? {
    await CatalogFile.onDisk { () -> SystemError? in
      let name = "\(path).\(UInt64.random(in: 0...UInt64.max)).new"
      // Readable by its owner alone: headers may be secrets.
      let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return SystemError(errno: errno, call: "open") }
      var failure = CatalogFile.fill(descriptor, bytes)
      close(descriptor)
      if failure == nil, rename(name, path) != 0 { failure = SystemError(errno: errno, call: "rename") }
      if failure != nil { unlink(name) }
      return failure
    }
  }

  private static func fill(_ descriptor: Int32, _ bytes: [UInt8]) -> SystemError? {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return SystemError(errno: errno, call: "write") }
      written += count
    }
    return fsync(descriptor) == 0 ? nil : SystemError(errno: errno, call: "fsync")
  }

  private static func onDisk<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }
}
