import EventLoop
import TestSupport

/// A client on the loop for tests of TLS streams: driven by readiness as the real ones are.
@LoopActor
final class TlsClient: SocketTarget, HandshakeTarget {
  let tls: TlsStream
  let stream: ByteStream
  private let descriptor: Int32
  private var watch = WatchID.none
  private var outgoing: [UInt8] = []
  private(set) var handshakeResult: Result<TlsFacts, TlsError>?
  private(set) var received: [UInt8] = []
  private(set) var receiveCalls = 0
  /// `closed`, or the words of the error.
  private(set) var end: String?
  private(set) var writeError: String?
  private(set) var steps = 0
  /// Larger than any record would show nothing of how reads stop.
  var bufferSize = 262_144
  private let isPaced: Bool
  private var ownsDescriptor = true

  /// Connects to a loopback port.
  init(
    _ port: UInt16, _ context: TlsContext, host: String = "localhost", alpn: [String] = [], resume: Bool = false, v6: Bool = false,
    isPaced: Bool = false
  ) async throws {
    let address = SocketAddress.loopback(port: port, v6: v6)
    descriptor = try Socket.open(for: address)
    _ = try Socket.connect(descriptor, to: address)
    self.isPaced = isPaced
    tls = TlsStream(context, over: ByteStream(descriptor: descriptor), host: host, port: port, alpn: alpn, resume: resume)
    stream = ByteStream(tls)
    try await waitUntil("a connection") { Socket.remoteAddress(self.descriptor) != nil }
    watch = EventLoop.shared.watch(descriptor, self)
    go()
  }

  /// On a socket, or on another client's connection, of which it takes over the events.
  init(over other: ByteStream, _ context: TlsContext, host: String = "localhost", port: UInt16 = 443) {
    descriptor = other.descriptor
    isPaced = false
    tls = TlsStream(context, over: other, host: host, port: port, alpn: [], resume: false)
    stream = ByteStream(tls)
    watch = EventLoop.shared.watch(descriptor, self)
    go()
  }

  /// Stops to listen, for a client above.
  func handOver() -> ByteStream {
    EventLoop.shared.unwatch(watch)
    ownsDescriptor = false
    return stream
  }

  func handshake() async throws -> Result<TlsFacts, TlsError> {
    try await waitUntil("a handshake") { self.handshakeResult != nil }
    return handshakeResult ?? .failure(TlsError(.closed, "none"))
  }

  /// The words of the handshake's failure.
  func failure() async throws -> TlsError? {
    guard case .failure(let error) = try await handshake() else { return nil }
    return error
  }

  /// The words of the failure, of the handshake or of what came after it.
  func failureOrEnd() async throws -> String {
    if let error = try await failure() { return error.description }
    return try await readToEnd()
  }

  func facts() async throws -> TlsFacts { try await handshake().get() }

  func send(_ text: String) {
    outgoing += Array(text.utf8)
    write()
  }

  func send(_ bytes: [UInt8]) {
    outgoing += bytes
    write()
  }

  var text: String { String(decoding: received, as: UTF8.self) }
  var unsent: Int { outgoing.count }

  func read(through wanted: String) async throws -> String {
    try await waitUntil("\(wanted.debugDescription)") { self.text.contains(wanted) || self.end != nil }
    return text
  }

  func readToEnd() async throws -> String {
    try await waitUntil("the end") { self.end != nil }
    return end ?? ""
  }

  func close() {
    guard ownsDescriptor else { return }
    ownsDescriptor = false
    EventLoop.shared.unwatch(watch)
    stream.close()
  }

  private func go() {
    if isPaced { HandshakePacer.shared.submit(self) } else { handshakeStep() }
  }

  func socketReady(_ ready: Interest) {
    guard handshakeResult != nil else { return go() }
    if ready.contains(.write) { write() }
    if ready.contains(.read) { read() }
  }

  func handshakeStep() {
    guard handshakeResult == nil else { return }
    steps += 1
    switch tls.handshake() {
    case .done:
      EventLoop.shared.update(watch, .read)
      if let facts = tls.facts { handshakeResult = .success(facts) }
      write()
      if stream.hasUnread { read() }
    case .wantsRead: EventLoop.shared.update(watch, .read)
    case .wantsWrite: EventLoop.shared.update(watch, .write)
    case .failed(let error):
      EventLoop.shared.update(watch, [])
      handshakeResult = .failure(error)
    }
  }

  private func read() {
    repeat {
      guard end == nil else { return }
      let buffer = UnsafeMutableRawBufferPointer(rebasing: EventLoop.shared.readBuffer[..<bufferSize])
      receiveCalls += 1
      switch stream.receive(into: buffer) {
      case .bytes(let count): received += buffer[..<count]
      case .wouldBlock: return
      case .closed: ended("closed")
      case .failed(let error): ended(error.description)
      }
    } while stream.hasUnread
  }

  private func write() {
    guard case .success? = handshakeResult, !outgoing.isEmpty, writeError == nil else { return }
    switch outgoing.withUnsafeBytes({ stream.send($0) }) {
    case .sent(let count): outgoing.removeFirst(count)
    case .wouldBlock: break
    case .failed(let error):
      writeError = error.description
      outgoing = []
    }
    EventLoop.shared.update(watch, outgoing.isEmpty ? .read : [.read, .write])
  }

  private func ended(_ words: String) {
    end = words
    EventLoop.shared.update(watch, [])
  }
}
