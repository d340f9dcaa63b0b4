internal import Glibc
internal import HttpWire

/// The system's table of media types.
enum SystemMimeTypes {
  private static let path = "/etc/mime.types"
  /// One above this is no such table.
  private static let maxBytes = 1_048_576

  /// Read at the first use, which therefore must not be on the loop; what can't be read is an empty table.
  static let shared = MimeTypes(parsing: content(of: path))

  static func content(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= maxBytes {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? bytes : [] }
      bytes += chunk[..<count]
    }
    return []
  }
}
