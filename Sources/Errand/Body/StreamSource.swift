internal import EventLoop

/// Sends what an asynchronous sequence gives.
@LoopActor
final class StreamSource: BodySource {
  let length: Int64?
  var isReplayable: Bool { stream.isReplayable }
  var onReady: (@LoopActor () -> Void)?
  private let stream: HttpBodyStream
  private var run: Run?
  private var given: Int64 = 0
  /// The piece with which the body would be whole, until it is known that no more comes.
  private var held: [UInt8]?
  private var hasBegun = false
  private var hasEnded = false
  private var failure: HttpClientError?

  nonisolated static let wasSent = "the body's stream, which can be sent only once, was begun before"

  /// One iteration of the sequence.
  private struct Run {
    let buffer: StreamBuffer
    let task: Task<Void, Never>

    func stop() {
      task.cancel()
      buffer.close()
    }
  }

  nonisolated init(_ stream: HttpBodyStream) {
    self.stream = stream
    length = stream.length
  }

  deinit {
    // Nothing else would ever wake a task that waits for room.
    run?.stop()
  }

  func next(into piece: inout [UInt8]) -> BodyStep {
    if let failure { return .failed(failure) }
    if hasEnded { return .end }
    guard let run = run ?? start() else { return fail(.cannotReplayBody(StreamSource.wasSent)) }
    switch run.buffer.take(into: &piece) {
    case .nothing: return .later
    case .failure(let message): return fail(.body("the body's stream failed: \(message)"))
    case .bytes(let isLast): return add(&piece, isLast)
    case .end: return end(&piece)
    }
  }

  private func add(_ piece: inout [UInt8], _ isLast: Bool) -> BodyStep {
    given += Int64(piece.count)
    if let length {
      guard given <= length else { return fail(.body("the body's stream gave more than the \(length) bytes that it was to have")) }
      if isLast, given < length { return fellShort(of: length) }
      if !isLast, given == length {
        held = piece
        return next(into: &piece)
      }
    }
    if isLast { haveEnded() }
    return .piece(isLast: isLast)
  }

  private func end(_ piece: inout [UInt8]) -> BodyStep {
    if let length, given < length { return fellShort(of: length) }
    haveEnded()
    guard let last = held.take() else { return .end }
    piece = last
    return .piece(isLast: true)
  }

  /// The buffer has the memory of the piece before, and an answer may be long in coming.
  private func haveEnded() {
    hasEnded = true
    close()
  }

  private func fellShort(of length: Int64) -> BodyStep {
    fail(.body("the body's stream ended after \(given) of the \(length) bytes that it was to have"))
  }

  private func fail(_ error: HttpClientError) -> BodyStep {
    failure = error
    close()
    return .failed(error)
  }

  func rewind() throws(HttpClientError) {
    guard hasBegun else { return }
    guard stream.isReplayable else { throw .cannotReplayBody(StreamSource.wasSent) }
    close()
    (given, held, hasBegun, hasEnded, failure) = (0, nil, false, false, nil)
  }

  func close() {
    run?.stop()
    run = nil
  }

  private func start() -> Run? {
    guard stream.producer.begin() || stream.isReplayable else { return nil }
    let buffer = StreamBuffer { [weak self] buffer in
      EventLoop.shared.enqueue { [weak self] in self?.woken(by: buffer) }
    }
    let run = Run(buffer: buffer, task: StreamSource.produce(stream.producer, into: buffer))
    self.run = run
    hasBegun = true
    return run
  }

  private nonisolated static func produce(_ producer: StreamProducer, into buffer: StreamBuffer) -> Task<Void, Never> {
    Task {
      do {
        try await producer.run(buffer)
        buffer.finish()
      } catch {
        buffer.fail("\(error)")
      }
    }
  }

  private func woken(by buffer: StreamBuffer) {
    // One that was rewound has another.
    if buffer === run?.buffer { onReady?() }
  }
}
