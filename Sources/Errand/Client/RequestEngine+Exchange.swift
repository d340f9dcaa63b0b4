internal import EventLoop
internal import HttpWire

/// What connections and timers tell.
extension RequestEngine {
  func wrote(_ item: RequestItem, isWhole: Bool, bodyBefore: Int64) {
    if isWhole { item.stamps.sent = EventLoop.shared.now }
    // With the head there already, the idle timer runs on and looks at this.
    if item.head != nil { item.stamps.lastActivity = EventLoop.shared.now }
    if item.interests.contains(.uploadProgress), item.bodyWritten > bodyBefore {
      send(.sent(item.bodyWritten, of: item.bodyCount), to: item)
    }
    apply(item.machine.wrote(item.written, isWhole: isWhole), to: item)
  }

  /// Before a write that failed some bytes may have gone out: what may be sent again, and what the caller is told, hangs on that.
  func noteWritten(_ item: RequestItem) {
    _ = item.machine.wrote(item.written, isWhole: item.isWhollyWritten)
  }

  func receivedInterim(_ item: RequestItem, _ head: ResponseHead) {
    item.add(interim: head)
    if item.interests.contains(.interim) { send(.interim(head), to: item) }
  }

  func receivedHead(_ item: RequestItem, _ head: ResponseHead, contentLength: Int64?) {
    item.head = head
    item.stamps.head = item.stamps.lastActivity
    reportToBreaker(item, status: head.status)
    keepCookies(item, head)
    if item.rules.retry.max > 0, isToBeRetried(item, status: head.status, retryAfter: head.headers["Retry-After"]) { return }
    readAuthenticationInfo(item, head)
    if configuration.cache != nil, isAnsweredByCache(item, head) { return }
    // With what the cache did.
    let head = item.head ?? head
    if head.status >= 300, takesUp(item, head) { return }
    if let download = item.download, directs(item, download, head, contentLength: contentLength) { return }
    if case .stream(let buffer) = item.ticket.sink { directs(item, head, to: buffer) }
    if item.taker == nil, item.interests.contains(.bodyChunks) { item.taker = ChunkTaker(self) }
    let isStreamed = item.taker != nil
    if item.rules.decodes(head, item.method) {
      guard beginsDecoding(item, head, contentLength: contentLength) else { return }
    } else if let contentLength, !isStreamed, item.method != .head, head.status != 204, head.status != 304 {
      if contentLength > item.rules.maxBodyBytes { return bodyTooLarge(item) }
      // A peer may announce more than it sends: only the first part is taken on its word.
      item.received.reserveCapacity(Int(min(contentLength, 1_048_576)))
    }
    if item.interests.contains(.head) { send(.head(head), to: item) }
  }

  func receivedBody(_ item: RequestItem, _ bytes: UnsafeRawBufferPointer) {
    item.receivedCount += Int64(bytes.count)
    counters.bodyBytesReceived &+= UInt64(bytes.count)
    if item.isFollowedUp {
      // Nobody wants it: one that is too long is not read to its end.
      if item.receivedCount > item.rules.maxBodyBytes { return completed(item, isReusable: false, lengthUnknown: false) }
      if item.keepsAnswer { item.received.append(contentsOf: bytes) }
      return
    }
    if let decoding = item.decoding { return decode(item, decoding, bytes) }
    if let taker = item.taker { return taker.take(bytes, of: item) }
    if item.receivedCount > item.rules.maxBodyBytes {
      bodyTooLarge(item)
    } else {
      item.received.append(contentsOf: bytes)
    }
  }

  /// What was read is used up, and the response goes on.
  func readSoFar(_ item: RequestItem) {
    if item.head != nil { apply(item.machine.headReceived(), to: item) }
  }

  func completed(_ item: RequestItem, isReusable: Bool, lengthUnknown: Bool) {
    item.lengthUnknown = lengthUnknown
    switch item.followUp {
    case .retry(let wait)?:
      retry(item, item.head.map { "answered \($0.status)" } ?? "no answer", after: wait)
      apply(item.machine.retryLater(isReusable: isReusable), to: item)
    case .redirect(let target)?:
      if configuration.cache != nil { storeAnswer(item) }
      apply(item.machine.followed(isReusable: isReusable), to: item)
      follow(target, item)
    case .fromStart?:
      apply(item.machine.followed(isReusable: isReusable), to: item)
      askFromStart(item)
    case .stored(let entry, let age, let status)?:
      apply(item.machine.followed(isReusable: isReusable), to: item)
      answer(item, entry, age: age, status)
    case .fetchAgain?:
      apply(item.machine.followed(isReusable: isReusable), to: item)
      askAgain(item)
    case .authenticate(let step)?:
      apply(item.machine.followed(isReusable: isReusable), to: item)
      authenticate(step, item)
    case nil:
      if let decoding = item.decoding, !isDecoded(item, decoding, isReusable: isReusable) { return }
      if let download = item.download, item.taker === download { return finish(download, item, isReusable: isReusable) }
      apply(item.machine.responseCompleted(isReusable: isReusable), to: item)
    }
  }

  /// The connection ended or failed under the request.
  func lost(_ item: RequestItem, _ message: String) {
    if item.isFollowedUp { return completed(item, isReusable: false, lengthUnknown: false) }
    if item.head != nil { _ = item.machine.headReceived() }
    guard let cause = item.machine.causeIfLost else {
      if item.machine.isResentIfLost, !item.canReplayBody { return cannotReplayBody(item, message) }
      let isMadeAnew = item.machine.isResentIfLost && item.written > 0 && isUsedUp(item)
      apply(item.machine.connectionLost(message, isMadeAnew: isMadeAnew), to: item)
      if isMadeAnew { askAgain(item) }
      return
    }
    if case .final(let words) = failed(item, cause, message) { apply(item.machine.connectionLost(message + words), to: item) }
  }

