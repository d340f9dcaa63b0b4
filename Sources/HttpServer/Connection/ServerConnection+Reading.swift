internal import EventLoop
internal import HttpWire

extension ServerConnection: SocketTarget {
  func socketReady(_ ready: Interest) {
    if ready.contains(.write), armed.contains(.write) { flush() }
    if ready.contains(.read), armed.contains(.read), mode != .closed { inputReady() }
  }

  private func inputReady() {
    // An answer in this turn may have left requests to be taken up at its end; they come before what is read now.
    if carryStart < carry.count { pump() }
    guard mode != .closed else { return }
    let buffer = EventLoop.shared.readBuffer
    var room = buffer.count
    if mode == .http, requestSide == .complete {
      room = ServerConnection.carriedBytes - (carry.count - carryStart)
      guard room > 0 else { return disarm(.read) }
    }
    switch Socket.receive(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(room, buffer.count)])) {
    case .wouldBlock: return
    case .closed: peerEnded()
    case .failed: close()
    case .bytes(let count): received(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  private func received(_ bytes: UnsafeRawBufferPointer) {
    switch mode {
    case .closed: return
    case .raw: raw?.received(Array(bytes))
    case .lingering:
      lingeredBytes += bytes.count
      if lingeredBytes > server.configuration.maxBodyBytes { close() }
    case .http:
      if requestSide == .complete {
        carry.append(contentsOf: bytes)
        return
      }
      let taken = feed(bytes)
      if taken < bytes.count { carry.append(contentsOf: bytes[taken...]) }
      pump()
    }
  }

  /// Goes on with what was read, request by request, until one waits for its answer or more bytes are needed.
  func pump() {
    guard !isPumping else { return }
    isPumping = true
    while mode == .http {
      if requestSide == .complete {
        guard responseSide == .none else { break }
        dispatch()
      } else if carryStart < carry.count {
        // A copy of the reference: what is called from here may drop the connection and its buffers.
        let bytes = carry
        let start = carryStart
        carryStart += bytes.withUnsafeBytes { feed(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        if carryStart >= carry.count { dropCarry() }
      } else {
        if peerHasEnded { close() }
        break
      }
    }
    isPumping = false
    if mode == .raw, carryStart < carry.count {
      let rest = Array(carry[carryStart...])
      dropCarry()
      raw?.received(rest)
    }
  }

  private func dropCarry() {
    carry = []
    carryStart = 0
  }

  /// Reads up to the end of one request at most, and gives the number of bytes taken.
  private func feed(_ bytes: UnsafeRawBufferPointer) -> Int {
    var offset = 0
    while mode == .http {
      do throws(WireError) {
        guard let event = try reader.next(bytes.bytes, at: &offset) else {
          if requestSide == .idle, reader.hasStarted {
            requestSide = .head
            // A connection's first head counts from its acceptance.
            if timerKind != .header { setTimer(.header) }
          } else if requestSide == .body, timerKind != .body {
            setTimer(.body)
          }
          hasProgressed = true
          return bytes.count
        }
        switch event {
        case .head(let head): headReceived(head)
        case .body(let range): bodyReceived(UnsafeRawBufferPointer(rebasing: bytes[range]))
        case .trailers: break
        case .end:
          requestEnded()
          return offset
        }
      } catch {
        refuse(error.status, error.message)
        return bytes.count
      }
    }
    return offset
  }

  private func headReceived(_ head: RequestHead) {
    requestSide = .body
    isHead = head.method == .head
    isHttp10 = head.version == .http10
    bodyCount = 0
    let path = ServerRequest.path(of: head.target)
    let request = ServerRequest(head: head, path: path, connection: self)
    self.request = request
    if let length = reader.contentLength {
      guard length <= Int64(server.configuration.maxBodyBytes) else { return refuseLongBody() }
    }
    switch server.handlers.route(head, path: path) {
    case .wrongMethod(let allow): plan = .refuse(status: 405, message: "the path does not know the method \(head.method)", allow: allow)
    case .none: plan = .refuse(status: 501, message: "nothing here handles this request", allow: [])
    case .handler(let handler):
      plan = .handle(handler)
      isBodyStreamed = handler.wantsStreamedBody
    }
    if reader.expectsContinue, reader.contentLength != 0 {
      if case .refuse(let status, let message, let allow) = plan { return refuse(status, message, allow: allow) }
      send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    if isBodyStreamed, mode == .http { dispatch() }
  }

  private func bodyReceived(_ bytes: UnsafeRawBufferPointer) {
    bodyCount += bytes.count
    guard bodyCount <= server.configuration.maxBodyBytes else { return refuseLongBody() }
    if isBodyStreamed {
      request?.onBody?(Array(bytes))
      return
    }
    guard case .handle = plan else { return }
    if body.isEmpty, let length = reader.contentLength {
      // Not more than what has a chance to come soon: the length is only a claim.
      body.reserveCapacity(min(Int(clamping: length), max(bytes.count, 1 << 20)))
    }
    body.append(contentsOf: bytes)
  }

  private func refuseLongBody() {
    refuse(413, "the body is longer than \(server.configuration.maxBodyBytes) bytes")
  }

  private func requestEnded() {
    requestSide = .complete
    cancelTimer()
    request?.isComplete = true
    if isBodyStreamed {
      let onEnd = request?.onEnd
      request?.drop()
      onEnd?()
      // The answer may have been given before the body's end.
      exchangeMayEnd()
    }
  }

  private func dispatch() {
    guard let request else { return }
    let plan = self.plan
    self.plan = .nothing
    switch plan {
    case .nothing: break
    case .refuse(let status, let message, let allow): refuse(status, message, allow: allow, endsConnection: false)
    case .handle(let handler):
      request.body = body
      body = []
      let responder = Responder(self)
      self.responder = responder
      responseSide = .pending
      handler.handle(request, responder)
    }
  }

  /// Answers by the server itself.
  func refuse(_ status: Int, _ message: String, allow: [HttpMethod] = [], endsConnection: Bool = true) {
    // An answer that has begun can't be replaced.
    guard responseSide == .none || responseSide == .pending else { return close(reset: true) }
    responder?.ended(isComplete: false)
    responder = nil
    var (headers, body) = server.configuration.errorBody(status, message)
    if !allow.isEmpty { headers.set("Allow", allow.map(\.rawValue).joined(separator: ", ")) }
    if endsConnection { closesAfter = true }
    respond(status: status, headers: headers, body: body)
  }
}
