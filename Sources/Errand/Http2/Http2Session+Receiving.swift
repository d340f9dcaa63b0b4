internal import CNghttp2
internal import EventLoop
internal import HttpWire

/// What comes in.
extension Http2Session {
  /// Reads bytes of the server.
  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    guard !bytes.isEmpty else { return }
    flood.received(at: now)
    calling { native in
      let count = nghttp2_session_mem_recv(native, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
      if count < 0, isOpen { fail(Int32(truncatingIfNeeded: count)) }
    }
  }

  /// nghttp2 can't go on.
  func fail(_ error: Int32) {
    guard failure == nil else { return }
    failure = .http2("the HTTP/2 connection failed: \(String(cString: nghttp2_strerror(error)))")
  }

  // MARK: Frames

  /// False: the session must end.
  func began(_ frame: nghttp2_frame_hd) -> Bool {
    switch UInt32(frame.type) {
    case NGHTTP2_DATA.rawValue:
      guard frame.length > 0 || frame.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else { return counted(.emptyData) }
      guard isWanted(frame.stream_id) else { return counted(.stale) }
      flood.usefulFrame()
    case NGHTTP2_HEADERS.rawValue:
      guard isWanted(frame.stream_id) else { return flood.allowsStaleHeader(frame.length) || flooded(.stale) }
      flood.usefulFrame()
      beganHeaders(frame.stream_id)
    case NGHTTP2_PRIORITY.rawValue: return counted(.priority)
    // One that ends a stream is paid for with a request.
    case NGHTTP2_RST_STREAM.rawValue: return find(frame.stream_id) != nil || counted(.reset)
    case NGHTTP2_SETTINGS.rawValue: return counted(.settings)
    case NGHTTP2_PING.rawValue: return counted(.ping)
    case NGHTTP2_GOAWAY.rawValue: return counted(.goAway)
    case NGHTTP2_WINDOW_UPDATE.rawValue: return counted(.windowUpdate)
    case NGHTTP2_CONTINUATION.rawValue: return counted(.continuation)
    // nghttp2 skips frames of a kind that it does not know.
    default: break
    }
    return true
  }

  private func isWanted(_ number: Int32) -> Bool {
    find(number).map { !streams[$0.index].isOver } ?? false
  }

  private func counted(_ kind: Http2FloodGuard.Kind) -> Bool {
    flood.allows(kind) || flooded(kind)
  }

  private func flooded(_ kind: Http2FloodGuard.Kind) -> Bool {
    failure = failure ?? .http2(flood.words(kind))
    nghttp2_session_terminate_session(native, Http2ErrorCode.enhanceYourCalm.rawValue)
    return false
  }

  func received(_ frame: nghttp2_frame_hd) {
    let endsStream = frame.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    switch UInt32(frame.type) {
    case NGHTTP2_HEADERS.rawValue:
      guard block.slot >= 0, let stream = find(frame.stream_id), stream.slot == block.slot else { return }
      block.slot = -1
      headersComplete(stream, endsStream: endsStream)
      if endsStream { responseEnded(stream) }
    case NGHTTP2_DATA.rawValue where endsStream:
      if let stream = find(frame.stream_id) { responseEnded(stream) }
    case NGHTTP2_SETTINGS.rawValue where frame.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
      releaseBodies()
      handler?.serverSettingsChanged()
    default: break
    }
  }

  func wasReset(_ number: Int32, _ code: UInt32) {
    if find(number) != nil { troubles[number, default: Trouble()].resetCode = Http2ErrorCode(rawValue: code) }
  }

  func serverGoesAway(_ code: UInt32, _ words: String) {
    serverIsGoing = true
    handler?.serverGoesAway(Http2ErrorCode(rawValue: code), words)
  }

  func pingAnswered(_ number: UInt64) {
    handler?.pingAnswered(number)
  }

  /// nghttp2 refuses a frame that is wrong for its stream, and will reset that.
  func invalid(_ number: Int32, _ error: Int32) {
    guard find(number) != nil, troubles[number]?.fault == nil else { return }
    troubles[number, default: Trouble()].fault = .http2("the response breaks HTTP/2's rules: \(String(cString: nghttp2_strerror(error)))")
  }

  // MARK: Bodies

  func received(_ number: Int32, body: UnsafeRawBufferPointer) {
    nghttp2_session_consume_connection(native, body.count)
    guard let stream = find(number), !streams[stream.index].isOver else { return }
    handler?.received(body: body, on: stream)
  }

  private func responseEnded(_ stream: Http2Stream) {
    guard isLive(stream) else { return }
    streams[stream.index].hasEnded = true
    streams[stream.index].isOver = true
    if nghttp2_session_get_stream_local_close(native, stream.number) == 0 {
      // The server has answered without waiting for the rest of the body (RFC 9113 section 8.1).
      reset(stream, .noError)
    }
    handler?.ended(stream, .whole)
  }

  /// nghttp2 has done with a stream.
  func closed(_ number: Int32, _ code: UInt32) {
    guard let stream = find(number) else { return }
    if streams[stream.index].isOver { return forget(stream) }
    streams[stream.index].isOver = true
    let end = end(of: stream, Http2ErrorCode(rawValue: code))
    forget(stream)
    handler?.ended(stream, end)
  }

  private func end(of stream: Http2Stream, _ code: Http2ErrorCode) -> Http2StreamEnd {
    let trouble = troubles[stream.number]
    if let fault = trouble?.fault { return .failed(fault) }
    if code == .refusedStream, !streams[stream.index].hasHead {
      return .notProcessed(trouble?.resetCode == nil ? "the server goes away" : "the server refused the stream")
    }
    if let code = trouble?.resetCode { return .reset(code) }
    return .failed(.http2("the response breaks HTTP/2's rules (\(code))"))
  }

  /// The response is of no use to its request.
  func fault(_ stream: Http2Stream, _ error: WireError) {
    guard isLive(stream) else { return }
    streams[stream.index].isOver = true
    reset(stream, error.kind == .malformed ? .protocolError : .cancel)
    handler?.ended(stream, .failed(error))
  }

  /// The stream of that number, if nghttp2 knows it.
  func find(_ number: Int32) -> Http2Stream? {
    if let lastFound, lastFound.number == number { return lastFound }
    let slot = Int(bitPattern: nghttp2_session_get_stream_user_data(native, number)) - 1
    guard slot >= 0, slot < streams.count, streams[slot].number == number else { return nil }
    let stream = Http2Stream(slot: Int32(truncatingIfNeeded: slot), number: number)
    lastFound = stream
    return stream
  }
}

extension WireError {
  static func http2(_ message: String) -> WireError { WireError(kind: .malformed, message: message) }
}
