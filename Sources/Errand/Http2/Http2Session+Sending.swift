internal import CNghttp2
internal import EventLoop
internal import HttpWire

/// What goes out.
extension Http2Session {
  /// Appends what is to be written to `buffer`, until that holds `limit` bytes or a little more.
  func gather(into buffer: inout [UInt8], upTo limit: Int) {
    calling { native in
      while buffer.count < limit {
        var piece: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(native, &piece)
        if count < 0 { fail(Int32(truncatingIfNeeded: count)) }
        guard count > 0, isOpen else { break }
        buffer.append(contentsOf: UnsafeBufferPointer(start: piece, count: count))
      }
    }
  }

  /// How much of a request ``gather(into:upTo:)`` has given out, besides its head.
  struct Progress {
    let body: Int
    let isWhole: Bool
  }

  /// nil for one whose head is not given out.
  func progress(_ stream: Http2Stream) -> Progress? {
    guard isLive(stream), streams[stream.index].headIsWritten else { return nil }
    if !feeds.isEmpty, let feed = feeds[stream.number] { return Progress(body: Int(feed.written), isWhole: feed.isWhole) }
    let offset = streams[stream.index].bodyOffset
    return Progress(body: offset - streams[stream.index].bodyStart, isWhole: offset == streams[stream.index].body.count)
  }

  /// Calls `body` with each live stream of which a piece was gathered since the last call.
  func takeWritten(_ body: (Http2Stream, Progress) -> Void) {
    guard !written.isEmpty else { return }
    var taken: [Http2Stream] = []
    swap(&taken, &written)
    for stream in taken where stream.index < streams.count && streams[stream.index].number == stream.number {
      streams[stream.index].isListedAsWritten = false
    }
    for stream in taken {
      if let progress = progress(stream) { body(stream, progress) }
    }
    taken.removeAll(keepingCapacity: true)
    if written.isEmpty { swap(&taken, &written) }
  }

  private func noteWritten(_ stream: Http2Stream) {
    guard !streams[stream.index].isListedAsWritten else { return }
    streams[stream.index].isListedAsWritten = true
    written.append(stream)
  }

  // MARK: Asked by the driver

  /// The body that was held back may go out.
  func sendHeldBody(_ stream: Http2Stream) {
    guard isLive(stream), streams[stream.index].holdsBody else { return }
    streams[stream.index].holdsBody = false
    nghttp2_session_resume_data(native, stream.number)
  }

  /// The server's settings have come.
  func releaseBodies() {
    guard !hasServerSettings else { return }
    hasServerSettings = true
    for stream in streams where stream.number != 0 && !stream.holdsBody && !stream.body.isEmpty {
      nghttp2_session_resume_data(native, stream.number)
    }
    for number in feeds.keys { nghttp2_session_resume_data(native, number) }
  }

  /// A feed has more to give.
  func resumeBody(_ stream: Http2Stream) {
    guard isLive(stream) else { return }
    nghttp2_session_resume_data(native, stream.number)
  }

  /// `count` bytes of the stream's body have been taken: the server may send as many more.
  func consume(_ stream: Http2Stream, _ count: Int) {
    guard count > 0, isLive(stream), !streams[stream.index].hasEnded else { return }
    nghttp2_session_consume_stream(native, stream.number, count)
  }

  /// Gives a stream up. Its handler hears no more of it; the connection goes on.
  func cancel(_ stream: Http2Stream, _ code: Http2ErrorCode = .cancel) {
    guard isLive(stream) else { return }
    streams[stream.index].isOver = true
    reset(stream, code)
  }

  /// Asks for a sign of life, answered by ``Http2SessionHandler/pingAnswered(_:)``.
  func ping(_ number: UInt64) {
    guard isOpen else { return }
    withUnsafeBytes(of: number.bigEndian) { bytes in
      _ = nghttp2_submit_ping(native, UInt8(NGHTTP2_FLAG_NONE.rawValue), bytes.bindMemory(to: UInt8.self).baseAddress)
    }
  }

