internal import Glibc

/// A value that may stand in a file: `@FILE`, or `@-` for standard input.
enum DataArgument {
  static func read(_ text: String, option: String, keepsLineEnds: Bool) throws(Failure) -> [UInt8] {
    guard text.hasPrefix("@") else { return Array(text.utf8) }
    var bytes: [UInt8] = []
    try File.read(String(text.dropFirst()), option: option) { bytes += $0 }
    return keepsLineEnds ? bytes : bytes.filter { $0 != 0x0a && $0 != 0x0d && $0 != 0 }
  }
}

/// Files that the command line names.
enum File {
  /// Gives the file's bytes piece by piece, as they come; `-` is standard input.
  static func read(_ path: String, option: String, _ piece: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .usage("--\(option): \(path): \(String(cString: strerror(errno)))") }
    defer { if path != "-" { close(descriptor) } }
    var buffer = [UInt8](repeating: 0, count: 262_144)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return }
      if count > 0 {
        try piece(Array(buffer[..<count]))
      } else if errno != EINTR {
        throw Failure(.failure, "reading \(path): \(String(cString: strerror(errno)))")
      }
    }
  }

  /// Makes or empties the file.
  static func create(_ path: String) throws(Failure) -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Failure(.failure, "\(path): \(String(cString: strerror(errno)))") }
    return descriptor
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// For another process, which has a working directory of its own.
  static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    return String(cString: directory) + "/" + path
  }
}
