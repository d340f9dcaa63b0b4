import EventLoop
import Glibc
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct StreamEndTests {
  private func client(_ bufferSize: Int = 262_144) async throws -> TlsClient {
    let peer = try await PythonPeer(PeerScripts.ends, try await PeerScripts.identity(.localhost))
    var settings = TlsSettings()
    settings.caFile = try await TestCertificates.shared.rootFile
    let client = try await TlsClient(peer.port, TlsContext(settings))
    client.bufferSize = bufferSize
    _ = try await client.facts()
    keeper.withLock { $0 = peer }
    return client
  }

  private let keeper = Locked<PythonPeer?>(nil)

  @Test func aGoodbyeIsAnEndAndACutIsNot() async throws {
    for (line, end) in [
      ("end", "closed"), ("notify", "closed"), ("cut", "the connection ended without close_notify, which TLS asks for"),
      ("reset", "tls: Connection reset by peer"),
    ] {
      let client = try await client()
      defer { client.close() }
      client.send(line + "\n")
      #expect(try await client.readToEnd() == end)
      #expect(client.text == (line == "reset" ? "" : "bye"))
    }
  }

  @Test func aKilledServerIsACut() async throws {
    let server = try await OpensslServer(try await TestCertificates.shared.identity(.localhost))
    var settings = TlsSettings()
    settings.caFile = try await TestCertificates.shared.rootFile
    let client = try await TlsClient(server.port, TlsContext(settings))
    defer { client.close() }
    client.send("abc\n")
    _ = try await client.read(through: "cba\n")
    server.process.end(with: SIGKILL)
    #expect(try await client.readToEnd() == "the connection ended without close_notify, which TLS asks for")
  }

  @Test func writingToADeadConnectionRaisesNoSignal() async throws {
    let client = try await client()
    defer { client.close() }
    client.send("reset\n")
    _ = try await client.readToEnd()
    // SIGPIPE would end this process.
    for _ in 0..<3 { client.send("x") }
    #expect(client.writeError != nil)
  }

  @Test(arguments: [262_144, 16_384, 1_000, 7]) func allIsReadThroughBuffersOfAnySize(bufferSize: Int) async throws {
    let client = try await client(bufferSize)
    defer { client.close() }
    for size in [1, 100, 16_384, 16_385, 200_000] {
      let before = client.received.count
      client.send("size \(size)\n")
      try await waitUntil("\(size) bytes") { client.received.count == before + size }
    }
    client.send("end\n")
    #expect(try await client.readToEnd() == "closed")
  }

  @Test func manyRecordsAreReadInFewCalls() async throws {
    let client = try await client()
    defer { client.close() }
    client.send("size 8000000\n")
    try await waitUntil("all bytes") { client.received.count == 8_000_000 }
    #expect(client.receiveCalls < 8_000_000 / 16_384)
  }

  @Test func muchIsWrittenToASlowReader() async throws {
    let client = try await client()
    defer { client.close() }
    let bytes = [UInt8]((0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) })
    client.send("sink \(bytes.count)\n")
    client.send(bytes)
    #expect(client.unsent > 0)
    let line = try await client.read(through: "\n")
    let directory = try TemporaryDirectory()
    let expected = try await Command.run("sha256sum", try directory.write("bytes", bytes)).text
    #expect(expected.hasPrefix(line.dropLast()))
  }

  @Test func aClosedStreamIsClosed() async throws {
    let client = try await client()
    client.close()
    client.tls.shutdown()
    #expect("\(client.stream.receive(into: EventLoop.shared.readBuffer))" == "\(StreamRead.closed)")
    guard case .failed = [UInt8(1)].withUnsafeBytes({ client.stream.send($0) }) else {
      Issue.record("a closed stream takes bytes")
      return
    }
    #expect(!client.stream.hasUnread)
  }
}
