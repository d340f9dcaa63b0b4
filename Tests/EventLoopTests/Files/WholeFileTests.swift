import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("Whole files")
struct WholeFileTests {
  private func names(_ directory: TemporaryDirectory) throws -> [String] {
    let stream = try #require(opendir(directory.path))
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  @Test("what was written is read, for its owner alone, and nothing stays beside it", arguments: [0, 1, 65_536, 200_000], [true, false])
  func writing(count: Int, isOnlyWriter: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("file", Array("before".utf8))
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    try WholeFile.write(bytes, to: path, isOnlyWriter: isOnlyWriter)
    #expect(try WholeFile.read(path, limit: count) == bytes)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try names(directory) == ["file"])
  }

  @Test("the only writer writes over what a killed one left; others do not meet it")
  func left() throws {
    let directory = try TemporaryDirectory()
    _ = try directory.write("file.new", [UInt8](repeating: 1, count: 100))
    try WholeFile.write([2], to: directory.file("file"))
    #expect(try names(directory) == ["file", "file.new"])
    try WholeFile.write([3], to: directory.file("file"), isOnlyWriter: true)
    #expect(try names(directory) == ["file"] && WholeFile.read(directory.file("file"), limit: 1) == [3])
  }

  @Test(
    "a file above the limit is refused, one at it is not",
    arguments: [(9, 9, true), (10, 9, false), (70_000, 65_536, false), (0, 0, true)])
  func limit(count: Int, limit: Int, isRead: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("file", [UInt8](repeating: 1, count: count))
    if isRead {
      #expect(try WholeFile.read(path, limit: limit).count == count)
    } else {
      #expect(throws: SystemError(errno: EFBIG, call: "read")) { try WholeFile.read(path, limit: limit) }
    }
  }

  @Test("what can't be read says which call failed")
  func failures() throws {
    let directory = try TemporaryDirectory()
    #expect(throws: SystemError(errno: ENOENT, call: "open")) { try WholeFile.read(directory.file("none"), limit: 1) }
    #expect(throws: SystemError(errno: EISDIR, call: "read")) { try WholeFile.read(directory.path, limit: 1) }
    #expect(throws: SystemError(errno: EINVAL, call: "open")) { try WholeFile.read("\(directory.path)/a\0b", limit: 1) }
    #expect(throws: SystemError(errno: EINVAL, call: "open")) { try WholeFile.write([], to: "\(directory.path)/a\0b") }
  }

  @Test("what can't be put in its place leaves the old file, and nothing beside it", arguments: [true, false])
  func unplaced(isOnlyWriter: Bool) throws {
    let directory = try TemporaryDirectory()
    #expect(throws: SystemError(errno: ENOENT, call: "open")) {
      try WholeFile.write([1], to: directory.file("none/file"), isOnlyWriter: isOnlyWriter)
    }
    #expect(mkdir(directory.file("taken"), 0o700) == 0)
    #expect(throws: SystemError(errno: EISDIR, call: "rename")) {
      try WholeFile.write([1], to: directory.file("taken"), isOnlyWriter: isOnlyWriter)
    }
    #expect(try names(directory) == ["taken"])
  }
}
