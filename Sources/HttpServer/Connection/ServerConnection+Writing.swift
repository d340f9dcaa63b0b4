internal import EventLoop
internal import HttpWire

extension ServerConnection {
  /// A body up to this size is copied behind its head, to go out with one system call.
  private static let joinedBytes = 262_144

  // MARK: Whole responses

  func respond(status: Int, headers: HttpHeaders, body: [UInt8], replacesInvalid: Bool = false) {
    guard mode == .http, responseSide == .none || responseSide == .pending else { return }
    let isBodiless = status < 200 || status == 204 || status == 304
    var length = Int64(body.count)
    if isHead, body.isEmpty, let given = headers["content-length"].flatMap({ Int64($0) }), given > 0 { length = given }
    var scratch = server.takeScratch()
    do throws(WireError) {
      guard status >= 200 else { throw WireError(kind: .invalid, message: "a final response has a status of 200 or more") }
      try appendHead(status, headers, isBodiless ? .none : .length(length), to: &scratch)
    } catch {
      server.giveBack(scratch)
      return replacesInvalid ? close(reset: true) : respondToInvalidResponse(error)
    }
    responseSide = .complete
    var start = body.count
    if !isHead, !isBodiless {
      start = output.isEmpty ? min(body.count, ServerConnection.joinedBytes) : 0
      if start == body.count { scratch.append(contentsOf: body) } else { scratch.append(contentsOf: body[..<start]) }
    }
    transmit(scratch)
    if start < body.count, mode == .http { output.append(body, from: start) }
    server.giveBack(scratch)
    guard mode == .http else { return }
    if start < body.count { flush() } else { exchangeMayEnd() }
  }

  private func respondToInvalidResponse(_ error: WireError) {
    let (headers, body) = server.configuration.errorBody(500, "the handler's response can't be sent: \(error.message)")
    closesAfter = true
    respond(status: 500, headers: headers, body: body, replacesInvalid: true)
  }

  /// The head with the fields that the server adds, and the decision whether the connection goes on after this response.
  private func appendHead(
    _ status: Int, _ headers: HttpHeaders, _ framing: ResponseWriter.BodyFraming, to bytes: inout [UInt8]
  ) throws(WireError) {
    let start = bytes.count
    try ResponseWriter.append(status: status, headers: headers, body: framing, to: &bytes)
    if !reader.keepAlive || requestSide != .complete || server.isClosing || headers.hasToken("close", in: "connection") {
      closesAfter = true
    }
    // Before the empty line, which the writer has appended.
    precondition(bytes.count >= start + 2)
    bytes.removeLast(2)
    if server.configuration.sendsDate, !headers.contains("date") { server.dateField.append(to: &bytes) }
    if closesAfter {
      if !headers.contains("connection") { bytes.append(contentsOf: "Connection: close\r\n".utf8) }
    } else if isHttp10 {
      bytes.append(contentsOf: "Connection: keep-alive\r\n".utf8)
    }
    bytes.append(13)
    bytes.append(10)
  }

  // MARK: Streams

