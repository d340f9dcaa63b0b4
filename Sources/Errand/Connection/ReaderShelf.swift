internal import EventLoop
internal import HttpWire

/// A reader of responses, which a connection has only while one comes: connections that wait for theirs are many, and readers are large.
@LoopActor
final class ReaderBox {
  var reader: ResponseReader

  fileprivate init(_ reader: ResponseReader) {
    self.reader = reader
  }
}

/// Where connections take their readers from. A response that comes in one piece takes the same reader as the one before it.
@LoopActor
struct ReaderShelf {
  /// What new ones are copied from: they share its limits.
  private let fresh: ResponseReader
  private var spare: ReaderBox?

  nonisolated init(_ limits: WireLimits) {
    fresh = ResponseReader(requestMethod: .get, limits: limits)
  }

  /// A reader at the beginning of the response to a request of that method.
  mutating func take(requestMethod: HttpMethod) -> ReaderBox {
    let box = spare ?? ReaderBox(fresh)
    spare = nil
    box.reader.reset(requestMethod: requestMethod)
    return box
  }

  mutating func putBack(_ box: ReaderBox) {
    spare = box
  }
}