  /// Says goodbye: no more will come of either side once that is written.
  func terminate(_ code: Http2ErrorCode = .noError) {
    guard isOpen else { return }
    nghttp2_session_terminate_session(native, code.rawValue)
  }

  func reset(_ stream: Http2Stream, _ code: Http2ErrorCode) {
    streams[stream.index].body = []
    if !feeds.isEmpty { feeds[stream.number] = nil }
    flood.streamGivenUp()
    nghttp2_submit_rst_stream(native, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.number, code.rawValue)
  }

  // MARK: Asked by nghttp2

  /// A frame is about to be given out.
  func sending(_ frame: nghttp2_frame_hd, errorCode: UInt32, words: String?) {
    switch UInt32(frame.type) {
    case NGHTTP2_HEADERS.rawValue:
      guard let stream = find(frame.stream_id) else { return }
      streams[stream.index].headIsWritten = true
      noteWritten(stream)
    case NGHTTP2_GOAWAY.rawValue where errorCode != 0:
      // nghttp2 has found the fault and says so to the server.
      let code = Http2ErrorCode(rawValue: errorCode)
      failure = failure ?? .http2("the server broke HTTP/2's rules (\(words.map { "\(code): \($0)" } ?? code.description))")
    default: break
    }
  }

  /// nghttp2 would not send a frame.
  func notSent(_ frame: nghttp2_frame_hd, _ error: Int32) {
    guard UInt32(frame.type) == NGHTTP2_HEADERS.rawValue else { return }
    // The stream was perhaps never opened, and nghttp2 does not know it then.
    guard let slot = streams.firstIndex(where: { $0.number == frame.stream_id }) else { return }
    let stream = Http2Stream(slot: Int32(truncatingIfNeeded: slot), number: frame.stream_id)
    let wasOver = streams[slot].isOver
    streams[slot].isOver = true
    forget(stream)
    guard !wasOver else { return }
    switch error {
    case Int32(NGHTTP2_ERR_FRAME_SIZE_ERROR.rawValue), Int32(NGHTTP2_ERR_HEADER_COMP.rawValue):
      let limit = settings.requestHeadBytes
      handler?.ended(
        stream, .failed(WireError(kind: .invalid, message: "the request's header fields are larger than \(limit) bytes")))
    default:
      handler?.ended(stream, .notProcessed("the connection takes no more requests"))
    }
  }

  /// The next piece of a stream's body.
  func readBody(_ slot: Int, into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isLast: Bool)? {
    guard slot >= 0, slot < streams.count, streams[slot].number != 0 else { return (0, true) }
    if streams[slot].holdsBody || !hasServerSettings { return nil }
    if !feeds.isEmpty, let feed = feeds[streams[slot].number] { return read(feed, slot, into: buffer) }
    let offset = streams[slot].bodyOffset
    let count = streams[slot].body.withUnsafeBytes { bytes in
      let count = min(buffer.count, bytes.count - min(offset, bytes.count))
      if count > 0 { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])) }
      return count
    }
    flood.usefulFrame()
    streams[slot].bodyOffset = offset + count
    noteWritten(Http2Stream(slot: Int32(truncatingIfNeeded: slot), number: streams[slot].number))
    return (count, offset + count >= streams[slot].body.count)
  }
  private func read(_ feed: BodyFeed, _ slot: Int, into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isLast: Bool)? {
    let stream = Http2Stream(slot: Int32(truncatingIfNeeded: slot), number: streams[slot].number)
    switch feed.read(into: buffer) {
    case .later: return nil
    case .failed(let error):
      feeds[stream.number] = nil
      handler?.failed(body: error, on: stream)
      return nil
    case .bytes(let count, let isLast):
      flood.usefulFrame()
      noteWritten(stream)
      return (count, isLast)
    }
  }
}
