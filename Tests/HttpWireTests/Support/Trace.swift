import HttpWire

/// What a reader told, with neighbouring pieces of a body joined, so that readings of differently cut input compare.
enum Trace: Equatable {
  case informational(ResponseHead)
  case head(ResponseHead)
  case request(RequestHead)
  case body([UInt8])
  case trailers(HttpHeaders)
  case end(keepAlive: Bool, surplus: Int)
  case nothing
  case failed(WireError)
}

extension [Trace] {
  fileprivate mutating func add(body piece: ArraySlice<UInt8>) {
    if case .body(let earlier) = last { self[count - 1] = .body(earlier + piece) } else { append(.body([UInt8](piece))) }
  }

  var error: WireError? { if case .failed(let error) = last { error } else { nil } }
  var body: String? {
    for case .body(let bytes) in self { return String(decoding: bytes, as: UTF8.self) }
    return nil
  }
  var status: Int? {
    for case .head(let head) in self { return head.status }
    return nil
  }
  var end: (keepAlive: Bool, surplus: Int)? {
    if case .end(let keepAlive, let surplus) = last { (keepAlive, surplus) } else { nil }
  }
}

/// The input in pieces that begin at `cuts`.
func pieces(_ input: [UInt8], _ cuts: [Int]) -> [[UInt8]] {
  let bounds = [0] + cuts + [input.count]
  return zip(bounds, bounds.dropFirst()).map { Array(input[$0..<$1]) }
}

/// Reads a response in pieces; after the last one the peer closes.
func readResponse(_ pieces: [[UInt8]], method: HttpMethod = .get, limits: WireLimits = WireLimits()) -> [Trace] {
  var reader = ResponseReader(requestMethod: method, limits: limits)
  var trace: [Trace] = []
  var left = pieces.reduce(0) { $0 + $1.count }
  do throws(WireError) {
    for piece in pieces {
      var offset = 0
      while let event = try reader.next(piece.span.bytes, at: &offset) {
        switch event {
        case .informational(let head): trace.append(.informational(head))
        case .head(let head): trace.append(.head(head))
        case .body(let range): trace.add(body: piece[range])
        case .trailers(let fields): trace.append(.trailers(fields))
        case .end: return trace + [.end(keepAlive: reader.keepAlive, surplus: left - offset)]
        }
      }
      left -= piece.count
    }
    if case .end = try reader.endOfInput() { return trace + [.end(keepAlive: reader.keepAlive, surplus: 0)] }
    return trace + [.nothing]
  } catch {
    return trace + [.failed(error)]
  }
}

func readResponse(_ text: String, method: HttpMethod = .get, limits: WireLimits = WireLimits()) -> [Trace] {
  readResponse([Array(text.utf8)], method: method, limits: limits)
}

/// Reads one request in pieces; after the last one the peer closes.
func readRequest(_ pieces: [[UInt8]], limits: WireLimits = WireLimits()) -> [Trace] {
  var reader = RequestReader(limits: limits)
  var trace: [Trace] = []
  var left = pieces.reduce(0) { $0 + $1.count }
  do throws(WireError) {
    for piece in pieces {
      var offset = 0
      while let event = try reader.next(piece.span.bytes, at: &offset) {
        switch event {
        case .head(let head): trace.append(.request(head))
        case .body(let range): trace.add(body: piece[range])
        case .trailers(let fields): trace.append(.trailers(fields))
        case .end: return trace + [.end(keepAlive: reader.keepAlive, surplus: left - offset)]
        }
      }
      left -= piece.count
    }
    _ = try reader.endOfInput()
    return trace + [.nothing]
  } catch {
    return trace + [.failed(error)]
  }
}

func readRequest(_ text: String, limits: WireLimits = WireLimits()) -> [Trace] {
  readRequest([Array(text.utf8)], limits: limits)
}
