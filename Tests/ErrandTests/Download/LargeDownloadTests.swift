import EventLoop
import Glibc
import Hashing
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Files of a real server, and of sizes that count.
@Suite(.timeLimit(.minutes(10))) struct LargeDownloadTests {
  private static let isSanitized = getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil

  /// A file of mostly zeros that takes hardly any room.
  private func sparse(_ path: String, _ size: Int) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    defer { close(descriptor) }
    guard descriptor >= 0, ftruncate(descriptor, size) == 0 else { throw TestTimeout("can't make \(path)") }
    for offset in stride(from: 0, to: size - 64, by: max(1, size / 13)) {
      let mark = Array("at \(offset)".utf8)
      guard pwrite(descriptor, mark, mark.count, offset) == mark.count else { throw TestTimeout("can't write \(path)") }
    }
  }

  private func hash(_ path: String) throws -> Checksum? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TestTimeout("can't open \(path)") }
    defer { close(descriptor) }
    let stream = HashStream(.sha256)
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { buffer[..<count].withUnsafeBytes(stream.update) }
    return Checksum(.sha256, stream.finish())
  }

  private func served(_ size: Int, _ body: (_ url: String, _ files: TemporaryDirectory) async throws -> Void) async throws {
    let files = try TemporaryDirectory()
    chmod(files.path, 0o755)
    try sparse(files.file("large"), size)
    let server = try await NginxServer { ports in
      """
      map $http_x_rate $rate { default 0; "" 0; ~^(?<number>[0-9]+)$ $number; }
      server {
        listen 127.0.0.1:\(ports[0]); root \(files.path); sendfile on; sendfile_max_chunk 1m;
        limit_rate_after 40m; set $limit_rate $rate;
      }
      """
    }
    defer { server.stop() }
    try await body("http://127.0.0.1:\(server.port)/large", files)
  }

  @Test func aFileOfTwoGibibytesTakesNoMemory() async throws {
    let size = LargeDownloadTests.isSanitized ? 128 << 20 : 2 << 30
    var room = statvfs()
    try #require(statvfs("/tmp", &room) == 0 && UInt64(room.f_bavail) * UInt64(room.f_frsize) > UInt64(size) + (1 << 30), "no room in /tmp")
    try await served(size) { url, _ in
      let directory = try TemporaryDirectory()
      let client = HttpClient(.test { $0.timeouts.total = .seconds(300) })
      // What is allocated once is not counted.
      _ = try await client.send(.downloading(url, Download(to: directory.file("first"))) { $0.headers = ["Range": "bytes=0-4000000"] })
      let before = residentBytes()
      let most = Record<Int>("resident memory")
      let delegate = MemoryDelegate(most)
      client.submit(.downloading(url, Download(to: directory.file("large"))), delegate: delegate)
      let ends = try await waitLong(for: delegate.ends)
      #expect(ends == ["\(size)"])
      let grown = (most.all.max() ?? 0) - before
      #expect(!most.all.isEmpty)
      if !LargeDownloadTests.isSanitized { #expect(grown < 8 << 20, "grown by \(grown) bytes") }
      await client.shutdown(grace: .zero)
    }
  }

  /// The record's own patience is a minute, which a slow disk may take.
  private func waitLong(for record: Record<String>) async throws -> [String] {
    for _ in 0..<5 {
      if let events = try? await record.first(1) { return events }
    }
    return try await record.first(1)
  }

  @Test func aProcessThatIsKilledLeavesAPartThatTheNextOneGoesOnWith() async throws {
    let size = LargeDownloadTests.isSanitized ? 64 << 20 : 256 << 20
    try await served(size) { url, files in
      let directory = try TemporaryDirectory()
      let checksum = try #require(try hash(files.file("large")))
      // Killed without a chance to clean up, three times in the middle.
      for round in 1...3 {
        let child = try ChildDownload.start(url, to: directory.file("file"))
        let enough = round * 12 << 20
        try await waitUntil("a part of \(enough) bytes; \(child.output)") {
          length(directory.file(".file.errand-part")) >= enough || child.hasEnded
        }
        child.end(with: SIGKILL)
        #expect(directory.names == [".file.errand-part", ".file.errand-part.info"])
      }
      let client = HttpClient(.test)
      let response = try await client.send(.downloading(url, Download(to: directory.file("file"), resumes: true, checksum: checksum)))
      #expect(response.status == 206 && response.file?.byteCount == Int64(size))
      #expect(try hash(directory.file("file")) == checksum)
      #expect(directory.names == ["file"])
      await client.shutdown(grace: .zero)
    }
  }

  private func length(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}

/// The same test program, run as a process that only downloads.
enum ChildDownload {
  private static let variable = "ERRAND_TEST_CHILD_DOWNLOAD"

  static var isChild: Bool { getenv(variable) != nil }

  static func start(_ url: String, to path: String) throws -> PeerProcess {
    setenv(variable, "\(url) \(path)", 1)
    defer { unsetenv(variable) }
    let program = try #require(realpath("/proc/self/exe", nil).map { String(cString: $0) })
    return try PeerProcess([program, "--testing-library", "swift-testing", "--disable-xctest", "--filter", "ChildDownloadTests"])
  }

  /// What it is to download, and where to.
  static var order: (url: String, path: String)? {
    guard let words = getenv(variable).map({ String(cString: $0).split(separator: " ").map(String.init) }), words.count == 2 else {
      return nil
    }
    return (words[0], words[1])
  }
}

@Suite(.enabled(if: ChildDownload.isChild)) struct ChildDownloadTests {
  @Test func downloads() async throws {
    let (url, path) = try #require(ChildDownload.order)
    // Fast at first, then slow enough to be killed in the middle.
    let request = HttpRequest.downloading(url, Download(to: path, resumes: true)) { $0.headers = ["X-Rate": "1000000"] }
    _ = try await HttpClient(.test).send(request)
  }
}

private func residentBytes() -> Int {
  let fields = PeerProcess.text(of: "/proc/self/statm").split(separator: " ")
  return fields.count > 1 ? (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
}

private final class MemoryDelegate: HttpClientDelegate {
  let ends = Record<String>("ends")
  private let most: Record<Int>

  init(_ most: Record<Int>) {
    self.most = most
  }

  var interests: RequestInterests { .downloadProgress }
  func requestDidFinish(_ request: RequestInfo, response: HttpResponse) { ends.add("\(response.file?.byteCount ?? -1)") }
  func requestDidFail(_ request: RequestInfo, error: HttpClientError) { ends.add("\(error)") }
  func request(_ request: RequestInfo, didReceive progress: TransferProgress) { most.add(residentBytes()) }
}
