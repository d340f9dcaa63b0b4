import EventLoop
import Glibc
import Hashing
import HttpWire
import TestSupport
import Testing

@testable import Errand

extension HttpRequest {
  /// A request whose body goes to a file.
  static func downloading(_ url: String, _ download: Download, _ change: (inout HttpRequest) -> Void = { _ in }) -> HttpRequest {
    var request = HttpRequest(url)
    request.download = download
    change(&request)
    return request
  }
}

extension TemporaryDirectory {
  /// The names of all that is in it, hidden ones too.
  var names: [String] {
    var names: [String] = []
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func text(_ name: String) -> String { PeerProcess.text(of: file(name)) }

  /// Waits for files that are removed after their request has ended.
  func wait(for names: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await waitUntil("\(names) in a directory that has \(self.names)") { self.names == names }
  }
}

/// A file on a server, with what it says of it.
struct ServedFile: Sendable {
  var bytes: [UInt8]
  var etag: String? = "\"v1\""
  var fields = ""
  /// Of an answer without a body, if it is none of the file.
  var failure: Int?
  /// After so many bytes of an answer the connection is cut.
  var cutAfter: Int?

  static func text(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(ascii: "a") + UInt8($0 * 7 % 26) }
  }

  /// Answers as RFC 9110 section 14 says.
  @LoopActor func answer(_ connection: PeerConnection, _ request: SeenRequest) {
    if let failure { return connection.answer("", status: failure) }
    var from = 0
    let condition = request.head.headers["If-Range"]
    if let range = request.head.headers["Range"], condition == nil || condition == etag {
      from = Int(range.dropFirst(6).dropLast()) ?? 0
      if from >= bytes.count {
        return connection.answer("", status: 416, fields: "Content-Range: bytes */\(bytes.count)\r\n")
      }
    }
    var head = "HTTP/1.1 \(from > 0 ? 206 : 200) Said\r\nContent-Length: \(bytes.count - from)\r\n" + fields
    if let etag { head += "ETag: \(etag)\r\n" }
    if from > 0 { head += "Content-Range: bytes \(from)-\(bytes.count - 1)/\(bytes.count)\r\n" }
    connection.write(head + "\r\n")
    guard let cutAfter, from + cutAfter < bytes.count else { return connection.write(Array(bytes[from...])) }
    connection.write(Array(bytes[from..<(from + cutAfter)]))
    connection.endWriting()
  }
}

/// What of it a test changes from one request to the next.
@LoopActor
final class FileServer {
  var file: ServedFile

  nonisolated init(_ file: ServedFile) {
    self.file = file
  }

  func change(_ change: @Sendable (inout ServedFile) -> Void) { change(&file) }
  func answer(_ connection: PeerConnection, _ request: SeenRequest) { file.answer(connection, request) }
}

/// How many descriptors this process has open.
func openDescriptors() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return 0 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count
}
