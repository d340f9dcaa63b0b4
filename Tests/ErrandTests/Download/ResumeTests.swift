import EventLoop
import Glibc
import Hashing
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct ResumeTests {
  private let bytes = ServedFile.text(10_000)

  /// Runs `first` against a server that cuts after 4,000 bytes, then `test` with what that left.
  private func cut(
    _ file: ServedFile? = nil, leaves names: [String] = [".file.errand-part", ".file.errand-part.info"],
    _ test: (HttpClient, ScriptedPeer, FileServer, TemporaryDirectory, HttpRequest) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    var file = file ?? ServedFile(bytes: bytes)
    file.cutAfter = 4_000
    let server = FileServer(file)
    try await scene {
      server.answer($0, $1)
    } test: { client, peer in
      let request = HttpRequest.downloading(await peer.url(), Download(to: directory.file("file"), resumes: true))
      let failure = try await client.failure(request)
      #expect(failure.code == .truncated)
      try await directory.wait(for: names)
      await server.change { $0.cutAfter = nil }
      try await test(client, peer, server, directory, request)
    }
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func whatCameBeforeIsGoneOnWith() async throws {
    try await cut { client, peer, _, directory, request in
      let response = try await client.send(request)
      #expect(response.status == 206)
      #expect(response.file == DownloadedFile(path: directory.file("file"), byteCount: 10_000, resumedFrom: 4_000))
      #expect(directory.text("file") == text(bytes) && directory.names == ["file"])
      #expect(peer.requests.all[1].head.headers["Range"] == "bytes=4000-")
      #expect(peer.requests.all[1].head.headers["If-Range"] == "\"v1\"")
    }
  }

  @Test func aFileThatChangedComesFromTheStart() async throws {
    try await cut { client, peer, server, directory, request in
      let changed = Array(bytes.reversed())
      await server.change { ($0.bytes, $0.etag) = (changed, "\"v2\"") }
      let response = try await client.send(request)
      #expect(response.status == 200 && response.file?.resumedFrom == 0)
      #expect(directory.text("file") == text(changed) && directory.names == ["file"])
      #expect(peer.requests.count == 2)
    }
  }

  @Test(arguments: ["W/\"weak\"", nil]) func withoutAStrongValidatorNothingIsKept(etag: String?) async throws {
    try await cut(ServedFile(bytes: bytes, etag: etag), leaves: []) { client, peer, _, directory, request in
      _ = try await client.send(request)
      #expect(directory.text("file") == text(bytes))
      #expect(peer.requests.all[1].head.headers["Range"] == nil)
    }
  }

  @Test func aLastModifiedThatIsOldEnoughWillDo() async throws {
    let fields = "Last-Modified: Mon, 02 Nov 2020 10:00:00 GMT\r\nDate: Mon, 02 Nov 2020 10:00:01 GMT\r\n"
    try await cut(ServedFile(bytes: bytes, etag: nil, fields: fields)) { client, peer, server, directory, request in
      // This server compares ETags only, and so it is one that does not agree.
      _ = try await client.send(request)
      #expect(peer.requests.all[1].head.headers["If-Range"] == "Mon, 02 Nov 2020 10:00:00 GMT")
      #expect(directory.text("file") == text(bytes))
    }
  }

  @Test func aServerWithoutRangesSendsItFromTheStart() async throws {
    try await cut { client, _, server, directory, request in
      await server.change { $0.etag = "\"v1\"x" }
      let response = try await client.send(request)
      #expect(response.status == 200)
      #expect(directory.text("file") == text(bytes) && directory.names == ["file"])
    }
  }

  @Test(arguments: [
    "HTTP/1.1 206 Said\r\nContent-Length: 4\r\nContent-Range: bytes 3999-4002/10000\r\n\r\noops",
    "HTTP/1.1 206 Said\r\nContent-Length: 4\r\nContent-Range: bytes 4000-4003/20000\r\n\r\noops",
    "HTTP/1.1 206 Said\r\nContent-Length: 4\r\nETag: \"v2\"\r\nContent-Range: bytes 4000-4003/10000\r\n\r\noops",
    "HTTP/1.1 206 Said\r\nContent-Length: 4\r\n\r\noops",
    "HTTP/1.1 416 Said\r\nContent-Length: 4\r\nContent-Range: bytes */17\r\n\r\noops",
    "HTTP/1.1 416 Said\r\nContent-Length: 4\r\n\r\noops",
  ]) func anAnswerThatDoesNotGoOnIsAskedAgainFromTheStartOnce(answer: String) async throws {
    let directory = try TemporaryDirectory()
    let server = FileServer(ServedFile(bytes: bytes, cutAfter: 4_000))
    try await scene { connection, request in
      if request.head.headers["Range"] != nil { connection.write(answer) } else { server.answer(connection, request) }
    } test: { client, peer in
      let request = HttpRequest.downloading(await peer.url(), Download(to: directory.file("file"), resumes: true))
      let failure = try await client.failure(request)
      #expect(failure.code == .truncated)
      try await directory.wait(for: [".file.errand-part", ".file.errand-part.info"])
      await server.change { $0.cutAfter = nil }
      let response = try await client.send(request)
      #expect(response.status == 200 && directory.text("file") == text(bytes) && directory.names == ["file"])
      #expect(peer.requests.all.map { $0.head.headers["Range"] } == [nil, "bytes=4000-", nil])
      #expect(peer.requests.all.last?.head.headers["If-Range"] == nil)
    }
  }

  @Test func aPartThatIsWholeAlreadyIsPutInItsPlace() async throws {
    try await cut { client, peer, _, directory, request in
      try directory.write(".file.errand-part", bytes)
      var request = request
      request.download?.checksum = Checksum(.sha256, HashAlgorithm.sha256.hash(bytes))
      let response = try await client.send(request)
      #expect(response.status == 416 && response.file?.byteCount == 10_000 && response.body.isEmpty)
      #expect(directory.text("file") == text(bytes) && directory.names == ["file"])
    }
  }

  @Test func aTargetIsTakenForAPartWhereThereIsNone() async throws {
    let directory = try TemporaryDirectory()
    let server = FileServer(ServedFile(bytes: bytes))
    let path = try directory.write("file", Array(bytes[..<3_000]))
    try await scene {
      server.answer($0, $1)
    } test: { client, peer in
      let request = HttpRequest.downloading(await peer.url(), Download(to: path, resumes: true))
      let response = try await client.send(request)
      #expect(response.file?.resumedFrom == 3_000)
      #expect(directory.text("file") == text(bytes) && directory.names == ["file"])
      #expect(peer.requests.all[0].head.headers["Range"] == "bytes=3000-" && peer.requests.all[0].head.headers["If-Range"] == nil)
      // Now it is whole.
      let again = try await client.send(request)
      #expect(again.status == 416 && again.file?.byteCount == 10_000 && directory.text("file") == text(bytes))
      // And this is not it.
      await server.change { $0.bytes.removeLast() }
      let secondResponse = try await client.send(request)
      #expect(secondResponse.status == 200)
      #expect(directory.text("file") == text(Array(bytes.dropLast())) && directory.names == ["file"])
    }
  }

  @Test(arguments: ["\"v1\"", nil]) func aTargetThatWasTakenIsNotLostWithItsConnection(etag: String?) async throws {
    let directory = try TemporaryDirectory()
    let server = FileServer(ServedFile(bytes: bytes, etag: etag, cutAfter: 2_000))
    let path = try directory.write("file", Array(bytes[..<3_000]))
    try await scene {
      server.answer($0, $1)
    } test: { client, peer in
      let request = HttpRequest.downloading(await peer.url(), Download(to: path, resumes: true))
      let failure = try await client.failure(request)
      #expect(failure.code == .truncated)
      try await directory.wait(for: etag == nil ? ["file"] : [".file.errand-part", ".file.errand-part.info"])
      await server.change { $0.cutAfter = nil }
      let response = try await client.send(request)
      #expect(response.file?.resumedFrom == 5_000)
      #expect(directory.text("file") == text(bytes) && directory.names == ["file"])
    }
  }

  @Test func aFailingAnswerLeavesThePartAsItIs() async throws {
    try await cut { client, _, server, directory, request in
      await server.change { $0.failure = 503 }
      let failure = try await client.failure(request)
      #expect(failure.code == .httpStatus)
      try await client.wait("the file to be closed") { $0.engine.openDownloads == 0 }
      #expect(directory.text(".file.errand-part").utf8.count == 4_000)
      await server.change { $0.failure = nil }
      let response = try await client.send(request)
      #expect(response.file?.resumedFrom == 4_000)
      #expect(directory.text("file") == text(bytes) && directory.names == ["file"])
    }
  }

  @Test func anotherUrlsPartIsOfNoUse() async throws {
    try await cut { client, peer, _, directory, request in
      var request = request
      request.url = await peer.url("/other")
      let response = try await client.send(request)
      #expect(response.file?.resumedFrom == 0)
      #expect(peer.requests.all[1].head.headers["Range"] == nil && directory.names == ["file"])
    }
  }

  @Test func aRecordThatIsDamagedMakesItsPartUseless() async throws {
    try await cut { client, peer, _, directory, request in
      try directory.write(".file.errand-part.info", Array("{\"url\": ".utf8))
      _ = try await client.send(request)
      #expect(peer.requests.all[1].head.headers["Range"] == nil && directory.names == ["file"])
      #expect(directory.text("file") == text(bytes))
    }
  }

  @Test func twoDownloadsDoNotWriteOnePart() async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"v\"\r\n\r\non")
    } test: { client, peer in
      let request = HttpRequest.downloading(await peer.url(), Download(to: directory.file("file"), resumes: true))
      async let first = client.send(request)
      try await waitUntil("the part") { directory.text(".file.errand-part") == "on" }
      let error = try await client.failure(request)
      #expect(error.code == .file && error.message.contains("another download"), "\(error)")
      await peer.writeInOneTurn([(1, "ce")])
      _ = try await first
      #expect(directory.text("file") == "once" && directory.names == ["file"])
    }
  }

  @Test func aCancelledDownloadKeepsItsPart() async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"v\"\r\n\r\non")
    } test: { client, peer in
      let request = HttpRequest.downloading(await peer.url(), Download(to: directory.file("file"), resumes: true))
      let handle = client.submit(request, delegate: nil)
      try await waitUntil("the part") { directory.text(".file.errand-part") == "on" }
      let receipt = await client.cancel(handle)
      #expect(receipt.result == .cancelled)
      try await client.wait("the file to be closed") { $0.engine.openDownloads == 0 }
      #expect(directory.names == [".file.errand-part", ".file.errand-part.info"])
    }
  }

  @Test func oneThatIsCancelledWhileItWaitsForAPartOpensNothing() async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"v\"\r\n\r\non")
    } test: { client, peer in
      let before = openDescriptors()
      let request = HttpRequest.downloading(await peer.url(), Download(to: directory.file("file"), resumes: true))
      let first = client.submit(request, delegate: nil)
      try await waitUntil("the part") { directory.text(".file.errand-part") == "on" }
      await client.onLoop { client in
        _ = client.cancelOnLoop(first)
        let second = client.submitOnLoop(request, sink: Outcomes(Record("outcomes")))
        _ = client.cancelOnLoop(second)
      }
      try await client.wait("the files to be closed") { $0.engine.openDownloads == 0 }
      await client.shutdown(grace: .zero)
      await peer.cutAll()
      try await waitUntil("descriptors as before") { openDescriptors() <= before }
      #expect(directory.names == [".file.errand-part", ".file.errand-part.info"])
    }
  }

  @Test func aCallersOwnRangeIsWrittenAsItComes() async throws {
    let directory = try TemporaryDirectory()
    let server = FileServer(ServedFile(bytes: bytes))
    try await scene {
      server.answer($0, $1)
    } test: { client, peer in
      let request = HttpRequest.downloading(await peer.url(), Download(to: directory.file("file"), resumes: true)) {
        $0.headers = ["Range": "bytes=9990-"]
      }
      let response = try await client.send(request)
      #expect(response.file?.byteCount == 10)
      #expect(directory.text("file") == text(Array(bytes[9_990...])) && directory.names == ["file"])
    }
  }

  @Test func aPartNobodyAskedForIsNoFile() async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      connection.answer("part", status: 206, fields: "Content-Range: bytes 4-7/100\r\n")
    } test: { client, peer in
      let error = try await client.failure(.downloading(await peer.url(), Download(to: directory.file("file"))))
      #expect(error.code == .malformedResponse && directory.names.isEmpty, "\(error)")
    }
  }

  @Test func moreOrLessThanTheRangeSaysIsNotTheWhole() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("file", Array("0123".utf8))
    try await scene { connection, _ in
      connection.answer("45", status: 206, fields: "ETag: \"v\"\r\nContent-Range: bytes 4-5/10\r\n")
    } test: { client, peer in
      let error = try await client.failure(.downloading(await peer.url(), Download(to: directory.file("file"), resumes: true)))
      #expect(error.code == .truncated && error.message.contains("2 bytes"), "\(error)")
      try await client.wait("the file to be closed") { $0.engine.openDownloads == 0 }
      #expect(directory.text(".file.errand-part") == "012345")
    }
  }
}
