internal import EventLoop
internal import HttpWire

/// What the kernel has goes to the session, and what that makes of it to the requests.
extension Http2Connection: Http2SessionHandler {
  /// Of all HTTP/2 connections. Not the loop's own, in which another connection may read while this one's bytes are being told.
  private static let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 64)

  func read() {
    // One connection may not hold the loop.
    for _ in 0..<4 {
      switch stream.receive(into: Http2Connection.readBuffer) {
      case .bytes(let count):
        feed(UnsafeRawBufferPointer(rebasing: Http2Connection.readBuffer[..<count]))
        guard isOpen, stream.hasUnread || count == Http2Connection.readBuffer.count else { return }
      case .wouldBlock:
        return
      case .closed:
        return lost("the server closed the connection")
      case .failed(.tls(let error)):
        return tlsFailed(error)
      case .failed(let error):
        return lost(error.description)
      }
    }
    guard stream.hasUnread else { return }
    EventLoop.shared.atEndOfTurn { [self] in if isOpen { read() } }
  }

  /// Takes what was received before the connection was made.
  func take(_ surplus: [UInt8]) {
    guard isOpen, !surplus.isEmpty else { return }
    surplus.withUnsafeBytes(feed)
  }

  private func feed(_ bytes: UnsafeRawBufferPointer) {
    lastReceived = EventLoop.shared.now
    pingSent = nil
    isSuspect = false
    session?.receive(bytes, at: lastReceived)
    guard isOpen else { return }
    if let failure { return failed(failure) }
    if !newHeads.isEmpty {
      var heads: [RequestItem] = []
      swap(&heads, &newHeads)
      for item in heads where index(of: item) != nil { engine.readSoFar(item) }
      heads.removeAll(keepingCapacity: true)
      if newHeads.isEmpty { swap(&heads, &newHeads) }
    }
    if session?.wantsWrite == true { scheduleFlush() }
    updateStanding()
  }

  // MARK: Http2SessionHandler

  func received(interim head: ResponseHead, on stream: Http2Stream) {
    guard let item = item(on: stream) else { return }
    item.touched()
    engine.receivedInterim(item, head)
    if head.status == 100, item.holdsBody { sendHeldBody(of: item) }
  }

  func received(head: ResponseHead, contentLength: Int64?, on stream: Http2Stream) {
    guard let item = item(on: stream) else { return }
    item.touched()
    engine.receivedHead(item, head, contentLength: contentLength)
    if self.item(on: stream) === item { newHeads.append(item) }
  }

  func received(body: UnsafeRawBufferPointer, on stream: Http2Stream) {
    guard let item = item(on: stream) else { return }
    item.touched()
    engine.receivedBody(item, body)
    guard self.item(on: stream) === item else { return }
    if entries[stream.index].isPaused {
      entries[stream.index].owed += body.count
    } else {
      session?.consume(stream, body.count)
    }
  }

  func received(trailers: HttpHeaders, on stream: Http2Stream) {
    guard let item = item(on: stream) else { return }
    item.touched()
    item.set(trailers: trailers)
  }

  func ended(_ stream: Http2Stream, _ end: Http2StreamEnd) {
    guard let item = item(on: stream) else { return }
    switch end {
    case .whole: engine.completed(item, isReusable: true, lengthUnknown: false)
    case .notProcessed(let words): engine.notProcessed(item, words)
    case .reset(let code):
      engine.streamReset(item, "the server reset the stream (\(code))")
    case .failed(let error) where error.kind == .invalid: engine.unsendable(item, error.message)
    case .failed(let error): engine.malformed(item, error)
    }
  }

  func failed(body error: HttpClientError, on stream: Http2Stream) {
    if let item = item(on: stream) { engine.bodyFailed(item, error) }
  }

  func serverGoesAway(_ code: Http2ErrorCode, _ words: String) {
    isDraining = true
    moveHeld("the server goes away")
    updateStanding()
  }

  func serverSettingsChanged() {
    hasSettings = true
    host.room = max(1, session?.maxStreams ?? 1)
    defer { if isOpen { engine.setLimit(host) } }
    let waiting = held
    held = []
    var rest = waiting[...]
    while session?.mayOpen == true, let item = rest.popFirst() { submit(item) }
    held = Array(rest)
    updateStanding()
    // What the server does not take goes elsewhere.
    moveHeld("the server takes fewer requests at a time")
  }

  func pingAnswered(_ number: UInt64) {}

  func sessionFailed(_ error: WireError) {
    // The session is reading or writing: its requests end after that.
    failure = error
  }

  // MARK: The end

  /// The connection is gone.
  func lost(_ message: String) {
    isDraining = true
    moveHeld(message)
    endAll { item in
      // What has not left this process can be sent elsewhere, whatever it is.
      if item.written == 0 { engine.notProcessed(item, message) } else { engine.lost(item, message) }
    }
  }

  private func tlsFailed(_ error: TlsError) {
    isDraining = true
    moveHeld(error.description)
    endAll { engine.tlsFailed($0, error) }
  }

  /// The server broke the protocol.
  func failed(_ error: WireError) {
    isDraining = true
    moveHeld(error.message)
    endAll { engine.malformed($0, error) }
  }

  func writeFailed(_ message: String) {
    // Answers, or a GOAWAY that says why, may already be there.
    for _ in 0..<64 {
      guard isOpen, case .bytes(let count) = stream.receive(into: Http2Connection.readBuffer) else { break }
      feed(UnsafeRawBufferPointer(rebasing: Http2Connection.readBuffer[..<count]))
    }
    if isOpen { lost(message) }
  }

  private func moveHeld(_ message: String) {
    let waiting = held
    for item in waiting where held.contains(where: { $0 === item }) { engine.notProcessed(item, message) }
  }

  /// Ends every request, then the connection.
  private func endAll(_ end: (RequestItem) -> Void) {
    engine.pool.move(self, to: .busy)
    // Each may be the last one, with which the connection closes.
    for index in entries.indices {
      guard index < entries.count, let item = entries[index].item else { continue }
      end(item)
    }
    if isOpen { engine.pool.close(self) }
  }

  // MARK: Signs of life

  func startWatchingLife() {
    lastReceived = EventLoop.shared.now
    pingSent = nil
    guard settings.pingAfter > .zero else { return }
    aliveTimer = EventLoop.shared.schedule(after: settings.pingAfter, self, kind: Kind.alive)
  }

  func stopWatchingLife() {
    EventLoop.shared.cancel(aliveTimer)
    aliveTimer = .none
  }

  /// With requests under way and nothing heard for long, the server is asked whether it is there.
  func lookForLife() {
    let quiet = lastReceived.duration(to: EventLoop.shared.now)
    if pingSent != nil {
      return lost("the server did not answer a ping within \(settings.pingTimeout)")
    }
    if quiet < settings.pingAfter {
      aliveTimer = EventLoop.shared.schedule(after: settings.pingAfter - quiet, self, kind: Kind.alive)
      return
    }
    ask()
  }

  /// The server is asked for a sign of life; until it gives one the connection gets no more requests.
  func suspect() {
    guard !isSuspect else { return }
    isSuspect = true
    stopWatchingLife()
    ask()
  }

  private func ask() {
    pingSent = EventLoop.shared.now
    session?.ping(1)
    scheduleFlush()
    aliveTimer = EventLoop.shared.schedule(after: settings.pingTimeout, self, kind: Kind.alive)
  }
}
