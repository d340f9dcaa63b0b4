public import EventLoop

/// A connection without HTTP: any bytes at any time. What is written goes to the kernel at once.
///
/// For scripted peers in tests (partial heads, surplus bytes, stalls, resets) and for protocols that HTTP was upgraded to.
@LoopActor
public final class RawConnection {
  private var connection: ServerConnection?
  private var waiting: [UInt8] = []
  private var hasEnded = false

  /// Where the connection comes from.
  public let peer: SocketAddress
  /// Told the bytes that come. While it is nil nothing is read, so the peer runs into a full kernel buffer.
  public var onBytes: (([UInt8]) -> Void)? {
    didSet { readingMayStart() }
  }
  /// The peer has ended its writing half. Told only while bytes are read.
  public var onEnd: (() -> Void)?
  /// Less than half the high-water mark waits again.
  public var onDrain: (() -> Void)?
  /// Told once, when the connection is gone, by whomever.
  public var onClose: (() -> Void)?

  init(_ connection: ServerConnection) {
    self.connection = connection
    peer = connection.peer
  }

  public var isOpen: Bool { connection != nil }

  /// Bytes that wait for the kernel.
  public var bufferedBytes: Int { connection?.output.count ?? 0 }

  /// Sends now what the kernel takes and queues the rest. False: above the high-water mark, or closed.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool {
    guard let connection, !connection.closesAfter else { return false }
    connection.send(bytes)
    return connection.mode != .closed && connection.hasRoom()
  }

  /// The same with the UTF-8 of `text`.
  @discardableResult
  public func write(_ text: String) -> Bool {
    write(Array(text.utf8))
  }

  /// Ends the writing half, at once.
  public func endWriting() {
    guard let connection else { return }
    Socket.shutdownWrite(connection.descriptor)
  }

  /// Closes when what was written is with the kernel.
  public func close() {
    guard let connection else { return }
    connection.closesAfter = true
    if connection.output.isEmpty { connection.close() }
  }

  /// Closes at once, with a reset.
  public func reset() {
    connection?.close(reset: true)
  }

  private func readingMayStart() {
    guard let connection else { return }
    guard onBytes != nil else { return connection.disarm(.read) }
    connection.arm(.read)
    if !waiting.isEmpty { EventLoop.shared.atEndOfTurn { self.deliver() } }
  }

  private func deliver() {
    guard let onBytes, !waiting.isEmpty else { return }
    let bytes = waiting
    waiting = []
    onBytes(bytes)
  }

  func received(_ bytes: [UInt8]) {
    waiting += bytes
    deliver()
  }

  func peerEnded() {
    guard !hasEnded else { return }
    hasEnded = true
    onEnd?()
  }

  func ended() {
    guard connection != nil else { return }
    detach()
    // They often hold this object.
    let onClose = self.onClose
    onBytes = nil
    onEnd = nil
    onDrain = nil
    self.onClose = nil
    if let onClose { EventLoop.shared.atEndOfTurn { onClose() } }
  }

  /// Leaves the connection to HTTP.
  func detach() {
    connection = nil
  }

}

extension ServerConnection {
  func becomeRaw() -> RawConnection {
    let raw = RawConnection(self)
    mode = .raw
    self.raw = raw
    responder = nil
    request = nil
    closesAfter = false
    cancelTimer()
    disarm(.read)
    return raw
  }

  func becomeHttp() {
    guard mode == .raw else { return }
    mode = .http
    raw?.detach()
    raw = nil
    closesAfter = false
    arm(.read)
    setTimer(.header)
  }
}
