internal import EventLoop

/// Where a task that produces a body meets the loop that sends it: bounded, and each side waits for the other without holding a thread.
final class StreamBuffer: Sendable {
  enum Taken: Equatable {
    /// `isLast`: it is known that no more will come.
    case bytes(isLast: Bool)
    /// ``StreamBuffer/wake`` is called when there is more to be had.
    case nothing
    case end
    case failure(String)
  }

  private enum End {
    case whole
    case failure(String)
    /// Nobody takes anything any more.
    case unwanted
  }

  private struct State {
    var bytes: [UInt8] = []
    var end: End?
    /// The loop found nothing.
    var isAwaited = false
    /// The task, while the buffer is full.
    var producer: CheckedContinuation<Void, Never>?
  }

  /// The most that is produced ahead, in bytes.
  static let limit = 524_288

  private let state = Locked(State())
  private let wake: @Sendable (StreamBuffer) -> Void

  init(wake: @escaping @Sendable (StreamBuffer) -> Void) {
    self.wake = wake
  }

  // MARK: The task's side

  /// Adds bytes, waiting for room; false if nobody wants them any more.
  func give(_ piece: [UInt8]) async -> Bool {
    var rest = piece[...]
    while !rest.isEmpty {
      await waitForRoom()
      let (isWanted, wakes) = state.withLock { state -> (Bool, Bool) in
        guard state.end == nil else { return (false, false) }
        let count = min(rest.count, StreamBuffer.limit - min(StreamBuffer.limit, state.bytes.count))
        state.bytes += rest.prefix(count)
        rest = rest.dropFirst(count)
        defer { state.isAwaited = false }
        return (true, state.isAwaited)
      }
      guard isWanted else { return false }
      if wakes { wake(self) }
    }
    return true
  }

  private func waitForRoom() async {
    await withCheckedContinuation { continuation in
      let isWaiting = state.withLock { state in
        guard state.end == nil, state.bytes.count >= StreamBuffer.limit else { return false }
        state.producer = continuation
        return true
      }
      if !isWaiting { continuation.resume() }
    }
  }

  func finish() { end(.whole) }
  func fail(_ message: String) { end(.failure(message)) }

  private func end(_ end: End) {
    let wakes = state.withLock { state in
      guard state.end == nil else { return false }
      state.end = end
      defer { state.isAwaited = false }
      return state.isAwaited
    }
    if wakes { wake(self) }
  }

  // MARK: The loop's side

  /// Replaces `piece` by all that is there.
  func take(into piece: inout [UInt8]) -> Taken {
    let (taken, producer) = state.withLock { state -> (Taken, CheckedContinuation<Void, Never>?) in
      if case .failure(let message) = state.end { return (.failure(message), nil) }
      if state.bytes.isEmpty {
        if state.end != nil { return (.end, nil) }
        state.isAwaited = true
        return (.nothing, nil)
      }
      piece.removeAll(keepingCapacity: true)
      swap(&piece, &state.bytes)
      if state.end != nil { return (.bytes(isLast: true), nil) }
      defer { state.producer = nil }
      return (.bytes(isLast: false), state.producer)
    }
    producer?.resume()
    return taken
  }

  /// Nothing is taken any more: what the task gives from now on is turned down.
  func close() {
    let producer = state.withLock { state in
      state.end = .unwanted
      state.bytes = []
      defer { state.producer = nil }
      return state.producer
    }
    producer?.resume()
  }

  /// What is held, in bytes.
  var count: Int { state.withLock { $0.bytes.count } }
}
