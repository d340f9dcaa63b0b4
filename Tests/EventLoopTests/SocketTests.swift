import EventLoop
import Glibc
import TestSupport
import Testing

@Suite(.oneAtATime) struct SocketTests {
  @Test func aStaleUnixPathIsReplacedAndAUsedOneIsNot() throws {
    let directory = try TemporaryDirectory()
    let address = try SocketAddress.unix(directory.file("s"))
    let first = try Socket.listen(on: address, mode: 0o600)
    #expect(throws: SystemError(errno: EADDRINUSE, call: "bind")) { try Socket.listen(on: address) }
    Socket.close(first)
    let second = try Socket.listen(on: address)
    Socket.close(second)
    try directory.write("file", [1])
    #expect(throws: SystemError(errno: EEXIST, call: "bind")) { try Socket.listen(on: .unix(directory.file("file"))) }
    #expect(access(directory.file("file"), F_OK) == 0)
    #expect(throws: SystemError.self) { try Socket.listen(on: .unix(directory.file("missing/s"))) }
  }

  @Test(arguments: [false, true]) func aConnectionOverTcpHasBothAddresses(v6: Bool) throws {
    let listener = try Socket.listen(on: .loopback(port: 0, v6: v6))
    defer { Socket.close(listener) }
    let address = try #require(Socket.localAddress(listener))
    #expect(try Socket.accept(listener) == nil)
    let client = try Socket.open(for: address)
    defer { Socket.close(client) }
    _ = try Socket.connect(client, to: address)
    try waitFor(listener, POLLIN)
    let accepted = try #require(try Socket.accept(listener))
    defer { Socket.close(accepted.descriptor) }
    #expect(Socket.connectError(client) == nil)
    #expect(accepted.peer == Socket.localAddress(client))
    #expect(Socket.remoteAddress(client) == address)
    #expect(Socket.peerCredentials(client) == nil)
    #expect(receive(client) == "would block")
    #expect(send(accepted.descriptor, "hello") == "sent 5")
    try waitFor(client, POLLIN)
    #expect(receive(client) == "hello")
    Socket.shutdownWrite(client)
    try waitFor(accepted.descriptor, POLLIN)
    #expect(receive(accepted.descriptor) == "closed")
  }

  @Test func whoIsAtTheOtherEndOfAUnixSocketIsKnown() throws {
    let directory = try TemporaryDirectory()
    let address = try SocketAddress.unix(directory.file("s"))
    let listener = try Socket.listen(on: address, mode: 0o640)
    defer { Socket.close(listener) }
    var status = stat()
    #expect(lstat(directory.file("s"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o640)
    let client = try Socket.open(for: address)
    #expect(try Socket.connect(client, to: address))
    let accepted = try #require(try Socket.accept(listener))
    let credentials = try #require(Socket.peerCredentials(accepted.descriptor))
    #expect(credentials == (getpid(), getuid(), getgid()))
    Socket.close(client)
    // Neither a signal nor a trap.
    _ = send(accepted.descriptor, "x")
    #expect(send(accepted.descriptor, "x") == "send: Broken pipe")
    Socket.close(accepted.descriptor)
  }

  @Test func aRefusedConnectionSaysSo() throws {
    let listener = try Socket.listen(on: .loopback(port: 0))
    let address = try #require(Socket.localAddress(listener))
    Socket.close(listener)
    let client = try Socket.open(for: address)
    defer { Socket.close(client) }
    do {
      #expect(try !Socket.connect(client, to: address))
      try waitFor(client, POLLOUT)
      #expect(Socket.connectError(client)?.errno == ECONNREFUSED)
    } catch let error as SystemError {
      #expect(error.errno == ECONNREFUSED)
    }
  }

  @Test func aResetIsSeenByThePeer() throws {
    let listener = try Socket.listen(on: .loopback(port: 0))
    defer { Socket.close(listener) }
    let client = try Socket.open(for: .loopback(port: 0))
    defer { Socket.close(client) }
    _ = try Socket.connect(client, to: try #require(Socket.localAddress(listener)))
    try waitFor(listener, POLLIN)
    let accepted = try #require(try Socket.accept(listener))
    Socket.setReset(accepted.descriptor)
    Socket.close(accepted.descriptor)
    try waitFor(client, POLLIN)
    #expect(receive(client) == "recv: Connection reset by peer")
  }

  private func waitFor(_ descriptor: Int32, _ events: Int32) throws {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    guard poll(&entry, 1, 30_000) == 1 else { throw TestTimeout("the socket did not become ready") }
  }

  private func receive(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 100)
    switch bytes.withUnsafeMutableBytes({ Socket.receive(descriptor, into: $0) }) {
    case .bytes(let count): return String(decoding: bytes[..<count], as: UTF8.self)
    case .wouldBlock: return "would block"
    case .closed: return "closed"
    case .failed(let error): return error.description
    }
  }

  private func send(_ descriptor: Int32, _ text: String) -> String {
    switch Array(text.utf8).withUnsafeBytes({ Socket.send(descriptor, $0) }) {
    case .sent(let count): return "sent \(count)"
    case .wouldBlock: return "would block"
    case .failed(let error): return error.description
    }
  }
}
