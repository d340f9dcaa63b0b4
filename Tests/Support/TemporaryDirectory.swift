import Glibc

/// A directory of its own for one test; removed with all that is in it when the value is let go.
public final class TemporaryDirectory: Sendable {
  public let path: String

  public init() throws {
    var template = Array("/tmp/errand-test-XXXXXX".utf8CString)
    guard template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) != nil else {
      throw TestTimeout("mkdtemp: errno \(errno)")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    TemporaryDirectory.remove(path)
  }

  private static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR, let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { remove(path + "/" + name) }
      }
      closedir(directory)
    }
    _ = Glibc.remove(path)
  }

  /// The path of `name` within.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file, and gives its path.
  @discardableResult
  public func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = file(name)
    guard let stream = fopen(path, "w") else { throw TestTimeout("fopen \(path): errno \(errno)") }
    defer { fclose(stream) }
    guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else { throw TestTimeout("fwrite \(path): errno \(errno)") }
    return path
  }
}
