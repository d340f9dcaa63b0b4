internal import CNghttp2
internal import EventLoop

/// The sessions by the number that nghttp2 hands back to its callbacks, and those callbacks.
///
/// Each of them does the same: enters the loop's actor, and has the session of that number act. A number that is not known ends nghttp2's
/// call.
@LoopActor
enum Http2SessionTable {
  private static var entries: [(generation: UInt, session: Http2Session?)] = []
  private static var freeEntries: [Int] = []

  static func add(_ session: Http2Session) -> UInt {
    let index = freeEntries.popLast() ?? entries.count
    if index == entries.count { entries.append((0, nil)) }
    entries[index].generation += 1
    entries[index].session = session
    return entries[index].generation << 32 | UInt(index)
  }

  static func remove(_ id: UInt) {
    guard self[id] != nil else { return }
    entries[Int(id & 0xffff_ffff)].session = nil
    freeEntries.append(Int(id & 0xffff_ffff))
  }

  static subscript(id: UInt) -> Http2Session? {
    let index = Int(id & 0xffff_ffff)
    guard index < entries.count, entries[index].generation == id >> 32 else { return nil }
    return entries[index].session
  }

  static var count: Int { entries.count - freeEntries.count }

  /// Made once, for the life of the process.
  static let callbacks: OpaquePointer? = {
    var made: OpaquePointer?
    nghttp2_session_callbacks_new(&made)
    nghttp2_session_callbacks_set_on_begin_frame_callback(made) { _, header, id in
      enter(id, header) { session, header in
        guard let header else { return failed }
        return session.began(header.pointee) ? 0 : failed
      }
    }
    nghttp2_session_callbacks_set_on_header_callback(made) { _, _, name, nameCount, value, valueCount, _, id in
      let (name, value) = (UnsafeRawBufferPointer(start: name, count: nameCount), UnsafeRawBufferPointer(start: value, count: valueCount))
      return enter(id, (name, value)) { session, field in session.received(field: field.0, field.1) ? 0 : refused }
    }
    nghttp2_session_callbacks_set_on_invalid_header_callback(made) { _, _, name, nameCount, _, _, _, id in
      enter(id, UnsafeRawBufferPointer(start: name, count: nameCount)) { session, name in
        session.invalid(field: name)
        return refused
      }
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(made) { _, frame, id in
      enter(id, frame) { session, frame in received(frame, session) }
    }
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made) { _, frame, error, id in
      enter(id, (frame, error)) { session, invalid in
        if let frame = invalid.0 { session.invalid(frame.pointee.hd.stream_id, invalid.1) }
        return 0
      }
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made) { _, _, number, data, count, id in
      enter(id, (number, UnsafeRawBufferPointer(start: data, count: count))) { session, chunk in
        session.received(chunk.0, body: chunk.1)
        return 0
      }
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(made) { _, number, code, id in
      enter(id, (number, code)) { session, end in
        session.closed(end.0, end.1)
        return 0
      }
    }
    nghttp2_session_callbacks_set_before_frame_send_callback(made) { _, frame, id in
      enter(id, frame) { session, frame in sending(frame, session) }
    }
    nghttp2_session_callbacks_set_on_frame_not_send_callback(made) { _, frame, error, id in
      enter(id, (frame, error)) { session, unsent in
        if let frame = unsent.0 { session.notSent(frame.pointee.hd, unsent.1) }
        return 0
      }
    }
    return made
  }()

  /// Asks a session for the next piece of a request's body.
  static let readBody: nghttp2_data_source_read_callback = { _, _, buffer, capacity, flags, source, id in
    guard let source, let flags else { return Int(failed) }
    let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: capacity)
    let count = enter(id, (source.pointee.fd, buffer, flags)) { session, wanted in
      guard let piece = session.readBody(Int(wanted.0), into: wanted.1) else { return Int32(NGHTTP2_ERR_DEFERRED.rawValue) }
      if piece.isLast { wanted.2.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return Int32(truncatingIfNeeded: piece.count)
    }
    return Int(count)
  }

  private static func received(_ frame: UnsafePointer<nghttp2_frame>?, _ session: Http2Session) -> Int32 {
    guard let frame else { return failed }
    let header = frame.pointee.hd
    switch UInt32(header.type) {
    case NGHTTP2_RST_STREAM.rawValue: session.wasReset(header.stream_id, frame.pointee.rst_stream.error_code)
    case NGHTTP2_GOAWAY.rawValue:
      session.serverGoesAway(frame.pointee.goaway.error_code, words(of: frame.pointee.goaway) ?? "")
    case NGHTTP2_PING.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0:
      let number = withUnsafeBytes(of: frame.pointee.ping.opaque_data) { $0.loadUnaligned(as: UInt64.self) }
      session.pingAnswered(UInt64(bigEndian: number))
    default: session.received(header)
    }
    return session.isOpen ? 0 : failed
  }

  private static func sending(_ frame: UnsafePointer<nghttp2_frame>?, _ session: Http2Session) -> Int32 {
    guard let frame else { return failed }
    if UInt32(frame.pointee.hd.type) == NGHTTP2_GOAWAY.rawValue {
      session.sending(frame.pointee.hd, errorCode: frame.pointee.goaway.error_code, words: words(of: frame.pointee.goaway))
    } else {
      session.sending(frame.pointee.hd, errorCode: 0, words: nil)
    }
    return 0
  }

  private static func words(of frame: nghttp2_goaway) -> String? {
    guard frame.opaque_data_len > 0, let data = frame.opaque_data else { return nil }
    return Http2Session.excerpt(UnsafeRawBufferPointer(start: data, count: min(frame.opaque_data_len, 200)))
  }
}

private let failed = Int32(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
private let refused = Int32(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)

@inline(__always)
private func enter<Argument>(
  _ id: UnsafeMutableRawPointer?, _ argument: Argument, _ body: @escaping @LoopActor (Http2Session, Argument) -> Int32
) -> Int32 {
  EventLoop.assumeOnLoop(with: (UInt(bitPattern: id), argument, body)) { call in
    guard let session = Http2SessionTable[call.0] else { return failed }
    return call.2(session, call.1)
  }
}
