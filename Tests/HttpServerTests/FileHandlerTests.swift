import EventLoop
import Glibc
import HttpServer
import HttpWire
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct FileHandlerTests {
  private let directory: TemporaryDirectory
  private let handler: FileHandler
  private static let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  init() throws {
    directory = try TemporaryDirectory()
    mkdir(directory.file("root"), 0o755)
    mkdir(directory.file("root/sub"), 0o755)
    mkdir(directory.file("root/empty"), 0o755)
    mkdir(directory.file("rootless"), 0o755)
    try directory.write("secret", Array("secret".utf8))
    try directory.write("rootless/secret", Array("secret".utf8))
    try directory.write("root/a b.txt", Array("spaced".utf8))
    try directory.write("root/data.json", Array("{}".utf8))
    try directory.write("root/sub/index.html", Array("<p>sub".utf8))
    try directory.write("root/large.bin", FileHandlerTests.large)
    try directory.write("root/nothing", [])
    symlink("../secret", directory.file("root/out"))
    symlink("../rootless", directory.file("root/aside"))
    symlink("data.json", directory.file("root/in"))
    mkfifo(directory.file("root/pipe"), 0o644)
    handler = FileHandler(root: directory.file("root"), prefix: "/files", priority: -1)
  }

  @Test func filesHaveTypeLengthAndContent() async throws {
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      for (name, type, body) in [
        ("data.json", "application/json", "{}"), ("a%20b.txt", "text/plain; charset=utf-8", "spaced"),
        ("sub/", "text/html; charset=utf-8", "<p>sub"), ("sub", "text/html; charset=utf-8", "<p>sub"),
        ("./sub//./index.html?x=1", "text/html; charset=utf-8", "<p>sub"), ("nothing", "application/octet-stream", ""),
        ("in", "application/octet-stream", "{}"),
      ] {
        let response = try await client.exchange(get("/files/\(name)"))
        #expect(response.status == 200)
        #expect(response.text == body)
        #expect(response.head.headers["content-type"] == type)
        #expect(response.head.headers["content-length"] == "\(body.utf8.count)")
      }
      let head = try await client.exchange(get("/files/large.bin", method: "HEAD"), method: .head)
      #expect(head.head.headers["content-length"] == "3000000")
      #expect(try await client.exchange(get("/files/data.json", method: "POST")).head.headers["allow"] == "GET, HEAD")
      #expect(try await client.exchange(get("/hello")).text == "hello")
    }
  }

  @Test func aLargeFileIsReadAsThePeerTakesIt() async throws {
    try await serving(with(\.highWaterBytes, 65_536), handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      client.isReading = false
      client.send(get("/files/large.bin"))
      await pause(.milliseconds(10))
      client.isReading = true
      #expect(try await client.response().body == FileHandlerTests.large)
      // Also to one that ended its writing half.
      client.send(get("/files/large.bin"))
      client.endWriting()
      #expect(try await client.response().body == FileHandlerTests.large)
    }
  }

  @Test(arguments: [
    "missing", "empty/", "../secret", "%2e%2e/secret", "sub/../../secret", "sub/..%2f..%2fsecret", "%2e%2e%2fsecret", "..%00", "%zz",
    "out", "aside/secret", "pipe", "data.json/x", "%c3%28", "sub%00",
  ])
  func whatIsMissingOrOutsideOfTheRootIs404(name: String) async throws {
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange(get("/files/\(name)"))
      #expect(response.status == 404)
      #expect(!response.text.contains("secret"))
    }
  }

  @Test func aPeerThatLeavesInTheMiddleOfAFileIsForgotten() async throws {
    try await serving(handlers: [handler]) { server, address in
      for _ in 0..<20 {
        let client = try TestSocket(address)
        client.send(get("/files/large.bin"))
        _ = try await client.read(100_000)
        client.reset()
      }
      try await waitUntil { server.connectionCount == 0 }
    }
    let path = directory.file("root/large.bin")
    try await waitUntil("the file to be closed") { openFiles(path) == 0 }
  }

  private func openFiles(_ path: String) -> Int {
    (0..<1_024).count { number in
      var buffer = [CChar](repeating: 0, count: 4_096)
      let length = readlink("/proc/self/fd/\(number)", &buffer, 4_095)
      return length > 0 && String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) == path
    }
  }
}
