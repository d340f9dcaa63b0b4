internal import EventLoop

/// A request as a scripted HTTP/2 server read it.
struct Http2Request: Sendable {
  let stream: Int32
  var fields: [(name: String, value: String)] = []
  var body: [UInt8] = []
  var bodyCount = 0
  var isComplete = false

  subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
  var path: String { self[":path"] ?? "" }
}

/// The server's half of one connection, without its I/O and without mercy: it sends what a test says, legal or not, and keeps all that it
/// read. Of itself it does but this: it greets, acknowledges settings and pings, and gives back the windows of what it read.
@LoopActor
final class Http2Server {
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  private var input: [UInt8] = []
  private var hasPreface = false
  private let reader = HpackReader()
  private var section: (stream: Int32, endsStream: Bool, bytes: [UInt8])?
  /// What is to be sent.
  var output: [UInt8] = []
  private(set) var frames: [Http2Frame] = []
  private(set) var requests: [Int32: Http2Request] = [:]
  /// In the order of their heads.
  private(set) var order: [Int32] = []
  /// Told when a request is complete.
  var onRequest: ((Http2Server, Http2Request) -> Void)?
  /// Told of each head, before the body.
  var onHead: ((Http2Server, Http2Request) -> Void)?
  var onFrame: ((Http2Server, Http2Frame) -> Void)?
  var onOutput: (() -> Void)?
  /// Keeps what is to be sent, its greeting too, to itself.
  var isHeld = false {
    didSet { if !isHeld { onOutput?() } }
  }
  var answersPings = true
  var givesWindows = true
  /// How much of a body is kept.
  var keptBytes = 65_536

  // What the client lets through.
  private var connectionWindow = 65_535
  private var streamWindow = 65_535
  private var windows: [Int32: Int] = [:]
  private var bodies: [(stream: Int32, body: [UInt8], offset: Int, trailers: [(String, String)]?)] = []

  init(settings: KeyValuePairs<UInt16, UInt32> = [:]) {
    send(.settings(settings))
  }

  // MARK: Sending

  func send(_ frames: Http2Frame...) { send(bytes: frames.flatMap(\.bytes)) }

  func send(bytes: [UInt8]) {
    output += bytes
    if !isHeld { onOutput?() }
  }

  func answer(
    _ stream: Int32, status: Int = 200, _ fields: [(String, String)] = [], body: [UInt8] = [], trailers: [(String, String)]? = nil
  ) {
    let isEmpty = body.isEmpty && trailers == nil
    send(.headers(stream, [(":status", String(status))] + fields, endStream: isEmpty))
    if !isEmpty { self.body(stream, body, trailers: trailers) }
  }

  /// Sends a body to its end, as the client's windows allow.
  func body(_ stream: Int32, _ body: [UInt8], trailers: [(String, String)]? = nil) {
    bodies.append((stream, body, 0, trailers))
    pumpBodies()
  }

  /// What of the bodies the windows hold back.
  var heldBack: Int { bodies.reduce(0) { $0 + $1.body.count - $1.offset } }

  private func pumpBodies() {
    var index = 0
    while index < bodies.count {
      var (stream, body, offset, trailers) = bodies[index]
      while offset < body.count, case let room = min(connectionWindow, windows[stream] ?? streamWindow, 16_384), room > 0 {
        let piece = Array(body[offset..<min(body.count, offset + room)])
        offset += piece.count
        connectionWindow -= piece.count
        windows[stream] = (windows[stream] ?? streamWindow) - piece.count
        send(.data(stream, piece, endStream: offset == body.count && trailers == nil))
      }
      if offset == body.count {
        if body.isEmpty && trailers == nil { send(.data(stream, [], endStream: true)) }
        if let trailers { send(.headers(stream, trailers, endStream: true)) }
        bodies.remove(at: index)
      } else {
        bodies[index] = (stream, body, offset, trailers)
        index += 1
      }
    }
  }

  // MARK: Reading

  func receive(_ bytes: [UInt8]) {
    input += bytes
    if !hasPreface {
      guard input.count >= Http2Server.preface.count else { return }
      hasPreface = input.starts(with: Http2Server.preface)
      guard hasPreface else { return }
      input.removeFirst(Http2Server.preface.count)
    }
    for frame in Http2Frame.take(from: &input) { receive(frame) }
  }

  private func receive(_ frame: Http2Frame) {
    frames.append(frame)
    onFrame?(self, frame)
    switch Http2Frame.Kind(rawValue: frame.kind) {
    case .headers?:
      section = (frame.stream, frame.has(Http2Frame.endStream), frame.payload)
      if frame.has(Http2Frame.endHeaders) { endSection() }
    case .continuation?:
      section?.bytes += frame.payload
      if frame.has(Http2Frame.endHeaders) { endSection() }
    case .data?:
      requests[frame.stream]?.bodyCount += frame.payload.count
      if (requests[frame.stream]?.body.count ?? 0) < keptBytes { requests[frame.stream]?.body += frame.payload }
      if givesWindows, !frame.payload.isEmpty {
        send(.windowUpdate(0, UInt32(frame.payload.count)))
        if !frame.has(Http2Frame.endStream) { send(.windowUpdate(frame.stream, UInt32(frame.payload.count))) }
      }
      if frame.has(Http2Frame.endStream) { complete(frame.stream) }
    case .settings? where !frame.has(Http2Frame.ack):
      for start in stride(from: 0, to: frame.payload.count - 5, by: 6) {
        let value = frame.payload[(start + 2)..<(start + 6)].reduce(0) { $0 << 8 | Int($1) }
        if frame.payload[start + 1] == Setting.initialWindow { streamWindow = value }
      }
      send(Http2Frame(.settings, flags: Http2Frame.ack))
    case .ping? where !frame.has(Http2Frame.ack) && answersPings:
      send(Http2Frame(.ping, flags: Http2Frame.ack, frame.payload))
    case .windowUpdate?:
      if frame.stream == 0 {
        connectionWindow += Int(frame.number)
      } else {
        windows[frame.stream] = (windows[frame.stream] ?? streamWindow) + Int(frame.number)
      }
      pumpBodies()
    case .reset?:
      bodies.removeAll { $0.stream == frame.stream }
    default: break
    }
  }

  private func endSection() {
    guard let section else { return }
    self.section = nil
    let request = Http2Request(stream: section.stream, fields: reader.read(section.bytes) ?? [])
    requests[section.stream] = request
    order.append(section.stream)
    onHead?(self, request)
    if section.endsStream { complete(section.stream) }
  }

  private func complete(_ stream: Int32) {
    requests[stream]?.isComplete = true
    if let request = requests[stream] { onRequest?(self, request) }
  }

  // MARK: What it saw

  func frames(_ kind: Http2Frame.Kind) -> [Http2Frame] { frames.filter { $0.isA(kind) } }
  func resets(_ stream: Int32) -> [UInt32] { frames(.reset).filter { $0.stream == stream }.map(\.number) }
}
