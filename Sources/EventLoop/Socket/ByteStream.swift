/// What a read from a stream gave.
public enum StreamRead: Sendable {
  case bytes(Int)
  case wouldBlock
  /// The peer ended the stream in good order.
  case closed
  case failed(StreamError)
}

/// What a write to a stream gave.
public enum StreamWrite: Sendable {
  case sent(Int)
  case wouldBlock
  case failed(StreamError)
}

/// Why a stream failed.
public enum StreamError: Error, Sendable, Hashable, CustomStringConvertible {
  case system(SystemError)

  public var description: String {
    switch self {
    case .system(let error): error.description
    }
  }
}

/// A connected byte stream: what a connection speaks HTTP over. It does not own a watch; its owner watches ``descriptor``.
@LoopActor
public struct ByteStream {
  /// The socket, for watching.
  public let descriptor: Int32

  public nonisolated init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Reads what is there into `buffer`.
  public func receive(into buffer: UnsafeMutableRawBufferPointer) -> StreamRead {
    switch Socket.receive(descriptor, into: buffer) {
    case .bytes(let count): .bytes(count)
    case .wouldBlock: .wouldBlock
    case .closed: .closed
    case .failed(let error): .failed(.system(error))
    }
  }

  /// Writes as much of `bytes` as is taken now. What was not taken must be offered again.
  public func send(_ bytes: UnsafeRawBufferPointer) -> StreamWrite {
    switch Socket.send(descriptor, bytes) {
    case .sent(let count): .sent(count)
    case .wouldBlock: .wouldBlock
    case .failed(let error): .failed(.system(error))
    }
  }

  /// The same with what `bytes` hold from `offset` on.
  public func send(_ bytes: [UInt8], from offset: Int) -> StreamWrite {
    bytes.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[min(offset, bytes.count)...])) }
  }

  /// Bytes were received that a watch on the descriptor does not tell of.
  public var hasUnread: Bool { false }

  /// Ends the stream and closes its descriptor; a watch on it must have ended before.
  public func close() {
    Socket.close(descriptor)
  }
}
