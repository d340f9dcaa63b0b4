import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) struct LocalAnswerTests {
  /// A client that may read files, looked at afterwards as every client is.
  private func client(allowsFiles: Bool = true, _ test: (HttpClient) async throws -> Void) async throws {
    let client = HttpClient(.test { $0.allowsFileUrls = allowsFiles })
    try await test(client)
    await expectNothingLeft(client)
  }

  private func directory(_ files: (String, [UInt8])...) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for (name, bytes) in files { try directory.write(name, bytes) }
    return directory
  }

  private static func openFiles(under path: String) -> Int {
    (0..<Int32(1_024)).count { descriptor in
      var buffer = [CChar](repeating: 0, count: 4_096)
      let length = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count - 1)
      return length > 0 && String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self).hasPrefix(path)
    }
  }

  @Test func aDataUrlAnswersLikeAResponse() async throws {
    try await client { client in
      let response = try await client.send(HttpRequest("data:text/plain;charset=utf-8,gr%C3%BC%C3%9Fe"))
      #expect(response.status == 200 && response.text == "grüße" && response.headers["Content-Type"] == "text/plain;charset=utf-8")
      #expect(response.headers["Content-Length"] == "7" && response.attempts == 1)
      let numbers = try await client.send(HttpRequest("data:application/json,[1,2]"), as: [Int].self)
      #expect(numbers == [1, 2])
      let head = try await client.send(HttpRequest("data:,hello", method: .head))
      #expect(head.body.isEmpty && head.headers["Content-Length"] == "5")
    }
  }

  @Test func aDataUrlIsJudgedByTheRequestsRules() async throws {
    try await client(allowsFiles: false) { client in
      var request = HttpRequest("data:,abc")
      request.expect = .json
      let error = try await client.failure(request)
      #expect(error.code == .notJson)
      var small = HttpRequest("data:,abcdef")
      small.maxBodyBytes = 5
      let large = try await client.failure(small)
      #expect(large.code == .tooLarge)
      let broken = try await client.failure(HttpRequest("data:;base64,a"))
      #expect(broken.code == .invalidRequest && broken.message == "the data: URL's data is not base64")
    }
  }

  @Test func aFileAnswersLikeAResponse() async throws {
    let directory = try directory(("a b.json", Array(#"{"a": 1}"#.utf8)), ("empty", []), ("page.html", Array("<p>".utf8)))
    try await client { client in
      let response = try await client.send(HttpRequest("file://\(directory.path)/a%20b.json"))
      #expect(response.status == 200 && response.text == #"{"a": 1}"# && response.headers["Content-Type"] == "application/json")
      #expect(response.headers["Content-Length"] == "8")
      let modified = try #require(response.headers["Last-Modified"].flatMap { HttpDate.seconds($0, now: 0) })
      #expect(abs(modified - Int64(time(nil))) < 3_600)
      let empty = try await client.send(HttpRequest("file:\(directory.path)/empty"))
      #expect(empty.status == 200 && empty.body.isEmpty && empty.headers["Content-Type"] == "application/octet-stream")
      let head = try await client.send(HttpRequest("file://localhost\(directory.path)/page.html", method: .head))
      #expect(head.body.isEmpty && head.headers["Content-Length"] == "3" && head.headers["Content-Type"] == "text/html")
    }
    try await waitUntil("all files closed") { Self.openFiles(under: directory.path) == 0 }
  }

  @Test func whatCantBeReadAnswersAsAServerWould() async throws {
    let directory = try directory(("secret", [1]))
    mkfifo(directory.file("pipe"), 0o600)
    symlink("loop", directory.file("loop"))
    try await client { client in
      for (name, status, words) in [
        ("missing", 404, "no such file"), ("secret/below", 404, "no such file"), ("loop", 404, "no such file"),
        ("", 403, "is a directory, which has no content to read"), ("pipe", 403, "is no regular file, which has no content to read"),
      ] {
        let error = try await client.failure(HttpRequest("file://\(directory.path)/\(name)"))
        #expect(error.code == .httpStatus && error.status == status && error.response?.text.contains(words) == true, "\(name): \(error)")
      }
      var accepting = HttpRequest("file://\(directory.path)/missing")
      accepting.acceptStatus = [404]
      let accepted = try await client.send(accepting)
      #expect(accepted.status == 404 && accepted.headers["Content-Type"] == "text/plain; charset=utf-8")
      let device = try await client.failure(HttpRequest("file:///dev/zero"))
      #expect(device.status == 403)
    }
    try await waitUntil("all files closed") { Self.openFiles(under: directory.path) == 0 }
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func aFileWithoutPermissionIs403() async throws {
    let directory = try directory(("secret", [1]))
    chmod(directory.file("secret"), 0)
    try await client { client in
      let error = try await client.failure(HttpRequest("file://\(directory.path)/secret"))
      #expect(error.status == 403)
    }
  }

  @Test func filesAreOffByDefault() async throws {
    let directory = try directory(("a", [1]))
    try await client(allowsFiles: HttpClient.Configuration().allowsFileUrls) { client in
      let error = try await client.failure(HttpRequest("file://\(directory.path)/a"))
      #expect(error.code == .denied && error.message == "file: URLs are not allowed here (allows_file_urls)")
    }
  }

  @Test func whatOnlyAServerCouldDoIsRefused() async throws {
    try await client { client in
      let rows: [(HttpRequest, String)] = [
        (HttpRequest("data:,x", method: .post), "method"), (HttpRequest("file:///etc/hostname", method: .delete), "method"),
        (HttpRequest("data:,x", params: [HttpParam("a", "b")]), "params"), (HttpRequest("data:,x", method: .get, body: .text("b")), "body"),
        (HttpRequest("data:x"), "url"), (HttpRequest("file://elsewhere/x"), "url"),
      ]
      for (request, field) in rows {
        let error = try await client.failure(request)
        #expect(error.code == .invalidRequest && error.field == field)
      }
    }
  }

  @Test func aLargeFileComesInPiecesAndWaitsForASlowDelegate() async throws {
    let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let directory = try directory(("large", bytes))
    try await client { client in
      let gate = Gate()
      let delegate = RecordingDelegate([.bodyChunks, .head], before: { if case .chunk = $0 { gate.pass() } })
      let handle = client.submit(HttpRequest("file://\(directory.path)/large"), delegate: delegate)
      try await client.wait(for: handle) { $0.connection?.isPaused($0) == true }
      let untaken = await client.onLoop { $0.engine.table[handle].map { (untaken: $0.untaken, received: $0.receivedCount) } }
      #expect(untaken.map { $0.received < 2_000_000 } == true)
      gate.open()
      try await delegate.outcomes.first(1)
      var body: [UInt8] = []
      for case (_, .chunk(let piece)) in delegate.events.all { body += piece }
      #expect(body == bytes)
      #expect(delegate.events.all.map(\.event.name).first == "head")
    }
    try await waitUntil("all files closed") { Self.openFiles(under: directory.path) == 0 }
  }

  @Test func aLargeBodyOfEitherKindArrivesWhole() async throws {
    let bytes = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let directory = try directory(("large", bytes))
    try await client { client in
      let file = try await client.send(HttpRequest("file://\(directory.path)/large"))
      #expect(file.body == bytes)
      let data = try await client.send(HttpRequest("data:application/octet-stream;base64,\(Base64.encode(bytes))"))
      #expect(data.body == bytes)
      var small = HttpRequest("file://\(directory.path)/large")
      small.maxBodyBytes = 1_000_000
      let error = try await client.failure(small)
      #expect(error.code == .tooLarge)
    }
    try await waitUntil("all files closed") { Self.openFiles(under: directory.path) == 0 }
  }

  @Test func aFileThatIsShortenedMeanwhileIsTruncated() async throws {
    let directory = try directory(("large", [UInt8](repeating: 1, count: 4_000_000)))
    let path = directory.file("large")
    try await client { client in
      let gate = Gate()
      let delegate = RecordingDelegate([.bodyChunks], before: { if case .chunk = $0 { gate.pass() } })
      let handle = client.submit(HttpRequest("file://\(path)"), delegate: delegate)
      try await client.wait(for: handle) { $0.connection?.isPaused($0) == true }
      #expect(truncate(path, 100) == 0)
      gate.open()
      let told = try await delegate.outcomes.first(1)
      #expect(told[0].event.error?.code == .truncated && told[0].event.error?.message.contains("shortened") == true)
    }
    try await waitUntil("all files closed") { Self.openFiles(under: directory.path) == 0 }
  }

  @Test func itIsCancelledLikeAnyOther() async throws {
    let directory = try directory(("large", [UInt8](repeating: 1, count: 4_000_000)))
    try await client { client in
      let gate = Gate()
      let delegate = RecordingDelegate([.bodyChunks], before: { if case .chunk = $0 { gate.pass() } })
      let handle = client.submit(HttpRequest("file://\(directory.path)/large"), delegate: delegate)
      try await client.wait(for: handle) { $0.connection?.isPaused($0) == true }
      let receipt = await client.cancel(handle)
      #expect(receipt.result == .cancelled)
      gate.open()
      let told = try await delegate.outcomes.first(1)
      #expect(told[0].event.name == "cancelled")
      // Cancelled at any earlier moment.
      for _ in 0..<200 {
        let early = client.submit(HttpRequest("file://\(directory.path)/large"), delegate: nil)
        client.cancel(early, completion: nil)
      }
      await client.shutdown(grace: .zero)
    }
    try await waitUntil("all files closed") { Self.openFiles(under: directory.path) == 0 }
  }

  @Test func itIsListedWithoutItsData() async throws {
    try await client { client in
      let gate = Gate()
      let delegate = RecordingDelegate(before: { _ in gate.pass() })
      let handle = client.submit(HttpRequest("data:text/plain,secret"), delegate: delegate)
      try await gate.reached.first(1)
      let description = await client.onLoop { $0.describe(handle) }
      #expect(description?.info.url == "data:text/plain,…")
      gate.open()
      try await delegate.outcomes.first(1)
      client.submit(HttpRequest("data:text/plain,secret", method: .post), delegate: delegate)
      let told = try await delegate.outcomes.first(2)
      #expect(told[1].info.url == "data:text/plain,…", "nor one that is refused")
    }
  }

  @Test func aFileOfTheKernelsThatTellsNoSizeIsReadToItsEnd() async throws {
    try await client { client in
      let response = try await client.send(HttpRequest("file:///proc/self/status"))
      #expect(response.text.hasPrefix("Name:") && response.headers["Content-Length"] == "\(response.body.count)")
    }
  }

  @Test func manyAtOnceAllArrive() async throws {
    let directory = try directory(("a", Array("here".utf8)))
    try await client { client in
      try await withThrowingTaskGroup { group in
        for index in 0..<300 {
          group.addTask {
            let url = index % 2 == 0 ? "data:,here" : "file://\(directory.path)/a"
            let response = try await client.send(HttpRequest(url))
            #expect(response.text == "here")
          }
        }
        try await group.waitForAll()
      }
    }
    try await waitUntil("all files closed") { Self.openFiles(under: directory.path) == 0 }
  }

  @Test func aRedirectNeverLeadsToAFile() async throws {
    let directory = try directory(("a", Array("secret".utf8)))
    try await scene(.test { $0.allowsFileUrls = true }) { connection, request in
      connection.answer(status: 302, fields: "Location: \(request.target == "/file" ? "file://\(directory.path)/a" : "data:,x")\r\n")
    } test: { client, peer in
      for path in ["/file", "/data"] {
        let error = try await client.failure(HttpRequest(await peer.url(path)))
        #expect(error.code == .malformedResponse, "\(error)")
      }
    }
  }
}
