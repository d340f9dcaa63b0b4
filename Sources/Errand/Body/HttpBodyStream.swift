internal import Synchronization

/// A body that is produced while it is sent: any asynchronous sequence of byte arrays.
///
/// The sequence is iterated by a task of its own, off the event loop. At most 512 KiB are taken ahead of what the connection takes, then the
/// task waits. It is cancelled when the request ends before it.
///
/// With a `length` the request has a Content-Length, and a sequence that gives more or less than that fails the request before it could look
/// complete: the last piece is sent when the sequence has ended, not when it has come. Without one the body goes out in chunks (HTTP/1.1,
/// RFC 9112 section 7.1) or until the end of the stream (HTTP/2). What the sequence throws ends the request with `invalid_request`.
public struct HttpBodyStream: Sendable, Hashable {
  /// In bytes; nil if it is not known. A negative one is `invalid_request`.
  public let length: Int64?
  /// The Content-Type header unless the caller's headers have one.
  public let contentType: String?
  /// Whether the body can be sent again, for a retry or a redirect; if not, such a request ends with `cannot_replay_body`.
  public let isReplayable: Bool
  let producer: StreamProducer

  /// `make` gives a new sequence each time that the body is sent.
  public init<Pieces: AsyncSequence & SendableMetatype>(
    length: Int64? = nil, contentType: String? = nil, _ make: @escaping @Sendable () -> Pieces
  ) where Pieces.Element == [UInt8], Pieces.AsyncIterator: SendableMetatype {
    self.length = length
    self.contentType = contentType
    isReplayable = true
    producer = StreamProducer { buffer in
      for try await piece in make() where !(await buffer.give(piece)) { return }
    }
  }

  /// One sequence, such as an `AsyncStream`: sent once, by one request.
  public init<Pieces: AsyncSequence & Sendable>(
    once pieces: Pieces, length: Int64? = nil, contentType: String? = nil
  ) where Pieces.Element == [UInt8] {
    self.length = length
    self.contentType = contentType
    isReplayable = false
    producer = StreamProducer { buffer in
      for try await piece in pieces where !(await buffer.give(piece)) { return }
    }
  }

  /// Equal to its copies only.
  public static func == (left: HttpBodyStream, right: HttpBodyStream) -> Bool { left.producer === right.producer }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(producer)) }
}

/// What a stream's sequence is made and iterated by.
final class StreamProducer: Sendable {
  /// Gives all pieces to the buffer, until that wants no more.
  let run: @Sendable (StreamBuffer) async throws -> Void
  private let wasBegun = Atomic<Bool>(false)

  init(_ run: @escaping @Sendable (StreamBuffer) async throws -> Void) {
    self.run = run
  }

  /// True for the first who asks.
  func begin() -> Bool { !wasBegun.exchange(true, ordering: .relaxed) }
}
