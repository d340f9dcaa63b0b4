internal import Dispatch
internal import EventLoop

/// Sends segments, read piece by piece on a queue. One piece is in memory at a time.
@LoopActor
final class SegmentSource: BodySource {
  let length: Int64?
  var isReplayable: Bool { true }
  var onReady: (@LoopActor () -> Void)?
  private var start: SegmentCursor
  private var state: State
  /// Counts the times that reading began anew: what was asked for before is of no interest then.
  private var round = 0

  private enum State {
    case at(SegmentCursor)
    case reading
    case read(SegmentCursor, Locked<[UInt8]>)
    case failed(HttpClientError)
  }

  init(_ body: OpenBody) {
    start = SegmentCursor(body.segments)
    state = .at(start)
    length = body.length
  }

  func next(into piece: inout [UInt8]) -> BodyStep {
    switch state {
    case .reading: return .later
    case .failed(let error): return .failed(error)
    case .read(let cursor, let memory):
      memory.withLock { swap(&$0, &piece) }
      state = .at(cursor)
      return .piece(isLast: cursor.isAtEnd)
    case .at(let cursor):
      guard !cursor.isAtEnd else { return .end }
      read(from: cursor, &piece)
      return .later
    }
  }

  /// The next piece gets the memory of the last.
  private func read(from cursor: SegmentCursor, _ piece: inout [UInt8]) {
    // It goes to the queue and comes back; nobody waits for its lock.
    let memory = Locked<[UInt8]>([])
    memory.withLock { swap(&$0, &piece) }
    state = .reading
    BodyFile.queue.async { [weak self, round] in
      let result = SegmentSource.read(from: cursor, memory)
      EventLoop.shared.enqueue { [weak self] in self?.hasRead(result, memory, round) }
    }
  }

  private nonisolated static func read(
    from cursor: SegmentCursor, _ memory: Locked<[UInt8]>
  ) -> Result<SegmentCursor, HttpClientError> {
    var cursor = cursor
    return memory.withLock { piece in
      do throws(HttpClientError) {
        try cursor.read(into: &piece)
        return .success(cursor)
      } catch {
        return .failure(error)
      }
    }
  }

  private func hasRead(_ result: Result<SegmentCursor, HttpClientError>, _ memory: Locked<[UInt8]>, _ round: Int) {
    guard round == self.round else { return }
    switch result {
    case .success(let cursor): state = .read(cursor, memory)
    case .failure(let error): state = .failed(error)
    }
    onReady?()
  }

  func rewind() {
    round += 1
    state = .at(start)
  }

  func close() {
    start = SegmentCursor([])
    rewind()
  }
}
