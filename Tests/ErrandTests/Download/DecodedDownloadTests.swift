import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct DecodedDownloadTests {
  private static let coded: [UInt8] = [
    0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0,
  ]

  @Test(arguments: [false, true]) func aFileIsDecodedOnlyWhereThatIsAskedFor(decodes: Bool) async throws {
    let directory = try TemporaryDirectory()
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 25\r\nContent-Encoding: gzip\r\n")
      connection.write("Repr-Digest: md5=:AAAAKrxLKna5cZ2REBfFkg==:\r\n\r\n")
      connection.write(DecodedDownloadTests.coded)
    } test: { client, peer in
      var download = Download(to: directory.file("file"))
      download.decodes = decodes
      let request = HttpRequest.downloading(await peer.url(), download)
      if decodes {
        // The digest is of what was not decoded, and so it can't be checked.
        let response = try await client.send(request)
        #expect(response.file?.byteCount == 5)
        #expect(directory.text("file") == "hello")
      } else {
        let failure = try await client.failure(request)
        #expect(failure.code == .checksum)
      }
      #expect(peer.requests.all[0].head.headers.contains("Accept-Encoding") == decodes)
    }
  }

  /// 6.9 MB of numbers, and the same in gzip.
  private func numbers() async throws -> (plain: [UInt8], coded: [UInt8]) {
    let plain = try await Command.run("seq", "1", "1000000").output
    return (plain, try await Command.run("sh", "-c", "seq 1 1000000 | gzip -1").output)
  }

  @Test func aLargeFileIsDecodedInTurns() async throws {
    let directory = try TemporaryDirectory()
    let (plain, coded) = try await numbers()
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(coded.count)\r\nContent-Encoding: gzip\r\n\r\n")
      connection.write(coded)
    } test: { client, peer in
      var download = Download(to: directory.file("file"))
      download.decodes = true
      let response = try await client.send(.downloading(await peer.url(), download))
      #expect(response.file?.byteCount == Int64(plain.count) && directory.text("file") == String(decoding: plain, as: UTF8.self))
    }
  }

  @Test(arguments: [6_888_895, 2_000_000, 1]) func theLimitOfAFileHoldsWhileDecodingIsPending(limit: Int64) async throws {
    let directory = try TemporaryDirectory()
    let (_, coded) = try await numbers()
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(coded.count)\r\nContent-Encoding: gzip\r\n\r\n")
      connection.write(coded)
    } test: { client, peer in
      var download = Download(to: directory.file("file"))
      download.decodes = true
      download.maxBytes = limit
      let failure = try await client.failure(.downloading(await peer.url(), download))
      #expect(failure.code == .tooLarge)
      try await directory.wait(for: [])
    }
  }

  @Test func aStreamIsDecodedNoFasterThanItIsTaken() async throws {
    let (plain, coded) = try await numbers()
    try await scene { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(coded.count)\r\nContent-Encoding: gzip\r\n\r\n")
      connection.write(coded)
    } test: { client, peer in
      let streamed = try await client.stream(HttpRequest(await peer.url()))
      let handle = try #require(await client.onLoop { $0.engine.table.all.first?.info.handle })
      let buffer = try await client.onLoop { client -> ResponseBuffer in
        guard case .stream(let buffer)? = client.engine.table[handle]?.ticket.sink else { throw Late(description: "no stream") }
        return buffer
      }
      try await waitUntil("a full buffer") { buffer.isPaused }
      await loopTurn()
      await loopTurn()
      #expect(buffer.count <= ResponseBuffer.limit + 262_144, "the limit and one turn")
      var body: [UInt8] = []
      for try await piece in streamed.body { body += piece }
      #expect(body == plain)
    }
  }
}
