/// One HTTP/2 frame (RFC 9113 section 4.1), made or read by hand.
struct Http2Frame: Sendable, Equatable {
  enum Kind: UInt8, Sendable {
    case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
  }

  static let endStream: UInt8 = 1
  static let ack: UInt8 = 1
  static let endHeaders: UInt8 = 4

  var kind: UInt8
  var flags: UInt8
  var stream: Int32
  var payload: [UInt8]

  init(_ kind: Kind, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8] = []) {
    self.init(kind: kind.rawValue, flags: flags, stream: stream, payload)
  }

  init(kind: UInt8, flags: UInt8, stream: Int32, _ payload: [UInt8]) {
    self.kind = kind
    self.flags = flags
    self.stream = stream
    self.payload = payload
  }

  func isA(_ kind: Kind) -> Bool { self.kind == kind.rawValue }
  func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

  /// The first number of the payload, such as an error code or a window.
  var number: UInt32 { payload.count >= 4 ? payload[..<4].reduce(0) { $0 << 8 | UInt32($1) } : 0 }
  /// An error code of RST_STREAM or GOAWAY.
  var errorCode: UInt32 {
    isA(.goAway) && payload.count >= 8 ? payload[4..<8].reduce(0) { $0 << 8 | UInt32($1) } : number
  }

  var bytes: [UInt8] {
    let length = payload.count
    return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), kind, flags]
      + Http2Frame.bytes(UInt32(bitPattern: stream)) + payload
  }

  static func bytes(_ number: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }

  /// Takes whole frames off the front of `bytes`.
  static func take(from bytes: inout [UInt8]) -> [Http2Frame] {
    var frames: [Http2Frame] = []
    var start = 0
    while bytes.count - start >= 9 {
      let length = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
      guard bytes.count - start - 9 >= length else { break }
      let stream = bytes[(start + 5)..<(start + 9)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      frames.append(
        Http2Frame(
          kind: bytes[start + 3], flags: bytes[start + 4], stream: Int32(truncatingIfNeeded: stream & 0x7fff_ffff),
          Array(bytes[(start + 9)..<(start + 9 + length)])))
      start += 9 + length
    }
    bytes.removeFirst(start)
    return frames
  }

  // MARK: Frames of a server

  static func headers(_ stream: Int32, _ fields: [(String, String)], endStream: Bool = false) -> Http2Frame {
    Http2Frame(.headers, flags: endHeaders | (endStream ? Http2Frame.endStream : 0), stream: stream, Hpack.literals(fields))
  }

  static func data(_ stream: Int32, _ body: [UInt8], endStream: Bool = false) -> Http2Frame {
    Http2Frame(.data, flags: endStream ? Http2Frame.endStream : 0, stream: stream, body)
  }

  static func reset(_ stream: Int32, _ code: UInt32) -> Http2Frame { Http2Frame(.reset, stream: stream, bytes(code)) }

  static func settings(_ entries: KeyValuePairs<UInt16, UInt32> = [:]) -> Http2Frame {
    Http2Frame(.settings, entries.flatMap { [UInt8($0.key >> 8), UInt8($0.key & 255)] + bytes($0.value) })
  }

  static func goAway(last: Int32, _ code: UInt32 = 0, _ words: String = "") -> Http2Frame {
    Http2Frame(.goAway, bytes(UInt32(bitPattern: last)) + bytes(code) + Array(words.utf8))
  }

  static func windowUpdate(_ stream: Int32, _ count: UInt32) -> Http2Frame { Http2Frame(.windowUpdate, stream: stream, bytes(count)) }
}

/// The numbers of settings (RFC 9113 section 6.5.2).
enum Setting {
  static let headerTableSize: UInt16 = 1
  static let enablePush: UInt16 = 2
  static let maxStreams: UInt16 = 3
  static let initialWindow: UInt16 = 4
  static let maxFrameSize: UInt16 = 5
  static let maxHeaderListSize: UInt16 = 6
}
