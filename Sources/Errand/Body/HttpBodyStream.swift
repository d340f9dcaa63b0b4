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
  let producer: StreamProducer

  /// In bytes; nil if it is not known. A negative one is `invalid_request`.
  public var length: Int64? { producer.length }
  /// The Content-Type header unless the caller's headers have one.
  public var contentType: String? { producer.contentType }
  /// Whether the body can be sent again, for a retry or a redirect; if not, a request that would have to ends with `cannot_replay_body`.
  public var isReplayable: Bool { producer.isReplayable }

  /// `make` gives a new sequence each time that the body is sent.
  public init<Pieces: AsyncSequence & SendableMetatype>(
    length: Int64? = nil, contentType: String? = nil, _ make: @escaping @Sendable () -> Pieces
  ) where Pieces.Element == [UInt8], Pieces.AsyncIterator: SendableMetatype {
    producer = StreamProducer(length: length, contentType: contentType, isReplayable: true) { buffer in
      for try await piece in make() where !(await buffer.give(piece)) { return }
    }
  }

  /// One sequence, such as an `AsyncStream`: sent once, by one request.
  public init<Pieces: AsyncSequence & Sendable>(
    once pieces: Pieces, length: Int64? = nil, contentType: String? = nil
  ) where Pieces.Element == [UInt8] {
    producer = StreamProducer(length: length, contentType: contentType, isReplayable: false) { buffer in
      for try await piece in pieces where !(await buffer.give(piece)) { return }
    }
  }

  /// Equal to its copies only.
  public static func == (left: HttpBodyStream, right: HttpBodyStream) -> Bool { left.producer === right.producer }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(producer)) }
}

/// What a stream's sequence is made and iterated by. Behind one reference, for it is in every request.
final class StreamProducer: Sendable {
  let length: Int64?
  let contentType: String?
  let isReplayable: Bool
  /// Gives all pieces to the buffer, until that wants no more.
  let run: @Sendable (StreamBuffer) async throws -> Void
  private let begun = Atomic<Bool>(false)

  init(length: Int64?, contentType: String?, isReplayable: Bool, _ run: @escaping @Sendable (StreamBuffer) async throws -> Void) {
    self.length = length
    self.contentType = contentType
    self.isReplayable = isReplayable
    self.run = run
  }

  var wasBegun: Bool { begun.load(ordering: .relaxed) }

  /// True for the first who asks.
  func begin() -> Bool { !begun.exchange(true, ordering: .relaxed) }
}
