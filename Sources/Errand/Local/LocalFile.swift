internal import Dispatch
internal import EventLoop
internal import Glibc
internal import HttpWire

/// The disk's side of `file:` URLs; nothing of it may run on the loop.
struct LocalFile: Sendable {
  let descriptor: Int32
  let size: Int64
  /// In seconds since 1970.
  let modified: Int64

  /// What a file that can't be read is answered with, as a server would.
  struct Refusal: Error, Sendable, Hashable {
    let status: Int
    let words: String
  }

  /// Opens and reads files, several at a time: one slow disk does not hold up the others.
  static let queue = DispatchQueue(label: "errand.local", attributes: .concurrent)

  /// Only regular files: a device or pipe could be read without end. The caller closes it.
  static func open(_ url: FileUrl) throws(Refusal) -> LocalFile {
    // Not blocking, so that a pipe with no writer can't hold the thread.
    let descriptor = (url.path + [0]).withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { path in
        path.baseAddress.map { Glibc.open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) } ?? -1
      }
    }
    guard descriptor >= 0 else {
      let error = SystemError(errno: errno, call: "open")
      switch error.errno {
      case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: throw Refusal(status: 404, words: "\(url.shown): no such file")
      case EACCES, EPERM: throw Refusal(status: 403, words: "\(url.shown): no permission to read this file")
      default: throw Refusal(status: 500, words: "\(url.shown): can't be read: \(error)")
      }
    }
    var status = stat()
    let isKnown = fstat(descriptor, &status) == 0
    guard isKnown, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "no regular file"
      throw Refusal(status: 403, words: "\(url.shown): is \(kind), which has no content to read")
    }
    return LocalFile(descriptor: descriptor, size: Int64(status.st_size), modified: Int64(status.st_mtim.tv_sec))
  }

  /// Up to `count` bytes from `offset`; empty at the end.
  func read(_ count: Int, from offset: Int64) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(offset) + off_t(filled))
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = SystemError(errno: errno, call: "read") }
        guard got > 0 else { return }
        filled += got
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// The content of a file whose size is told as 0 though it has some, as files of the kernel's are; nil if it has none, or too much.
  func unannounced() -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count <= LocalFile.unannouncedLimit {
      guard let piece = try? read(65_536, from: Int64(bytes.count)) else { return nil }
      if piece.isEmpty { return bytes.isEmpty ? nil : bytes }
      bytes += piece
    }
    return nil
  }

  private static let unannouncedLimit = 16 * 1_048_576

  func close() { LocalFile.close(descriptor) }

  private static func close(_ descriptor: Int32) { Glibc.close(descriptor) }
}