  func startStream(status: Int, headers: HttpHeaders, length: Int64?, closesOnPeerEnd: Bool) {
    guard mode == .http, responseSide == .pending else { return }
    let isBodiless = status == 204 || status == 304
    if isBodiless || isHead {
      framing = .none
    } else if length != nil {
      framing = .length
    } else {
      framing = isHttp10 ? .untilClose : .chunked
    }
    if framing == .untilClose { closesAfter = true }
    owedBytes = framing == .length ? length ?? 0 : 0
    let written: ResponseWriter.BodyFraming =
      if isBodiless { .none } else if let length { .length(length) } else { isHttp10 ? .none : .chunked }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512)
    do throws(WireError) {
      guard status >= 200 else { throw WireError(kind: .invalid, message: "a final response has a status of 200 or more") }
      try appendHead(status, headers, written, to: &bytes)
    } catch {
      return respondToInvalidResponse(error)
    }
    responseSide = .streaming
    self.closesOnPeerEnd = closesOnPeerEnd
    output.append(bytes)
    server.flushLater(self)
    if closesOnPeerEnd, peerHasEnded { close() }
  }

  func write(_ bytes: [UInt8]) -> Bool {
    guard mode == .http, responseSide == .streaming else { return false }
    switch framing {
    case .none: return true
    case .chunked: output.withTail { ResponseWriter.chunk(bytes, to: &$0) }
    case .untilClose: output.append(bytes)
    case .length:
      guard Int64(bytes.count) <= owedBytes else {
        close(reset: true)
        return false
      }
      owedBytes -= Int64(bytes.count)
      output.append(bytes)
    }
    return hasRoom()
  }

  func finish() {
    guard mode == .http, responseSide == .streaming else { return }
    // A peer that was promised more must not take what it has for the whole.
    guard owedBytes == 0 else { return close(reset: true) }
    if framing == .chunked { output.append(Array("0\r\n\r\n".utf8)) }
    responseSide = .complete
    server.flushLater(self)
  }

  // MARK: The queue

  /// Sees to it that what was queued goes out this turn; false if the writer had better wait.
  func hasRoom() -> Bool {
    let mark = server.configuration.highWaterBytes
    if output.count > mark, !armed.contains(.write) { flush() }
    guard mode != .closed else { return false }
    if !output.isEmpty { server.flushLater(self) }
    if output.count > mark { wantsDrain = true }
    return output.count <= mark
  }

  /// Sends now, or behind what already waits.
  func send(_ bytes: [UInt8]) {
    transmit(bytes)
  }

  private func transmit(_ bytes: [UInt8]) {
    guard output.isEmpty else {
      output.append(bytes)
      server.flushLater(self)
      return
    }
    switch bytes.withUnsafeBytes({ Socket.send(descriptor, $0) }) {
    case .sent(let count) where count == bytes.count: return
    case .sent(let count): wait(with: bytes, from: count)
    case .wouldBlock: wait(with: bytes, from: 0)
    case .failed: close()
    }
  }

  private func wait(with bytes: [UInt8], from start: Int) {
    // A copy of the rest only: the array may be the server's scratch, which must stay its own.
    output.append(Array(bytes[start...]))
    arm(.write)
    setTimer(.write)
  }

  /// Sends what waits; `onDrain`, and the end of the exchange, follow from here.
  func flush() {
    guard mode != .closed else { return }
    let before = output.count
    switch output.send(to: descriptor) {
    case .failed: return close()
    case .blocked:
      if output.count < before { hasProgressed = true }
      if !armed.contains(.write) {
        arm(.write)
        setTimer(.write)
      }
    case .done:
      if armed.contains(.write) {
        disarm(.write)
        if mode == .http, requestSide == .body { setTimer(.body) } else { cancelTimer() }
      }
    }
    if wantsDrain, output.count <= server.configuration.highWaterBytes / 2 {
      // Told later: this may run within the writer's own call.
      server.flushLater(self)
    }
    if mode == .raw, output.isEmpty, closesAfter { return close() }
    exchangeMayEnd()
  }

  /// The server calls this at the end of a turn in which the connection asked for it.
  func turnEnded() {
    guard mode != .closed else { return }
    // Also with nothing left: what was finished may have gone out within its writer's call.
    if !armed.contains(.write) { flush() }
    if mode == .http { pump() }
    if wantsDrain, mode != .closed, output.count <= server.configuration.highWaterBytes / 2 {
      wantsDrain = false
      responder?.onDrain?()
      raw?.onDrain?()
    }
  }

  /// Goes on to the next request, or ends, if the answer is out.
  func exchangeMayEnd() {
    guard mode == .http, responseSide == .complete, output.isEmpty else { return }
    responder?.ended(isComplete: true)
    responder = nil
    if closesAfter || requestSide != .complete || server.isClosing {
      // What was not read would make the kernel answer with a reset, which can overtake the response.
      if requestSide == .complete, carryStart >= carry.count { close() } else { linger() }
      return
    }
    request = nil
    isBodyStreamed = false
    wantsDrain = false
    requestSide = .idle
    responseSide = .none
    reader.reset()
    arm(.read)
    setTimer(.idle)
    if !isPumping, carryStart < carry.count || peerHasEnded { server.flushLater(self) }
  }
}
