/// Reads the response to one request (RFC 9112) from pieces of any size; the events do not depend on how the bytes were cut,
/// but for where one run of body bytes is told in several ranges.
///
/// Call `next` until it returns nil, then with more input; stop at `.end`. A reader that threw throws the same again until `reset`.
public struct ResponseReader: Sendable {
  /// What `next` tells, in this order.
  public enum Event: Sendable {
    /// A 1xx response; the final one follows.
    case informational(ResponseHead)
    case head(ResponseHead)
    /// These bytes of the input belong to the body.
    case body(Range<Int>)
    /// The fields after a chunked body; not told if there are none.
    case trailers(HttpHeaders)
    /// The response is complete. Input after `offset` does not belong to it.
    case end
  }

  private enum Phase: Sendable {
    case head, body, ended
    /// Boxed: it is rare, and readers are many.
    indirect case failed(WireError)
  }

  private let shared: SharedLimits
  private var isHeadRequest: Bool
  private var phase = Phase.head
  private var parser = HeadParser(.statusLine)
  private var body = BodyReader()
  private var persistent = false
  private var interimCount = 0

  /// After the head: what Content-Length says, for HEAD and 304 too; nil if there is none or the body is chunked.
  public private(set) var contentLength: Int64?
  /// After the head: the body goes on until the peer closes.
  public private(set) var lengthUnknown = false
  /// A byte of this response was seen, interim responses included.
  public private(set) var hasStarted = false

  /// A reader for the response to one request of that method, which decides whether there is a body.
  public init(requestMethod: HttpMethod, limits: WireLimits = WireLimits()) {
    shared = SharedLimits(limits)
    isHeadRequest = requestMethod == .head
  }

  /// After `.end`: whether the connection may carry another request, as far as the response goes (RFC 9112 9.3). False with Connection:
  /// close, for HTTP/1.0 without Connection: keep-alive, for both Content-Length and Transfer-Encoding, for Transfer-Encoding in
  /// HTTP/1.0 (6.1), and for a body that ended with the connection.
  public var keepAlive: Bool {
    if case .ended = phase { persistent } else { false }
  }

  /// Ready for the next response on the same connection.
  public mutating func reset(requestMethod: HttpMethod) {
    isHeadRequest = requestMethod == .head
    phase = .head
    parser.reset(.statusLine)
    persistent = false
    interimCount = 0
    contentLength = nil
    lengthUnknown = false
    hasStarted = false
  }

  /// The next event in `input` from `offset` on, which moves behind what was taken. nil: all was taken, more is needed; or the
  /// response has ended, and nothing is taken.
  public mutating func next(_ input: RawSpan, at offset: inout Int) throws(WireError) -> Event? {
    try input.withUnsafeBytes { (bytes) throws(WireError) in try next(bytes, at: &offset) }
  }

  mutating func next(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(WireError) -> Event? {
    precondition(offset >= 0 && offset <= input.count, "the offset lies outside of the input")
    do throws(WireError) {
      switch phase {
      case .head:
        if offset < input.count { hasStarted = true }
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

  /// The peer has closed: `.end` if that ends the body, nil if the response had ended before; else throws `truncated`.
  public mutating func endOfInput() throws(WireError) -> Event? {
    switch phase {
    case .ended: return nil
    case .failed(let error): throw error
    case .body where body.isUntilClose:
      phase = .ended
      return .end
    case .body, .head:
      let error = WireError.truncated(truncation)
      phase = .failed(error)
      throw error
    }
  }

  private var truncation: String {
    guard case .head = phase else { return "the peer closed in the middle of the body" }
    return hasStarted ? "the peer closed in the middle of the header" : "the peer closed before any byte of the response"
  }

  private mutating func headRead(_ headers: HttpHeaders) throws(WireError) -> Event {
    guard case .status(let version, let status, let reason) = parser.startLine else { preconditionFailure("a head without status line") }
    let framing = parser.framing
    let head = ResponseHead(version: version, status: status, reason: reason, headers: headers)
    guard status >= 200 else { return try interimRead(head) }

    persistent = version == .http11 ? !framing.close : framing.keepAlive && !framing.close
    if framing.hasTransferEncoding, framing.contentLength != nil || version == .http10 { persistent = false }
    contentLength = framing.hasTransferEncoding ? nil : framing.contentLength
    phase = .body
    if isHeadRequest || status == 204 || status == 304 {
      body.begin(.none)
    } else if framing.endsInChunked {
      body.begin(.chunked)
    } else if let contentLength {
      body.begin(.length(contentLength))
    } else {
      body.begin(.untilClose)
      persistent = false
      lengthUnknown = true
    }
    return .head(head)
  }

  private mutating func interimRead(_ head: ResponseHead) throws(WireError) -> Event {
    guard head.status != 101 else { throw .malformed("the peer switches protocols (101), which was not asked for") }
    interimCount += 1
    guard interimCount <= shared.limits.interimResponses else {
      throw .tooLarge("interimResponses", "there are too many interim responses", status: 502)
    }
    parser.reset(.statusLine)
    return .informational(head)
  }
}
