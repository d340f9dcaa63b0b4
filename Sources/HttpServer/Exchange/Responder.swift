public import EventLoop
public import HttpWire

/// Answers one request, now or later, whole or as a stream. It outlives its connection: answering a peer that is gone does nothing.
///
/// The callbacks run on the loop, never within a call to the responder.
@LoopActor
public final class Responder {
  private var connection: ServerConnection?

  /// A stream whose ``write(_:)`` gave false has room again: less than half the high-water mark waits.
  public var onDrain: (() -> Void)?
  /// Told once: the response is wholly with the kernel, or the connection is gone (see ``isComplete``).
  public var onClose: (() -> Void)?
  /// The peer has ended its writing half while the answer is pending. It may be gone, or wait for the answer: TCP does not tell.
  public var onPeerEnd: (() -> Void)?
  /// Whether the response was handed to the kernel wholly. Valid when ``onClose`` is told.
  public private(set) var isComplete = false

  init(_ connection: ServerConnection) {
    self.connection = connection
  }

  /// Whether the connection is there and the response not yet complete.
  public var isOpen: Bool {
    guard let connection else { return false }
    return connection.responseSide == .pending || connection.responseSide == .streaming
  }

  /// Bytes of the response that wait for the kernel.
  public var bufferedBytes: Int { connection?.output.count ?? 0 }

  /// Answers with the whole body. Content-Length, Date and Connection are added; the body is left out for HEAD, 204 and 304. A second
  /// answer does nothing; headers that can't be sent make it a 500.
  public func respond(status: Int, headers: HttpHeaders = [:], body: [UInt8] = []) {
    guard isOpen else { return }
    connection?.respond(status: status, headers: headers, body: body)
  }

  /// Begins an answer of which the body follows through ``write(_:)``: chunked, or until the connection ends for HTTP/1.0, or with
  /// Content-Length if `length` is given. With `closesOnPeerEnd` a peer that ends its writing half counts as gone, as for event streams,
  /// which have no other way to notice.
  public func startStream(status: Int, headers: HttpHeaders = [:], length: Int64? = nil, closesOnPeerEnd: Bool = true) {
    connection?.startStream(status: status, headers: headers, length: length, closesOnPeerEnd: closesOnPeerEnd)
  }

  /// Adds to the stream; what is written in one turn of the loop goes out together at its end. False: above the high-water mark (or
  /// closed), write no more until ``onDrain``.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool {
    connection?.write(bytes) ?? false
  }

  /// Ends the stream. With a length given and not reached, the connection is reset.
  public func finish() {
    connection?.finish()
  }

  /// Resets the connection at once.
  public func abort() {
    connection?.close(reset: true)
  }

  /// Takes the connection away from HTTP. Nothing of the answer may have been sent. nil if the connection is gone or already answered.
  public func takeOver() -> RawConnection? {
    guard let connection, connection.mode == .http, connection.responseSide == .pending else { return nil }
    self.connection = nil
    return connection.becomeRaw()
  }

  func peerEnded() {
    guard let onPeerEnd else { return }
    EventLoop.shared.atEndOfTurn { onPeerEnd() }
  }

  func ended(isComplete: Bool) {
    guard connection != nil else { return }
    connection = nil
    self.isComplete = isComplete
    let onClose = self.onClose
    self.onClose = nil
    onDrain = nil
    onPeerEnd = nil
    if let onClose { EventLoop.shared.atEndOfTurn { onClose() } }
  }
}
