internal import Dispatch
internal import EventLoop
import Glibc
internal import HttpWire

/// The disk's side of ``FileHandler``; nothing of it may run on the loop.
enum FileReader {
  struct Opened: Sendable {
    /// Open if there is more to read than `start`; else -1.
    let descriptor: Int32
    let size: Int64
    let mediaType: String
    let start: [UInt8]
  }

  static let pieceBytes = 131_072
  /// Opens files, several at a time: one slow directory does not hold up the others.
  static let queue = DispatchQueue(label: "errand.files.open", attributes: .concurrent)
  /// Reads and closes open files in order, so that none is closed while it is being read.
  static let streams = DispatchQueue(label: "errand.files.read")

  /// Opens `name` under `root`; one that fits into a piece is read at once.
  static func open(_ name: String, under root: String, readsContent: Bool) -> Result<Opened, SystemError> {
    guard let root = realPath(root) else { return .failure(SystemError(errno: ENOENT, call: "realpath")) }
    var name = name
    for _ in 0..<2 {
      // Not blocking, so that a pipe with no writer can't hold the thread.
      let descriptor = Glibc.open(name.isEmpty ? root : root + "/" + name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
      guard descriptor >= 0 else { return .failure(SystemError(errno: errno, call: "open")) }
      var status = stat()
      let isKnown = fstat(descriptor, &status) == 0
      let kind = status.st_mode & S_IFMT
      let isInside = isKnown && isUnder(root, descriptor)
      if isInside, kind == S_IFREG { return .success(opened(descriptor, Int64(status.st_size), name, readsContent)) }
      Glibc.close(descriptor)
      guard isInside, kind == S_IFDIR else { break }
      name = name.isEmpty ? "index.html" : name + "/index.html"
    }
    return .failure(SystemError(errno: ENOENT, call: "open"))
  }

  /// Up to `count` bytes from where the last read ended; empty at the end and on an error.
  static func read(_ descriptor: Int32, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { return }
        filled += got
      }
    }
  }

  /// Closes after the reads that were asked for before.
  static func close(_ descriptor: Int32) {
    streams.async { Glibc.close(descriptor) }
  }

  private static func opened(_ descriptor: Int32, _ size: Int64, _ name: String, _ readsContent: Bool) -> Opened {
    let file = name.utf8.lastIndex(of: UInt8(ascii: "/")).map { name[name.utf8.index(after: $0)...] } ?? name[...]
    let ending = file.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(file[file.utf8.index(after: $0)...]) } ?? ""
    let mediaType = MediaType.forExtension(ending)
    if readsContent, size > Int64(pieceBytes) { return Opened(descriptor: descriptor, size: size, mediaType: mediaType, start: []) }
    let start = readsContent ? read(descriptor, Int(size)) : []
    Glibc.close(descriptor)
    return Opened(descriptor: -1, size: size, mediaType: mediaType, start: start)
  }

  /// Where the open file really is decides, not its name: links on the way are followed by the kernel, and could be exchanged
  /// between a check of the name and its opening.
  private static func isUnder(_ root: String, _ descriptor: Int32) -> Bool {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/fd/\(descriptor)", &buffer, Int(PATH_MAX))
    guard length > 0 else { return false }
    let path = buffer[..<length].map { UInt8(bitPattern: $0) }
    let root = Array(root.utf8)
    return path == root || root == [UInt8(ascii: "/")] || path.starts(with: root + [UInt8(ascii: "/")])
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
