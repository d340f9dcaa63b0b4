internal import Dispatch
internal import EventLoop
internal import Glibc

/// A regular file that is open for reading, for as long as this is held. Made and read off the loop.
final class BodyFile: Sendable {
  let path: String
  /// As the open file had it.
  let size: Int64
  private let descriptor: Int32

  /// Where bodies are read: several at a time, for one slow disk must not hold up the others.
  static let queue = DispatchQueue(label: "errand.body", attributes: .concurrent)

  private init(_ path: String, _ descriptor: Int32, size: Int64) {
    self.path = path
    self.descriptor = descriptor
    self.size = size
  }

  deinit {
    BodyFile.queue.async { [descriptor] in Glibc.close(descriptor) }
  }

  /// Blocks. Throws `invalid_request`, naming the file, for what can't be opened and for all but regular files: what a pipe or a device
  /// gives can't be sent again, and a directory has nothing to send.
  static func open(_ path: String) throws(HttpClientError) -> BodyFile {
    guard !path.utf8.contains(0) else { throw .body("the path of a file holds a NUL") }
    // Not blocking, so that a pipe with no writer can't hold the thread.
    let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw .unreadable(path, errno, "open") }
    var status = stat()
    let isKnown = fstat(descriptor, &status) == 0
    let file = BodyFile(path, descriptor, size: Int64(status.st_size))
    guard isKnown, status.st_mode & S_IFMT == S_IFREG else { throw .body("\(path) is not a regular file") }
    return file
  }

  /// Fills `buffer` with what the file holds at `offset`. Blocks. Throws `invalid_request`, naming the file, if it ends before.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(HttpClientError) {
    var filled = 0
    while filled < buffer.count {
      let count = pread(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled, off_t(offset) + filled)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(path, errno, "read") }
      guard count > 0 else {
        throw .body("the file \(path) has become shorter while it was sent: it had \(size) bytes, and ends after \(offset + Int64(filled))")
      }
      filled += count
    }
  }
}

extension HttpClientError {
  fileprivate static func unreadable(_ path: String, _ errno: Int32, _ call: String) -> HttpClientError {
    .body("the file \(path) can't be read: \(SystemError(errno: errno, call: call).reason)")
  }
}
