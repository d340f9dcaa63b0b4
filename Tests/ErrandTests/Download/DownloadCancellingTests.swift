import Dispatch
import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct DownloadCancellingTests {
  enum Point: CaseIterable {
    case looking, waiting, receiving, hashing, finishing
  }

  @Test(arguments: Point.allCases) func aCancelRemovesTheTemporaryFileWhereverTheDownloadIs(point: Point) async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      switch point {
      case .looking, .waiting: break
      case .receiving, .hashing: connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome of it")
      case .finishing: connection.answer("all of it")
      }
    } test: { client, peer in
      let gate = Gate()
      defer { gate.open() }
      let outcomes = Record<Result<HttpResponse, HttpClientError>>("outcomes")
      let request = HttpRequest.downloading(await peer.url(), Download(to: directory.file("file")))
      let handle = await client.onLoop { client in
        let handle = client.submitOnLoop(request, sink: Outcomes(outcomes))
        if point != .receiving, point != .waiting {
          client.engine.table[handle]?.download?.file.run { (_, _) throws(HttpClientError) in
            gate.pass()
          } then: { _ in
          }
        }
        return handle
      }
      switch point {
      case .looking: break
      case .waiting: try await peer.requests.first(1)
      case .receiving: try await waitUntil("the temporary file") { directory.names.count == 1 }
      case .hashing: try await client.wait(for: handle) { $0.receivedCount > 0 }
      case .finishing: try await client.wait(for: handle) { $0.download?.stage == .finishing }
      }
      let receipt = await client.cancel(handle)
      #expect(receipt.result == .cancelled)
      gate.open()
      let ends = try await outcomes.first(1)
      #expect(ends.count == 1)
      try await client.wait("the file to be closed") { $0.engine.openDownloads == 0 }
      #expect(directory.names.isEmpty)
    }
  }

  @Test func aThousandCancelledDownloadsLeaveNoDescriptorAndNoFile() async throws {
    let directory = try TemporaryDirectory()
    try await scene(.test(perHost: 50)) { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nsome of it")
    } test: { client, peer in
      let before = openDescriptors()
      let url = await peer.url()
      for round in 0..<20 {
        let handles = (0..<50).map { index in
          client.submit(.downloading(url, Download(to: directory.file("file\(index)"))), delegate: nil)
        }
        // Some of them before they are sent, some in the middle.
        if round % 2 == 0 { try await peer.requests.wait { $0.count >= round / 2 * 50 + 25 } }
        let receipts = try await client.cancelEach(handles)
        #expect(receipts.allSatisfy { $0.result == .cancelled })
      }
      try await client.wait("the files to be closed") { $0.engine.openDownloads == 0 }
      #expect(directory.names.isEmpty)
      await client.shutdown(grace: .zero)
      try await peer.closed.wait { [accepted = peer.accepted] in $0.count == accepted.count }
      try await waitUntil("descriptors as before") { openDescriptors() <= before }
    }
  }

  @Test(arguments: [false, true]) func afterAPieceThatIsMissingNothingIsPutInItsPlace(resumes: Bool) async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("file", Array("old".utf8))
    try await scene { connection, _ in
      connection.answer("new, and whole")
    } test: { client, peer in
      let outcomes = Record<Result<HttpResponse, HttpClientError>>("outcomes")
      let gate = Gate()
      defer { gate.open() }
      let request = HttpRequest.downloading(await peer.url(), Download(to: path, resumes: resumes))
      let handle = await client.onLoop { client in
        let handle = client.submitOnLoop(request, sink: Outcomes(outcomes))
        // As a disk that fails in the middle, and works again before the end is reached.
        if let transfer = client.engine.table[handle]?.download {
          transfer.file.run { (_, _) throws(HttpClientError) -> Int in
            gate.pass()
            throw HttpClientError(.file, message: "a piece is missing")
          } then: { [engine = client.engine] in
            engine.wrote($0, transfer, handle)
          }
        }
        return handle
      }
      try await client.wait(for: handle) { $0.download?.stage == .finishing }
      gate.open()
      let outcome = try await outcomes.first(1)
      #expect(throws: HttpClientError.self) { try outcome[0].get() }
      try await client.wait("the file to be closed") { $0.engine.openDownloads == 0 }
      #expect(directory.text("file") == "old" && directory.names == ["file"])
    }
  }

  @Test func aDiskThatTakesNoMoreFailsTheDownload() async throws {
    let directory = try TemporaryDirectory()
    let total = 8 << 20
    try await pouring(total) { client, peer in
      let request = HttpRequest.downloading(await peer.url(), Download(to: directory.file("file")))
      // A limit of the process in place of one of the disk: the same answer of the same call.
      let old = signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      var small = limit
      small.rlim_cur = 3 << 20
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
      defer {
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        signal(SIGXFSZ, old)
      }
      let error = try await client.failure(request)
      #expect(error.code == .file && error.phase == .response, "\(error)")
      #expect(error.message.contains(directory.path) && error.message.contains("File too large"), "\(error)")
      try await directory.wait(for: [])
    }
  }
}
