internal import Dispatch
internal import EventLoop
internal import HttpWire

/// A body on its way to a connection: its source, what that gave last, and how much of it is written.
@LoopActor
final class BodyFeed {
  /// What ``read(into:)`` gave.
  enum Read {
    case bytes(Int, isLast: Bool)
    /// The connection is told when there is more.
    case later
    case failed(HttpClientError)
  }

  private enum State {
    case unopened(UnopenedBody)
    case opening
    case open(any BodySource)
    case closed
  }

  private var state: State
  /// Told when there is more to write, after there was not.
  private var onReady: (@LoopActor () -> Void)?

  /// What is being written: a piece of the source, and what frames it where the body goes out in chunks.
  private var output: [UInt8] = []
  private var offset = 0
  /// Where in `output` the piece is.
  private var payload = 0..<0
  /// Of the body, before `output`.
  private var writtenBefore: Int64 = 0
  private(set) var isChunked = false
  /// The source's memory, where `output` is not that.
  private var chunk: [UInt8] = []
  private var hasBegun = false
  private var isAtEnd = false
  /// The source had nothing when it was asked last.
  private(set) var isWaiting = false
  private(set) var failure: HttpClientError?

  nonisolated init(_ stream: HttpBodyStream) {
    state = .open(StreamSource(stream))
  }

  nonisolated init(_ unopened: UnopenedBody) {
    state = .unopened(unopened)
  }

  private var source: (any BodySource)? { if case .open(let source) = state { source } else { nil } }

  // MARK: Opening

  /// It has to be opened first.
  var isUnopened: Bool {
    switch state {
    case .unopened, .opening: true
    case .open, .closed: false
    }
  }

  /// Opens it on a queue, and tells what the request's head is. Asked again meanwhile it tells once; closed meanwhile it does not.
  func open(_ done: @escaping @LoopActor @Sendable (Result<[UInt8], HttpClientError>) -> Void) {
    guard case .unopened(let unopened) = state else { return }
    state = .opening
    BodyFile.queue.async { [weak self] in
      let result = Result { () throws(HttpClientError) in try unopened.open() }
      EventLoop.shared.enqueue { [weak self] in self?.opened(unopened, result, done) }
    }
  }

  private func opened(
    _ unopened: UnopenedBody, _ result: Result<(head: [UInt8], body: OpenBody), HttpClientError>,
    _ done: @LoopActor (Result<[UInt8], HttpClientError>) -> Void
  ) {
    guard case .opening = state else { return }
    switch result {
    case .success(let opened): state = .open(SegmentSource(opened.body))
    case .failure: state = .unopened(unopened)
    }
    done(result.map(\.head))
  }

  // MARK: Attempts

  /// In bytes; nil if it is not known.
  var length: Int64? { source?.length }

  /// Nothing of it was read, or it can be read again.
  var canReplay: Bool { !hasBegun || source?.isReplayable != false }

  /// Begins from the start, on a connection that is told when there is more to write. Throws `cannot_replay_body`.
  func begin(isChunked: Bool = false, onReady: @escaping @LoopActor () -> Void) throws(HttpClientError) {
    try rewind()
    self.isChunked = isChunked
    self.onReady = onReady
    source?.onReady = { [weak self] in self?.onReady?() }
  }

  private func rewind() throws(HttpClientError) {
    if hasBegun { try source?.rewind() }
    forgetOutput()
    writtenBefore = 0
    (hasBegun, isAtEnd, isWaiting, failure) = (false, false, false, nil)
  }

  /// It has no connection any more: what was read ahead is let go.
  func rest() {
    onReady = nil
    do throws(HttpClientError) {
      try rewind()
    } catch {
      source?.close()
      forgetOutput()
    }
  }

  /// Reads no more, closes files, ends tasks.
  func close() {
    source?.close()
    state = .closed
    onReady = nil
    forgetOutput()
  }

  private func forgetOutput() {
    (output, chunk, offset, payload) = ([], [], 0, 0..<0)
  }

  // MARK: Writing

  /// All of it was written.
  var isWhole: Bool { isAtEnd && offset == output.count }

  /// Bytes of the body that were written, without what frames them.
  var written: Int64 { writtenBefore + Int64(min(max(offset, payload.lowerBound), payload.upperBound) - payload.lowerBound) }

  /// Writes the next piece as HTTP/1.1 has it; nil if there is nothing to write: it is whole, has failed, or tells when it is ready.
  func send(on stream: ByteStream) -> StreamWrite? {
    while offset == output.count {
      guard fetch() else { return nil }
    }
    let result = stream.send(output, from: offset)
    if case .sent(let count) = result { took(count) }
    return result
  }

  /// Copies the next piece to a frame of HTTP/2.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Read {
    while offset == output.count {
      guard !fetch() else { continue }
      if let failure { return .failed(failure) }
      return isAtEnd ? .bytes(0, isLast: true) : .later
    }
    let count = min(buffer.count, output.count - offset)
    output.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) }
    took(count)
    return .bytes(count, isLast: isWhole)
  }

  private func took(_ count: Int) {
    offset += count
    guard isWhole else { return }
    // An answer may be long in coming.
    writtenBefore = written
    forgetOutput()
  }

  /// The next piece of the source; false if there is none.
  private func fetch() -> Bool {
    guard !isAtEnd, failure == nil, let source else { return false }
    hasBegun = true
    writtenBefore = written
    (offset, payload) = (0, 0..<0)
    let step = isChunked ? source.next(into: &chunk) : source.next(into: &output)
    if case .piece = step, !isChunked { payload = 0..<output.count } else { output.removeAll(keepingCapacity: true) }
    isWaiting = false
    switch step {
    case .later: isWaiting = true
    case .failed(let error): failure = error
    case .end: isAtEnd = true
    case .piece(let isLast):
      isAtEnd = isLast
      if isChunked { frame() }
    }
    if isChunked, isAtEnd { output += "0\r\n\r\n".utf8 }
    if isWhole { forgetOutput() }
    return !output.isEmpty
  }

  private func frame() {
    RequestWriter.chunk(chunk, to: &output)
    let end = output.count - 2
    payload = end - chunk.count..<end
  }
}
