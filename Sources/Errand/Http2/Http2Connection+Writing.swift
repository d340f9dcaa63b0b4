internal import EventLoop
internal import HttpWire

/// What the session has to say goes to the kernel.
extension Http2Connection {
  /// One write for all that a turn of the loop brings.
  func scheduleFlush() {
    guard !isFlushScheduled, !isWriting else { return }
    isFlushScheduled = true
    EventLoop.shared.atEndOfTurn { [self] in
      isFlushScheduled = false
      if isOpen { flush() }
    }
  }

  func flush() {
    // One connection may not hold the loop: at most 1 MiB a turn.
    var budget = 1_048_576
    while budget > 0 {
      if sentCount == output.count {
        sentCount = 0
        output.removeAll(keepingCapacity: output.capacity <= 131_072)
        gather()
        guard isOpen, failure == nil, !output.isEmpty else { break }
      }
      switch stream.send(output, from: sentCount) {
      case .sent(let count):
        sentCount += count
        budget -= count
        tellWritten()
      case .wouldBlock:
        return setWriting(true)
      case .failed(let error):
        return writeFailed(error.description)
      }
      guard isOpen else { return }
    }
    guard isOpen else { return }
    if let failure {
      // What was gathered says why.
      if !output.isEmpty { _ = stream.send(output, from: sentCount) }
      return failed(failure)
    }
    setWriting(budget <= 0)
    // Streams that are over make room once their last frame is written.
    updateStanding()
  }

  private func gather() {
    // What is told meanwhile may come back here.
    var gathered: [UInt8] = []
    swap(&gathered, &output)
    session?.gather(into: &gathered, upTo: 65_536)
    swap(&gathered, &output)
  }

  private func setWriting(_ writing: Bool) {
    guard writing != isWriting else { return }
    isWriting = writing
    updateInterest()
    // Those that are not written yet must not wait without a timer.
    if writing {
      for entry in entries { if let item = entry.item, item.written == 0 { engine.wrote(item, isWhole: false, bodyBefore: 0) } }
    }
  }

  /// Some of `output` is with the kernel, perhaps all.
  private func tellWritten() {
    guard let session else { return }
    let isAll = sentCount == output.count
    if isAll, !partlySent.isEmpty {
      let streams = partlySent
      partlySent = []
      for stream in streams { if let progress = session.progress(stream) { tell(stream, progress, isSent: true) } }
    }
    session.takeWritten { stream, progress in
      // Which of them are among the bytes that went, and which are not, is not known: any may be.
      if !isAll { partlySent.append(stream) }
      tell(stream, progress, isSent: isAll)
    }
  }

  private func tell(_ stream: Http2Stream, _ progress: Http2Session.Progress, isSent: Bool) {
    guard let item = item(on: stream) else { return }
    let bodyBefore = item.bodyWritten
    item.written = Int64(item.headCount + progress.body)
    engine.wrote(item, isWhole: progress.isWhole && isSent, bodyBefore: bodyBefore)
    if item.holdsBody, heldBodies[stream.slot] == nil, self.item(on: stream) === item {
      heldBodies[stream.slot] = HeldBody(item, on: self, after: engine.configuration.expectContinueWait)
    }
  }

  func sendHeldBody(of item: RequestItem) {
    heldBodies.removeValue(forKey: item.stream.slot)?.cancel()
    guard item.holdsBody, index(of: item) != nil else { return }
    item.holdsBody = false
    session?.sendHeldBody(item.stream)
    scheduleFlush()
  }

  /// There is more of a body, after there was not.
  func bodyIsReady(of item: RequestItem) {
    guard index(of: item) != nil else { return }
    session?.resumeBody(item.stream)
    scheduleFlush()
  }

  /// Tells the server, if it can be told at once, that nothing more will come.
  func sayGoodbye() {
    guard sentCount == output.count, let session, !session.isCalling else { return }
    session.terminate()
    output.removeAll()
    sentCount = 0
    gather()
    if !output.isEmpty { _ = stream.send(output, from: 0) }
  }
}
