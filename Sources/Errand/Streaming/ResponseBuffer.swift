internal import EventLoop
internal import HttpWire

/// Where the loop that receives a response meets the task that takes it: bounded, and the task waits without holding a thread.
final class ResponseBuffer: Sendable {
  /// The response as it begins.
  struct Beginning: Sendable {
    let head: ResponseHead
    let url: String?
    let redirects: [RedirectHop]
  }

  private struct State {
    var beginning: Beginning?
    var pieces: [[UInt8]] = []
    /// The pieces before this one have been taken.
    var first = 0
    var count = 0
    var end: Result<HttpResponse, HttpClientError>?
    var isPaused = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var changes = 0
  }

  /// What waits to be taken, in bytes, before reading pauses; it goes on at half of it.
  static let limit = 1_048_576
  /// Up to this size pieces are joined.
  private static let pieceSize = 65_536

  private let state = Locked(State())
  private let onRoom: @Sendable (ResponseBuffer) -> Void

  /// `onRoom`: reading may go on. From any thread.
  init(onRoom: @escaping @Sendable (ResponseBuffer) -> Void) {
    self.onRoom = onRoom
  }

  // MARK: The loop's side

  func begin(_ beginning: Beginning) {
    change { $0.beginning = beginning }
  }

  /// True if reading has to pause.
  func give(_ bytes: UnsafeRawBufferPointer) -> Bool {
    change { state in
      if let last = state.pieces.last, last.count + bytes.count <= ResponseBuffer.pieceSize {
        state.pieces[state.pieces.count - 1].append(contentsOf: bytes)
      } else {
        state.pieces.append([UInt8](bytes))
      }
      state.count += bytes.count
      if state.count >= ResponseBuffer.limit { state.isPaused = true }
      return state.isPaused
    }
  }

  func end(_ result: Result<HttpResponse, HttpClientError>) {
    change { state in
      state.end = result
      // Kept in memory, or stored before.
      guard state.beginning == nil, case .success(let response) = result else { return }
      let head = ResponseHead(version: response.version, status: response.status, reason: response.reason, headers: response.headers)
      state.beginning = Beginning(head: head, url: response.url, redirects: response.redirects)
      if !response.body.isEmpty { state.pieces.append(response.body) }
      state.count = response.body.count
    }
  }

  private func change<Value>(_ change: (inout State) -> Value) -> Value {
    let (value, waiting) = state.withLock { state in
      let value = change(&state)
      state.changes += 1
      defer { state.waiting = [] }
      return (value, state.waiting)
    }
    for continuation in waiting { continuation.resume() }
    return value
  }

  // MARK: Any thread

  var isPaused: Bool { state.withLock(\.isPaused) }
  var hasEnded: Bool { state.withLock { $0.end != nil } }
  /// What waits to be taken, in bytes.
  var count: Int { state.withLock(\.count) }

  // MARK: The task's side

  func beginning() async -> Result<Beginning, HttpClientError> {
    await take { state in
      if let beginning = state.beginning { return .success(beginning) }
      guard case .failure(let error)? = state.end else { return nil }
      return .failure(error)
    }
  }

  /// The next piece; nil after the last.
  func next() async -> Result<[UInt8]?, HttpClientError> {
    let (result, hasRoom) = await take { state -> (Result<[UInt8]?, HttpClientError>, Bool)? in
      guard state.first == state.pieces.count else {
        let piece = state.pieces[state.first]
        state.pieces[state.first] = []
        state.first += 1
        state.count -= piece.count
        if state.first == state.pieces.count || state.first >= 64 {
          state.pieces.removeFirst(state.first)
          state.first = 0
        }
        guard state.isPaused, state.count < ResponseBuffer.limit / 2 else { return (.success(piece), false) }
        state.isPaused = false
        return (.success(piece), true)
      }
      switch state.end {
      case .success?: return (.success(nil), false)
      case .failure(let error)?: return (.failure(error), false)
      case nil: return nil
      }
    }
    if hasRoom { onRoom(self) }
    return result
  }

  /// Waits for the end of one that was cancelled; if it was whole before, that makes no difference.
  func ending() async -> Result<[UInt8]?, HttpClientError> {
    await take { state in
      switch state.end {
      case .failure(let error)?: .failure(error)
      case .success?: .failure(HttpClientError(.cancelled, message: "the task was cancelled", sent: .sent))
      case nil: nil
      }
    }
  }

  /// Nobody takes the rest.
  func drop() {
    state.withLock { state in
      state.pieces = []
      (state.first, state.count) = (0, 0)
    }
  }

  private func take<Value>(_ look: (inout State) -> Value?) async -> Value {
    while true {
      let (value, changes) = state.withLock { (look(&$0), $0.changes) }
      if let value { return value }
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          // Something came meanwhile.
          guard state.changes == changes else { return false }
          state.waiting.append(continuation)
          return true
        }
        if !isWaiting { continuation.resume() }
      }
    }
  }
}
