import EventLoop
import HttpWire

@testable import Errand

/// A client's session and a scripted server, joined in memory.
@LoopActor
final class Http2Pair: Http2SessionHandler {
  enum Event: Equatable {
    case interim(Http2Stream, ResponseHead)
    case head(Http2Stream, ResponseHead, contentLength: Int64?)
    case body(Http2Stream, [UInt8])
    case trailers(Http2Stream, HttpHeaders)
    case end(Http2Stream, Http2StreamEnd)
    case goAway(Http2ErrorCode, String)
    case settings
    case ping(UInt64)
    case failed(WireError)
  }

  private(set) var session: Http2Session!
  let server: Http2Server
  private(set) var events: [Event] = []
  /// Takes the bytes of bodies at once.
  var consumes = true
  var onEvent: ((Http2Pair, Event) -> Void)?
  private var buffer: [UInt8] = []
  var now = Instant.now()

  init(_ settings: Http2Settings = Http2Settings(), limits: WireLimits = WireLimits(), server: KeyValuePairs<UInt16, UInt32> = [:]) {
    self.server = Http2Server(settings: server)
    session = Http2Session(settings, limits: limits, handler: self)
  }

  /// Carries bytes to and fro until neither has anything to say.
  func run() {
    for _ in 0..<10_000 {
      buffer.removeAll(keepingCapacity: true)
      session.gather(into: &buffer, upTo: 65_536)
      session.takeWritten { _, _ in }
      server.receive(buffer)
      let output = server.output
      server.output = []
      output.withUnsafeBytes { session.receive($0, at: now) }
      if buffer.isEmpty, output.isEmpty { return }
    }
  }

  func close() { session.close() }
  func failed(body error: HttpClientError, on stream: Http2Stream) {}

  func submit(
    _ method: HttpMethod = .get, _ path: String = "/", headers: HttpHeaders = [:], body: [UInt8] = [], holdsBody: Bool = false
  ) -> Http2Stream? {
    var wire: [UInt8] = []
    do {
      try RequestWriter.append(
        method: method, target: path, host: "host.test", headers: headers, body: body.isEmpty ? .none : .length(Int64(body.count)),
        to: &wire)
    } catch {
      return nil
    }
    let headCount = wire.count
    // As a small body is sent.
    wire += body
    return wire.withUnsafeBytes { bytes in
      session.submit(
        head: UnsafeRawBufferPointer(rebasing: bytes[..<headCount]), isSecure: true, body: wire, from: headCount, holdsBody: holdsBody)
    }
  }

  // MARK: What was told

  func end(_ stream: Http2Stream?) -> Http2StreamEnd? {
    for case .end(let other, let end) in events where other == stream { return end }
    return nil
  }

  func head(_ stream: Http2Stream?) -> ResponseHead? {
    for case .head(let other, let head, _) in events where other == stream { return head }
    return nil
  }

  func body(_ stream: Http2Stream?) -> [UInt8] {
    events.flatMap { event -> [UInt8] in
      if case .body(let other, let bytes) = event, other == stream { bytes } else { [] }
    }
  }

  var failure: WireError? {
    for case .failed(let error) in events { return error }
    return nil
  }

  private func add(_ event: Event) {
    events.append(event)
    onEvent?(self, event)
  }

  // MARK: Http2SessionHandler

  func received(interim head: ResponseHead, on stream: Http2Stream) { add(.interim(stream, head)) }

  func received(head: ResponseHead, contentLength: Int64?, on stream: Http2Stream) {
    add(.head(stream, head, contentLength: contentLength))
  }

  func received(body: UnsafeRawBufferPointer, on stream: Http2Stream) {
    add(.body(stream, Array(body)))
    if consumes { session.consume(stream, body.count) }
  }

  func received(trailers: HttpHeaders, on stream: Http2Stream) { add(.trailers(stream, trailers)) }
  func ended(_ stream: Http2Stream, _ end: Http2StreamEnd) { add(.end(stream, end)) }
  func serverGoesAway(_ code: Http2ErrorCode, _ words: String) { add(.goAway(code, words)) }
  func serverSettingsChanged() { add(.settings) }
  func pingAnswered(_ number: UInt64) { add(.ping(number)) }
  func sessionFailed(_ error: WireError) { add(.failed(error)) }
}
