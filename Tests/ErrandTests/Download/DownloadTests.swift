import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct DownloadTests {
  @Test func aBodyGoesToItsFileAndTheRequestEndsWhenThatIsWhole() async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      connection.answer("the body", fields: "X-Field: 1\r\n")
    } test: { client, peer in
      let path = directory.file("file.txt")
      let response = try await client.send(.downloading(await peer.url(), Download(to: path)))
      #expect(response.status == 200 && response.headers["X-Field"] == "1" && response.body.isEmpty)
      #expect(response.file == DownloadedFile(path: path, byteCount: 8, resumedFrom: 0))
      #expect(directory.text("file.txt") == "the body")
      #expect(directory.names == ["file.txt"])
      let mask = umask(0o022)
      umask(mask)
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o666 & ~mask)
    }
  }

  @Test func aRelativePathBeginsWhereTheProcessIs() {
    let here = getcwd(nil, 0).map { String(cString: $0) } ?? ""
    #expect(DownloadPlace(path: "a/b").target == "\(here)/a/b")
    #expect(DownloadPlace(path: "b").directory == here)
    #expect(DownloadPlace(path: "/b").target == "/b")
    #expect(Download(directory: "/").settled.place(named: "b")?.target == "/b")
    #expect(Download(directory: "a//").settled.place(named: "b")?.target == "\(here)/a/b")
  }

  @Test func namesOfPartsAreNeverTooLong() {
    let place = DownloadPlace(directory: "/d", name: String(repeating: "é", count: 127))
    #expect(place.part.utf8.count <= 3 + 255 - 5 && place.temporary(.max).utf8.count <= 3 + 255)
    #expect(DownloadPlace(directory: "/d", name: "n").part == "/d/.n.errand-part")
    #expect(DownloadPlace(directory: "/d", name: "n").record == "/d/.n.errand-part.info")
  }

  @Test func aFailingStatusKeepsItsBodyInMemoryAndTouchesNoFile() async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      connection.answer("not there", status: 404)
    } test: { client, peer in
      let error = try await client.failure(.downloading(await peer.url(), Download(to: directory.file("file"))))
      #expect(error.code == .httpStatus && error.response?.text == "not there" && error.response?.file == nil)
      let accepted = HttpRequest.downloading(await peer.url(), Download(to: directory.file("other"))) { $0.acceptStatus = [404] }
      let response = try await client.send(accepted)
      #expect(response.file?.byteCount == 9)
      #expect(directory.names == ["other"])
    }
  }

  @Test func aRedirectsBodyIsNotWritten() async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, request in
      if request.target == "/" {
        connection.answer("elsewhere", status: 302, fields: "Location: /there\r\n")
      } else {
        connection.answer("here")
      }
    } test: { client, peer in
      let response = try await client.send(.downloading(await peer.url(), Download(to: directory.file("file"))))
      #expect(response.redirects.count == 1)
      #expect(directory.text("file") == "here")
      let manual = HttpRequest.downloading(await peer.url(), Download(to: directory.file("manual"))) { $0.redirects = .manual }
      let secondResponse = try await client.send(manual)
      #expect(secondResponse.text == "elsewhere")
      #expect(directory.names == ["file"])
    }
  }

  @Test func aFileThatIsThereIsReplacedUnlessTheCallerSaysNo() async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("file", Array("old".utf8))
    try await scene { connection, _ in
      connection.answer("new")
    } test: { client, peer in
      var download = Download(to: path)
      download.overwrites = false
      let error = try await client.failure(.downloading(await peer.url(), download))
      #expect(error.code == .file && error.message.contains(path) && error.sent == .notSent, "\(error)")
      #expect(directory.text("file") == "old" && peer.requests.count == 0)
      download.overwrites = nil
      _ = try await client.send(.downloading(await peer.url(), download))
      #expect(directory.text("file") == "new")
    }
  }

  @Test(arguments: [
    ("/a/data.bin?x=1", "", "data.bin"),
    ("/a/", "Content-Disposition: attachment; filename=\"../../etc/passwd\"\r\n", "passwd"),
    ("/x", "Content-Disposition: attachment; filename*=UTF-8''na%C3%AFve.txt\r\n", "naïve.txt"),
    ("/x", "Content-Disposition: attachment; filename=\".profile\"\r\n", "_profile"),
  ])
  func theServersNameIsMadeSafeAndOverwritesNothing(target: String, fields: String, name: String) async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, request in
      connection.answer("content \(request.head.headers["X-Number"] ?? "")", fields: fields)
    } test: { client, peer in
      var download = Download(directory: directory.path + "/")
      let url = await peer.url(target)
      let first = try await client.send(.downloading(url, download) { $0.headers = ["X-Number": "1"] })
      #expect(first.file?.path == directory.file(name))
      let error = try await client.failure(.downloading(url, download) { $0.headers = ["X-Number": "2"] })
      #expect(error.code == .file && error.message.contains(name), "\(error)")
      try await directory.wait(for: [name])
      #expect(directory.text(name) == "content 1")
      download.overwrites = true
      _ = try await client.send(.downloading(url, download) { $0.headers = ["X-Number": "3"] })
      #expect(directory.names == [name] && directory.text(name) == "content 3")
    }
  }

  @Test func aFileThatCameMeanwhileIsNotOverwritten() async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nne")
    } test: { client, peer in
      var download = Download(to: directory.file("file"))
      download.overwrites = false
      async let failure = client.failure(.downloading(await peer.url(), download))
      try await waitUntil("a temporary file") { directory.names.count == 1 }
      try directory.write("file", Array("theirs".utf8))
      await peer.writeInOneTurn([(1, "w!")])
      let error = try await failure
      #expect(error.code == .file && error.message.contains(directory.file("file")), "\(error)")
      try await directory.wait(for: ["file"])
      #expect(directory.text("file") == "theirs")
    }
  }

  @Test(arguments: ["no-such-directory/file", "directory", "pipe"])
  func whatCanNotBeWrittenFailsBeforeAnythingOfItComes(name: String) async throws {
    let directory = try TemporaryDirectory()
    mkdir(directory.file("directory"), 0o700)
    mkfifo(directory.file("pipe"), 0o600)
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let error = try await client.failure(.downloading(await peer.url(), Download(to: directory.file(name))))
      #expect(error.code == .file && error.message.contains(directory.path), "\(error)")
    }
    #expect(directory.names == ["directory", "pipe"])
  }

  private static let senseless: [HttpRequest] = {
    func request(_ path: String = "/a", _ change: (inout HttpRequest) -> Void = { _ in }) -> HttpRequest {
      .downloading("http://127.0.0.1:1/", Download(to: path), change)
    }
    var nameless = Download(directory: "/a")
    nameless.resumes = true
    return [
      request(""), request("/a/"), request("/a\u{0}b"), request { $0.method = .head }, request { $0.expect = .json },
      request { $0.download?.maxBytes = -1 }, request { $0.download = nameless },
      request { ($0.method, $0.download) = (.post, Download(to: "/a", resumes: true)) },
    ]
  }()

  @Test(arguments: senseless) func aDownloadThatMakesNoSenseIsRefused(request: HttpRequest) async throws {
    let client = HttpClient(.test)
    let error = try await client.failure(request)
    #expect(error.code == .invalidRequest && error.field == "download", "\(error)")
    await expectNothingLeft(client)
  }

  @Test(arguments: [true, false]) func onlyTheDownloadsOwnLimitHolds(isChunked: Bool) async throws {
    let directory = try TemporaryDirectory()
    try await scene(.test { $0.maxBodyBytes = 10 }) { connection, _ in
      if isChunked {
        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n\(String(repeating: "x", count: 100))\r\n0\r\n\r\n")
      } else {
        connection.answer(String(repeating: "x", count: 100))
      }
    } test: { client, peer in
      var download = Download(to: directory.file("file"))
      let response = try await client.send(.downloading(await peer.url(), download))
      #expect(response.file?.byteCount == 100)
      download.maxBytes = 99
      let error = try await client.failure(.downloading(await peer.url(), download))
      #expect(error.code == .tooLarge && error.message.contains("99"), "\(error)")
      try await directory.wait(for: ["file"])
    }
  }

  @Test func aCutLeavesNothing() async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome of it")
      connection.endWriting()
    } test: { client, peer in
      let error = try await client.failure(.downloading(await peer.url(), Download(to: directory.file("file"))))
      #expect(error.code == .truncated, "\(error)")
      try await directory.wait(for: [])
    }
  }

  @Test(arguments: [false, true]) func aRetryBringsTheWholeFile(resumes: Bool) async throws {
    let directory = try TemporaryDirectory()
    let server = FileServer(ServedFile(bytes: ServedFile.text(10_000), cutAfter: 4_000))
    try await scene {
      server.answer($0, $1)
    } test: { client, peer in
      let request = HttpRequest.downloading(await peer.url(), Download(to: directory.file("file"), resumes: resumes)) {
        $0.retry.max = 3
        $0.retry.baseDelay = .zero
      }
      if resumes {
        let response = try await client.send(request)
        #expect(response.attempts == 3)
        #expect(peer.requests.all.map { $0.head.headers["Range"] } == [nil, "bytes=4000-", "bytes=8000-"])
      } else {
        let failure = try await client.failure(request)
        #expect(failure.code == .truncated)
        await server.change { $0.cutAfter = nil }
        _ = try await client.send(request)
      }
      #expect(directory.text("file") == String(decoding: ServedFile.text(10_000), as: UTF8.self))
      #expect(directory.names == ["file"])
    }
  }

  @Test func anEmptyResponseMakesAnEmptyFile() async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      connection.write("HTTP/1.1 204 No Content\r\n\r\n")
    } test: { client, peer in
      let response = try await client.send(.downloading(await peer.url(), Download(to: directory.file("file"))))
      #expect(response.file?.byteCount == 0)
      #expect(directory.names == ["file"])
    }
  }

  @Test func aSlowDiskHoldsTheServerBack() async throws {
    let directory = try TemporaryDirectory()
    let total = 16 << 20
    try await pouring(total) { client, peer in
      let gate = Gate()
      defer { gate.open() }
      let outcomes = Record<Result<HttpResponse, HttpClientError>>("outcomes")
      let request = HttpRequest.downloading(await peer.url(), Download(to: directory.file("file"))) {
        $0.timeouts.idle = .milliseconds(900)
      }
      let handle = await client.onLoop { client in
        let handle = client.submitOnLoop(request, sink: Outcomes(outcomes))
        // The disk hangs in something before the first piece comes.
        client.engine.table[handle]?.download?.file.run { (_, _) throws(HttpClientError) in
          gate.pass()
        } then: { _ in
        }
        return handle
      }
      try await client.wait(for: handle) { $0.connection?.isPaused($0) == true }
      let received = await client.onLoop { $0.engine.table[handle]?.receivedCount ?? 0 }
      #expect(received <= 1_048_576 + 262_144, "the limit and one read")
      await pause(.milliseconds(1_500))
      let later = await client.onLoop { $0.engine.table[handle]?.receivedCount ?? 0 }
      #expect(later == received, "and it is not the server's idle time")
      gate.open()
      let response = try await outcomes.first(1)[0].get()
      #expect(response.file?.byteCount == Int64(total))
    }
  }

  @Test func progressGrowsToTheWhole() async throws {
    let directory = try TemporaryDirectory()
    let total = 8 << 20
    try await pouring(total) { client, peer in
      let delegate = ProgressDelegate()
      client.submit(.downloading(await peer.url(), Download(to: directory.file("file"))), delegate: delegate)
      try await delegate.done.first(1)
      let bytes = delegate.progress.all.map(\.bytes)
      #expect(bytes == bytes.sorted() && bytes.last == Int64(total))
      #expect(delegate.progress.all.allSatisfy { $0.total == Int64(total) && $0.rate >= 0 })
    }
  }

  @Test func bodiesOfUnknownLengthAreWhole() async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\n\r\nuntil the end")
      connection.endWriting()
    } test: { client, peer in
      let response = try await client.send(.downloading(await peer.url(), Download(to: directory.file("file"))))
      #expect(response.lengthUnknown && directory.text("file") == "until the end")
    }
  }
}

/// Keeps outcomes that come on the loop.
final class Outcomes: OutcomeSink {
  private let record: Record<Result<HttpResponse, HttpClientError>>

  init(_ record: Record<Result<HttpResponse, HttpClientError>>) {
    self.record = record
  }

  @LoopActor func requestEnded(_ request: RequestInfo, _ outcome: Outcome) { record.add(outcome.result) }
}

private final class ProgressDelegate: HttpClientDelegate {
  let progress = Record<TransferProgress>("progress")
  let done = Record<Bool>("ends")
  var interests: RequestInterests { .downloadProgress }

  func requestDidFinish(_ request: RequestInfo, response: HttpResponse) { done.add(true) }
  func requestDidFail(_ request: RequestInfo, error: HttpClientError) { done.add(false) }
  func request(_ request: RequestInfo, didReceive progress: TransferProgress) { self.progress.add(progress) }
}
