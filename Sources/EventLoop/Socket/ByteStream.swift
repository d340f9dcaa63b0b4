/// What a read from a stream gave.
public enum StreamRead: Sendable {
  case bytes(Int)
  case wouldBlock
  /// The peer ended its half in good order: with close_notify where it is TLS.
  case closed
  case failed(StreamError)
}

/// What a write to a stream gave.
public enum StreamWrite: Sendable {
  case sent(Int)
  case wouldBlock
  case failed(StreamError)
}

/// Why a stream ended.
public enum StreamError: Error, Sendable, CustomStringConvertible {
  case system(SystemError)
  /// The connection ended without TLS's close_notify: what came may not be all that was sent.
  case truncated
  case tls(TlsError)

  public var description: String {
    switch self {
    case .system(let error): error.description
    case .truncated: "the connection ended without close_notify, which TLS asks for"
    case .tls(let error): error.description
    }
  }
}

/// A connected socket, in the clear or under TLS.
@LoopActor
public struct ByteStream {
  public let descriptor: Int32
  /// nil: in the clear.
  public let tls: TlsStream?

  /// A socket in the clear.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
    tls = nil
  }

  /// A TLS connection whose handshake is done.
  public init(_ tls: TlsStream) {
    descriptor = tls.descriptor
    self.tls = tls
  }

  /// Reads what is there into `buffer`.
  public func receive(into buffer: UnsafeMutableRawBufferPointer) -> StreamRead {
    if let tls { return tls.receive(into: buffer) }
    switch Socket.receive(descriptor, into: buffer) {
    case .bytes(let count): return .bytes(count)
    case .wouldBlock: return .wouldBlock
    case .closed: return .closed
    case .failed(let error): return .failed(.system(error))
    }
  }

  /// Writes as much of `bytes` as the kernel takes. Under TLS the next call must begin with the bytes that follow: see ``TlsStream/send(_:)``.
  public func send(_ bytes: UnsafeRawBufferPointer) -> StreamWrite {
    if let tls { return tls.send(bytes) }
    return ByteStream.result(Socket.send(descriptor, bytes))
  }

  private static func result(_ result: SendResult) -> StreamWrite {
    switch result {
    case .sent(let count): .sent(count)
    case .wouldBlock: .wouldBlock
    case .failed(let error): .failed(.system(error))
    }
  }

  /// The same with what `bytes` hold from `offset` on.
  public func send(_ bytes: [UInt8], from offset: Int) -> StreamWrite {
    if let tls { return bytes.withUnsafeBytes { tls.send(UnsafeRawBufferPointer(rebasing: $0[min(offset, bytes.count)...])) } }
    return ByteStream.result(Socket.send(descriptor, bytes, from: offset))
  }

  /// Whether ``receive(into:)`` may give something though the socket is not readable.
  public var hasUnread: Bool { tls?.hasUnread ?? false }

  /// Says goodbye where it is TLS, in all its layers, and closes the socket. A watch on it must have ended before.
  public func close() {
    var layer = tls
    while let current = layer {
      current.shutdown()
      layer = current.under.tls
    }
    Socket.close(descriptor)
  }
}