  /// TLS failed under the request. A server that wants a client's certificate says so only then (RFC 8446 section 4.4.2).
  func tlsFailed(_ item: RequestItem, _ error: TlsError) {
    // On a kept connection it may be the server's way to end it.
    if item.isReused { return lost(item, error.description) }
    item.mayPass = false
    let actions =
      item.head == nil
      ? item.machine.refused(.tls, .tls, error.description) : item.machine.responseFailed(.tls, error.description)
    apply(actions, to: item)
  }

  /// The peer did nothing with the request.
  func notProcessed(_ item: RequestItem, _ message: String) {
    guard let cause = item.machine.causeIfNotProcessed else {
      if item.machine.isResentIfNotProcessed, !item.canReplayBody { return cannotReplayBody(item, message) }
      return apply(item.machine.notProcessed(message), to: item)
    }
    if case .final(let words) = failed(item, cause, message, isProcessed: false) {
      apply(item.machine.notProcessed(message + words), to: item)
    }
  }

  /// The peer gave the request up.
  func streamReset(_ item: RequestItem, _ message: String) {
    if item.isFollowedUp { return completed(item, isReusable: false, lengthUnknown: false) }
    if item.head != nil { _ = item.machine.headReceived() }
    guard let cause = item.machine.causeIfReset else { return }
    if case .final(let words) = failed(item, cause, message) { apply(item.machine.streamReset(message + words), to: item) }
  }

  /// Found as it was to be sent.
  func unsendable(_ item: RequestItem, _ message: String) {
    apply(item.machine.refused(.invalidRequest, .request, message), to: item)
  }

  /// It would have to be sent again.
  private func cannotReplayBody(_ item: RequestItem, _ message: String) {
    apply(item.machine.refused(.cannotReplayBody, .request, "\(message); \(StreamSource.wasSent)"), to: item)
  }

  /// Its body can't be sent, or not to its end.
  func bodyFailed(_ item: RequestItem, _ error: HttpClientError) {
    // An answer that leads elsewhere is there, and nobody waits for the rest.
    if item.isFollowedUp { return completed(item, isReusable: false, lengthUnknown: false) }
    item.set(refusal: Refusal(words: error.message, field: error.field))
    apply(item.machine.refused(error.code, .request, error.message), to: item)
  }

  func malformed(_ item: RequestItem, _ error: WireError) {
    let code: HttpClientError.Code = error.kind == .tooLarge ? .tooLarge : .malformedResponse
    apply(item.machine.responseFailed(code, error.message), to: item)
  }

  func timerFired(_ timer: RequestStateMachine.Timer, of item: RequestItem) {
    switch timer {
    case .total: item.totalTimer = .none
    case .deadline: item.deadlineTimer = .none
    case .start: return mayStart(item)
    case .queue, .connect, .firstByte, .idle, .backOff: item.phaseTimer = .none
    }
    if timer == .idle, item.head != nil {
      let length = item.rules.nanoseconds(of: .idle)
      // Reading does not touch the timer: it is moved on here, by what was read meanwhile. A pause of our own is no fault of the peer's.
      let quiet = item.connection?.isPaused(item) == true ? 0 : EventLoop.shared.now.nanoseconds - item.stamps.lastActivity.nanoseconds
      if quiet < length {
        item.phaseTimer = EventLoop.shared.schedule(afterNanoseconds: length - quiet, item, kind: timer.rawValue)
        return
      }
    }
    if timer == .backOff {
      if looksForFile(item) { return }
      if isUsedUp(item) {
        apply(item.machine.setAside(), to: item)
        return askAgain(item)
      }
    }
    if item.isFollowedUp, timer == .idle { return completed(item, isReusable: false, lengthUnknown: false) }
    // Nobody can say afterwards what it hung in.
    var doing = item.attempt.map { " while it was \($0.connector.explanation)" } ?? ""
    if item.feed?.isUnopened == true { doing = " while the files of its body were being opened" }
    guard let cause = item.machine.cause(of: timer) else { return apply(item.machine.timedOut(timer, doing), to: item) }
    let reason = "\(timer.phase) timeout" + (item.rules.words(for: timer.phase).map { " of \($0)" } ?? "")
    if case .final(let words) = failed(item, cause, reason) { apply(item.machine.timedOut(timer, doing + words), to: item) }
  }

  /// A batch of events has been taken by its delegates.
  func delivered(_ batch: [Delivery]) {
    for delivery in batch {
      switch delivery.event {
      case .outcome:
        table.remove(delivery.ticket.info.handle)
      case .chunk(let bytes):
        guard let item = table[delivery.ticket.info.handle] else { continue }
        item.untaken -= bytes.count
        resumeIfRoom(item)
      case .started, .interim, .head, .sent, .redirect, .challenge, .progress: break
      }
    }
    tellIfEmpty()
  }

  /// Reading goes on if enough of what came was taken.
  func resumeIfRoom(_ item: RequestItem) {
    guard item.taker?.hasRoom(item) != false else { return }
    resumeReading(item)
  }

  func resumeReading(_ item: RequestItem) {
    if let decoding = item.decoding, decoding.hasMore { return decodings.add(item, of: self) }
    guard let connection = item.connection, connection.isPaused(item) else { return }
    item.stamps.lastActivity = EventLoop.shared.now
    connection.resume(item)
  }

  private func bodyTooLarge(_ item: RequestItem) {
    let limit = item.rules.maxBodyBytes
    apply(item.machine.responseFailed(.tooLarge, "the body is larger than \(limit) bytes (limit max_body_bytes)"), to: item)
  }
}
