import EventLoop
import Glibc
import TestSupport
import Testing

/// A hostile peer can end a connection, and nothing else.
@LoopActor
@Suite(.oneAtATime) struct FuzzTests {
  /// What `peer` does with the bytes of the client, in turn, until the client's handshake is over.
  private func handshake(_ context: TlsContext, _ peer: (_ round: Int, _ read: [UInt8]) -> [UInt8]?) throws -> TlsError? {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
      throw TestTimeout("socketpair: errno \(errno)")
    }
    defer { for end in ends { close(end) } }
    let stream = TlsStream(context, over: ByteStream(descriptor: ends[0]), host: "localhost", port: 1, alpn: ["h2"], resume: true)
    defer { stream.shutdown() }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    for round in 0..<50 {
      switch stream.handshake() {
      case .done:
        _ = buffer.withUnsafeMutableBytes { stream.receive(into: $0) }
        return nil
      case .failed(let error):
        #expect(!error.description.isEmpty)
        return error
      case .wantsRead, .wantsWrite:
        let count = read(ends[1], &buffer, buffer.count)
        guard let answer = peer(round, Array(buffer[..<max(count, 0)])) else {
          shutdown(ends[1], Int32(SHUT_WR))
          continue
        }
        _ = answer.withUnsafeBytes { send(ends[1], $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      }
    }
    return TlsError(.closed, "the client waits for more")
  }

  private func context() throws -> TlsContext {
    var settings = TlsSettings()
    settings.useSystemStore = false
    return try TlsContext(settings)
  }

  @Test func randomBytesInPlaceOfAServer() throws {
    let context = try context()
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let error = try handshake(context) { round, _ in
        guard round < 4 else { return nil }
        return (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      #expect(error != nil)
    }
  }

  @Test func randomHandshakeMessagesInPlaceOfAServer() throws {
    let context = try context()
    var random = SeededGenerator(seed: 2)
    for _ in 0..<2_000 {
      let error = try handshake(context) { round, hello in
        guard round < 6 else { return nil }
        var body = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let kind: UInt8 = [0, 1, 2, 4, 8, 11, 12, 13, 14, 15, 20, 24, 67, 254].randomElement(using: &random) ?? 2
        // A ServerHello that looks like one: version, random, the client's session id.
        if kind == 2, hello.count > 76 { body = [3, 3] + body.prefix(32) + [32] + hello[44..<76] + [0x13, 1, 0] + body.dropFirst(32) }
        let message = [kind, 0, UInt8(body.count >> 8), UInt8(body.count & 255)] + body
        let type: UInt8 = [20, 21, 22, 22, 22, 22, 23, 24].randomElement(using: &random) ?? 22
        return [type, 3, 3, UInt8(message.count >> 8), UInt8(message.count & 255)] + message
      }
      #expect(error != nil)
    }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"]) func aRealServersBytesWithSomeChanged(version: String) async throws {
    let server = try await OpensslServer(try await TestCertificates.shared.identity(.localhostChain), ["-rev", version])
    var settings = TlsSettings()
    settings.caFile = try await TestCertificates.shared.rootFile
    let context = try TlsContext(settings)
    var random = SeededGenerator(seed: 3)
    var failures = 0
    for _ in 0..<300 {
      let address = SocketAddress.loopback(port: server.port)
      let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(upstream) }
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = (address.port ?? 0).bigEndian
      name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let connected = withUnsafePointer(to: &name) {
        connect(upstream, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<sockaddr_in>.size))
      }
      try #require(connected == 0)
      let error = try handshake(context) { round, bytes in
        if !bytes.isEmpty { _ = bytes.withUnsafeBytes { send(upstream, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } }
        var waiting = pollfd(fd: upstream, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 50) == 1 else { return nil }
        var answer = [UInt8](repeating: 0, count: 16_384)
        let count = read(upstream, &answer, answer.count)
        guard count > 0 else { return nil }
        answer.removeLast(answer.count - count)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let place = Int.random(in: 0..<count, using: &random)
          switch Int.random(in: 0..<3, using: &random) {
          case 0: answer[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
          case 1: answer[place] = 255
          default: if answer.count == count, round == 0 { answer.remove(at: place) }
          }
          if answer.count != count { break }
        }
        return answer
      }
      if error != nil { failures += 1 }
    }
    // All but changes of what does not matter, such as a ticket's.
    #expect(failures > 250)
  }
}
