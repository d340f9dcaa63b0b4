internal import EventLoop
public import HttpWire

/// A response that a test read from a ``TestSocket``.
public struct TestResponse: Sendable {
  public var interim: [ResponseHead] = []
  public var head = ResponseHead(status: 0)
  public var body: [UInt8] = []

  public var status: Int { head.status }
  public var text: String { String(decoding: body, as: UTF8.self) }
}

extension TestSocket {
  /// Waits for the next response and takes it. `method` is that of the request, for HEAD.
  public func response(to method: HttpMethod = .get) async throws -> TestResponse {
    var reader = ResponseReader(requestMethod: method, limits: WireLimits())
    var response = TestResponse()
    var offset = 0
    var isComplete = false
    while !isComplete {
      let bytes = received
      while !isComplete, let event = try reader.next(bytes.span.bytes, at: &offset) {
        isComplete = response.add(event, of: bytes)
      }
      if isComplete { break }
      if end != nil {
        while !isComplete, let event = try reader.endOfInput() { isComplete = response.add(event, of: bytes) }
        break
      }
      let known = received.count
      try await wait("a response") { self.received.count > known }
    }
    take(offset)
    return response
  }

  /// Sends a request and waits for its response.
  public func exchange(_ request: String, method: HttpMethod = .get) async throws -> TestResponse {
    send(request)
    return try await response(to: method)
  }
}

extension TestResponse {
  fileprivate mutating func add(_ event: ResponseReader.Event, of bytes: [UInt8]) -> Bool {
    switch event {
    case .informational(let head): interim.append(head)
    case .head(let head): self.head = head
    case .body(let range): body += bytes[range]
    case .trailers: break
    case .end: return true
    }
    return false
  }
}
