internal import EventLoop
internal import HttpWire

/// Hands a response's body to the task that waits for it.
@LoopActor
final class StreamTaker: BodyTaker {
  private let buffer: ResponseBuffer

  init(_ buffer: ResponseBuffer) {
    self.buffer = buffer
  }

  // What a task has taken can't be taken back.
  var mayStartAnew: Bool { false }
  var takesSuccess: Bool { true }

  func take(_ bytes: UnsafeRawBufferPointer, of item: RequestItem) {
    if buffer.give(bytes) { item.connection?.pause(item) }
  }

  func isFull(_ item: RequestItem) -> Bool { buffer.isPaused }
  func hasRoom(_ item: RequestItem) -> Bool { !buffer.isPaused }
}

extension RequestItem {
  /// Its body goes on as it comes.
  var streamsBody: Bool {
    if case .stream = ticket.sink { true } else { interests.contains(.bodyChunks) }
  }
}

extension RequestEngine {
  /// The head of a response that is the last came: a success goes to the task that waits for it.
  func directs(_ item: RequestItem, _ head: ResponseHead, to buffer: ResponseBuffer) {
    guard head.status < 400 || item.rules.normalizer.acceptStatus.contains(head.status) else { return }
    item.taker = StreamTaker(buffer)
    let way = item.conversation.flatMap(HttpResponse.Way.init)
    buffer.begin(ResponseBuffer.Beginning(head: item.head ?? head, url: way?.url, redirects: way?.redirects ?? []))
  }

  /// Enough of what waited has been taken.
  func hasRoom(_ buffer: ResponseBuffer, _ handle: RequestHandle) {
    guard !buffer.isPaused, let item = table[handle] else { return }
    resumeReading(item)
  }
}

extension Sink {
  /// What is wrong with a request that is to end here; nil is nothing.
  func fault(in request: HttpRequest) -> String? {
    guard case .stream = self, request.optionBox?.value.download != nil else { return nil }
    return "a response can't go both to a file and to a stream"
  }
}
