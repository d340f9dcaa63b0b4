public import EventLoop

/// A client's raw socket on the loop, for tests: sends what it is told, keeps all that comes, and lets a test wait for it.
@LoopActor
public final class TestSocket {
  /// How the connection ended.
  public enum End: Sendable, Equatable {
    case closed
    case reset
  }

  private let descriptor: Int32
  private var watch = WatchID.none
  private var outgoing: [UInt8] = []
  private var sentCount = 0
  private var isConnected = false
  private var endsWriting = false
  private var isClosed = false
  private var waiters: [Waiter] = []
  /// All bytes that came and were not yet taken by a `read…` call.
  public private(set) var received: [UInt8] = []
  /// All bytes that ever came.
  public private(set) var receivedCount = 0
  public private(set) var end: End?
  /// While false nothing is read, as by a peer that hangs.
  public var isReading = true {
    didSet { updateInterest() }
  }

  /// Begins to connect; what is sent before it stands waits.
  public init(_ address: SocketAddress) throws(SystemError) {
    descriptor = try Socket.open(for: address)
    do throws(SystemError) {
      isConnected = try Socket.connect(descriptor, to: address)
    } catch {
      Socket.close(descriptor)
      throw error
    }
    watch = EventLoop.shared.watch(descriptor, WeakTarget(self))
    updateInterest()
  }

  isolated deinit {
    close()
  }

  // MARK: Sending

  public func send(_ text: String) {
    send(Array(text.utf8))
  }

  public func send(_ bytes: [UInt8]) {
    outgoing += bytes
    flush()
  }

  /// Bytes that the kernel has not taken.
  public var unsentCount: Int { outgoing.count - sentCount }

  /// Ends the writing half when all is sent.
  public func endWriting() {
    endsWriting = true
    flush()
  }

  public func close() {
    guard !isClosed else { return }
    isClosed = true
    EventLoop.shared.unwatch(watch)
    Socket.close(descriptor)
    end = end ?? .closed
    wakeWaiters()
  }

  /// Closes with a reset.
  public func reset() {
    Socket.setReset(descriptor)
    close()
  }

  // MARK: Waiting

  /// Waits for `count` bytes and takes them.
  public func read(_ count: Int) async throws -> [UInt8] {
    try await wait("\(count) bytes") { self.received.count >= count }
    guard received.count >= count else { throw TestTimeout("the connection ended after \(received.count) of \(count) bytes") }
    let taken = Array(received[..<count])
    received.removeFirst(count)
    return taken
  }

  /// Waits for `text` and takes all up to its end.
  public func read(through text: String) async throws -> String {
    let wanted = Array(text.utf8)
    var found: Int?
    try await wait("\(text.debugDescription)") {
      found = self.received.firstRange(of: wanted)?.upperBound
      return found != nil
    }
    guard let found else { throw TestTimeout("the connection ended before \(text.debugDescription): \(receivedText.debugDescription)") }
    let taken = String(decoding: received[..<found], as: UTF8.self)
    received.removeFirst(found)
    return taken
  }

  /// Waits for the end of the connection.
  @discardableResult
  public func readToEnd() async throws -> End {
    try await wait("the end") { false }
    return end ?? .closed
  }

  func take(_ count: Int) {
    received.removeFirst(count)
  }

  public var receivedText: String { String(decoding: received, as: UTF8.self) }

  /// Waits until `condition` holds, asked anew whenever something has come, or the connection has ended.
  public func wait(_ what: String = "a condition", for condition: @escaping @LoopActor () -> Bool) async throws {
    if condition() || end != nil { return }
    let waiter = Waiter(condition)
    waiters.append(waiter)
    guard await waiter.wait() else {
      throw TestTimeout("waited in vain for \(what); there is \(receivedText.suffix(500).debugDescription)")
    }
  }

  private func wakeWaiters() {
    guard !waiters.isEmpty else { return }
    waiters.removeAll { waiter in
      guard end != nil || waiter.condition() else { return false }
      waiter.finish(true)
      return true
    }
  }

  // MARK: The socket

  private func flush() {
    guard isConnected, !isClosed else { return }
    while sentCount < outgoing.count {
      let result = outgoing.withUnsafeBytes { Socket.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[sentCount...])) }
      guard case .sent(let count) = result else { break }
      sentCount += count
    }
    if sentCount == outgoing.count {
      outgoing = []
      sentCount = 0
      if endsWriting { Socket.shutdownWrite(descriptor) }
    }
    updateInterest()
  }

  private func updateInterest() {
    guard !isClosed else { return }
    var interest: Interest = []
    if isReading, end == nil, isConnected { interest.insert(.read) }
    if !isConnected || (sentCount < outgoing.count && end == nil) { interest.insert(.write) }
    EventLoop.shared.update(watch, interest)
  }
}

/// The loop keeps what it tells; a socket that its test has let go must be closed.
private final class WeakTarget: SocketTarget {
  private weak var socket: TestSocket?

  init(_ socket: TestSocket) {
    self.socket = socket
  }

  @LoopActor func socketReady(_ ready: Interest) {
    socket?.socketReady(ready)
  }
}

extension TestSocket {
  fileprivate func socketReady(_ ready: Interest) {
    if !isConnected {
      guard Socket.connectError(descriptor) == nil else { return ended(.reset) }
      isConnected = true
      flush()
    }
    if ready.contains(.read), isReading {
      switch Socket.receive(descriptor, into: EventLoop.shared.readBuffer) {
      case .bytes(let count):
        received.append(contentsOf: EventLoop.shared.readBuffer[..<count])
        receivedCount += count
        wakeWaiters()
      case .closed: ended(.closed)
      case .failed: ended(.reset)
      case .wouldBlock: break
      }
    }
    if ready.contains(.write) { flush() }
  }

  private func ended(_ end: End) {
    self.end = end
    updateInterest()
    wakeWaiters()
  }
}
