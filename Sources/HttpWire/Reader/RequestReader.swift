/// Reads requests (RFC 9112) on the side of a server, from pieces of any size, strictly: CRLF only, one Host in HTTP/1.1, no
/// transfer coding but chunked.
///
/// Call `next` until it returns nil, then with more input; stop at `.end` and `reset` for the next request on the connection. Errors
/// carry the status to answer with, after which the connection is to be closed.
public struct RequestReader: Sendable {
  /// What `next` tells, in this order.
  public enum Event: Sendable {
    case head(RequestHead)
    /// These bytes of the input belong to the body.
    case body(Range<Int>)
    /// The fields after a chunked body; not told if there are none.
    case trailers(HttpHeaders)
    /// The request is complete. Input after `offset` belongs to the next one.
    case end
  }

  private enum Phase: Sendable {
    case head, body, ended
    /// Boxed: it is rare, and readers are many.
    indirect case failed(WireError)
  }

  private let shared: SharedLimits
  private var phase = Phase.head
  private var parser = HeadParser(.requestLine)
  private var body = BodyReader()

  /// After the head: whether the connection may carry another request (RFC 9112 9.3). False with Connection: close, for HTTP/1.0
  /// without Connection: keep-alive, for both Content-Length and Transfer-Encoding, and for Transfer-Encoding in HTTP/1.0.
  public private(set) var keepAlive = false
  /// After the head: the client waits for 100 Continue before it sends the body (RFC 9110 10.1.1).
  public private(set) var expectsContinue = false
  /// After the head: what Content-Length says; nil if there is none or the body is chunked.
  public private(set) var contentLength: Int64?

  /// A reader for the first request on a connection.
  public init(limits: WireLimits = WireLimits()) { shared = SharedLimits(limits) }

  /// A byte of this request was seen; an empty line before it does not count.
  public var hasStarted: Bool {
    if case .head = phase { parser.hasStarted } else { true }
  }

  /// Ready for the next request on the same connection.
  public mutating func reset() {
    phase = .head
    parser.reset(.requestLine)
    keepAlive = false
    expectsContinue = false
    contentLength = nil
  }

  /// The next event in `input` from `offset` on, which moves behind what was taken. nil: all was taken, more is needed; or the
  /// request has ended, and nothing is taken.
  public mutating func next(_ input: RawSpan, at offset: inout Int) throws(WireError) -> Event? {
    try input.withUnsafeBytes { (bytes) throws(WireError) in try next(bytes, at: &offset) }
  }

  mutating func next(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(WireError) -> Event? {
    precondition(offset >= 0 && offset <= input.count, "the offset lies outside of the input")
    do throws(WireError) {
      switch phase {
      case .head:
        guard let headers = try parser.next(input, at: &offset, limits: shared.limits) else { return nil }
        return try headRead(headers)
      case .body:
        switch try body.next(input, at: &offset, trailers: &parser, limits: shared.limits) {
        case nil: return nil
        case .body(let range): return .body(range)
        case .trailers(let fields): return .trailers(fields)
        case .end:
          phase = .ended
          return .end
        }
      case .ended: return nil
      case .failed(let error): throw error
      }
    } catch {
      phase = .failed(error)
      throw error
    }
  }

  /// The peer has closed: nil between requests; else throws `truncated`.
  public mutating func endOfInput() throws(WireError) -> Event? {
    switch phase {
    case .ended: return nil
    case .head where !parser.hasStarted: return nil
    case .failed(let error): throw error
    case .head, .body:
      let error = WireError.truncated("the peer closed in the middle of a request")
      phase = .failed(error)
      throw error
    }
  }

  private mutating func headRead(_ headers: HttpHeaders) throws(WireError) -> Event {
    guard case .request(let method, let target, let version) = parser.startLine else {
      preconditionFailure("a head without request line")
    }
    let framing = parser.framing
    guard framing.hostCount == 1 || (framing.hostCount == 0 && version == .http10) else {
      throw .malformed(framing.hostCount == 0 ? "the header field Host is missing" : "there is more than one header field Host")
    }
    if framing.hasTransferEncoding {
      guard framing.endsInChunked else { throw .malformed("Transfer-Encoding does not end in chunked") }
      guard !framing.hasOtherCoding else { throw .unsupported("a transfer coding besides chunked is not supported", status: 501) }
    }
    keepAlive = version == .http11 ? !framing.close : framing.keepAlive && !framing.close
    if framing.hasTransferEncoding, framing.contentLength != nil || version == .http10 { keepAlive = false }
    expectsContinue = framing.expectsContinue && version == .http11
    contentLength = framing.hasTransferEncoding ? nil : framing.contentLength
    phase = .body
    if framing.endsInChunked {
      body.begin(.chunked)
    } else {
      body.begin(.length(contentLength ?? 0))
    }
    return .head(RequestHead(method: method, target: target, version: version, headers: headers))
  }
}
