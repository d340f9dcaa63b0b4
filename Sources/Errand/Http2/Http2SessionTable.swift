internal import CNghttp2
internal import EventLoop

/// The sessions by the number that nghttp2 hands back to its callbacks, and those callbacks.
///
/// Each of them does the same: takes numbers and places in memory as integers, enters the loop's actor, and has the session of that number
/// act. A number that is not known ends nghttp2's call.
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
      let header = UInt(bitPattern: header)
      return enter(id) { session in
        guard let header = frameHeader(header) else { return failed }
        return session.began(header) ? 0 : failed
      }
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(made) { _, frame, id in
      let frame = UInt(bitPattern: frame)
      return enter(id) { session in
        guard let header = frameHeader(frame) else { return failed }
        let isPush = UInt32(header.type) == NGHTTP2_PUSH_PROMISE.rawValue
        return session.beganHeaders(header.stream_id, isPush: isPush) ? 0 : refused
      }
    }
    nghttp2_session_callbacks_set_on_header_callback(made) { _, _, name, nameCount, value, valueCount, _, id in
      let (name, value) = (UInt(bitPattern: name), UInt(bitPattern: value))
      return enter(id) { session in session.received(field: bytes(name, nameCount), bytes(value, valueCount)) ? 0 : refused }
    }
    nghttp2_session_callbacks_set_on_invalid_header_callback(made) { _, _, name, nameCount, _, _, _, id in
      let name = UInt(bitPattern: name)
      return enter(id) { session in
        session.invalid(field: bytes(name, nameCount))
        return refused
      }
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(made) { _, frame, id in
      let frame = UInt(bitPattern: frame)
      return enter(id) { received(frame, $0) }
    }
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made) { _, frame, error, id in
      let frame = UInt(bitPattern: frame)
      return enter(id) { session in
        if let header = frameHeader(frame) { session.invalid(header.stream_id, error) }
        return 0
      }
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made) { _, _, number, data, count, id in
      let data = UInt(bitPattern: data)
      return enter(id) { session in
        session.received(number, body: bytes(data, count))
        return 0
      }
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(made) { _, number, code, id in
      enter(id) { session in
        session.closed(number, code)
        return 0
      }
    }
    nghttp2_session_callbacks_set_before_frame_send_callback(made) { _, frame, id in
      let frame = UInt(bitPattern: frame)
      return enter(id) { sending(frame, $0) }
    }
    nghttp2_session_callbacks_set_on_frame_not_send_callback(made) { _, frame, error, id in
      let frame = UInt(bitPattern: frame)
      return enter(id) { session in
        if let header = frameHeader(frame) { session.notSent(header, error) }
        return 0
      }
    }
    return made
  }()

  /// Asks a session for the next piece of a request's body.
  static let readBody: nghttp2_data_source_read_callback = { _, _, buffer, capacity, flags, source, id in
    let (buffer, flags) = (UInt(bitPattern: buffer), UInt(bitPattern: flags))
    guard let source else { return Int(failed) }
    let slot = Int(source.pointee.fd)
    var result = Int(failed)
    _ = enter(id) { session in
      guard let start = UnsafeMutableRawPointer(bitPattern: buffer) else { return failed }
      guard let piece = session.readBody(slot, into: UnsafeMutableRawBufferPointer(start: start, count: capacity)) else {
        result = Int(NGHTTP2_ERR_DEFERRED.rawValue)
        return 0
      }
      result = piece.count
      if piece.isLast { UnsafeMutablePointer<UInt32>(bitPattern: flags)?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return 0
    }
    return result
  }

  private static func received(_ frame: UInt, _ session: Http2Session) -> Int32 {
    guard let header = frameHeader(frame), let whole = UnsafePointer<nghttp2_frame>(bitPattern: frame) else { return failed }
    switch UInt32(header.type) {
    case NGHTTP2_RST_STREAM.rawValue: session.wasReset(header.stream_id, whole.pointee.rst_stream.error_code)
    case NGHTTP2_GOAWAY.rawValue:
      session.serverGoesAway(whole.pointee.goaway.error_code, words(of: whole.pointee.goaway) ?? "")
    case NGHTTP2_PING.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0:
      let number = withUnsafeBytes(of: whole.pointee.ping.opaque_data) { $0.loadUnaligned(as: UInt64.self) }
      session.pingAnswered(UInt64(bigEndian: number))
    default: session.received(header)
    }
    return session.isOpen ? 0 : failed
  }

  private static func sending(_ frame: UInt, _ session: Http2Session) -> Int32 {
    guard let header = frameHeader(frame), let whole = UnsafePointer<nghttp2_frame>(bitPattern: frame) else { return failed }
    if UInt32(header.type) == NGHTTP2_GOAWAY.rawValue {
      session.sending(header, errorCode: whole.pointee.goaway.error_code, words: words(of: whole.pointee.goaway))
    } else {
      session.sending(header, errorCode: 0, words: nil)
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

private func enter(_ id: UnsafeMutableRawPointer?, _ body: @LoopActor (Http2Session) -> Int32) -> Int32 {
  let id = UInt(bitPattern: id)
  return EventLoop.assumeOnLoop {
    guard let session = Http2SessionTable[id], session.isOpen else { return failed }
    return body(session)
  }
}

/// Every frame begins with its header.
private func frameHeader(_ place: UInt) -> nghttp2_frame_hd? {
  UnsafePointer<nghttp2_frame_hd>(bitPattern: place)?.pointee
}

private func bytes(_ place: UInt, _ count: Int) -> UnsafeRawBufferPointer {
  UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: place), count: count)
}
