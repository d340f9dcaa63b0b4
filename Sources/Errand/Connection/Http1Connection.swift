internal import EventLoop
internal import HttpWire

/// A connection that speaks HTTP/1.1, with one request at a time.
@LoopActor
final class Http1Connection: HttpConnection, SocketTarget, TimerTarget {
  let facts: ConnectionFacts
  let host: HostPool
  private let engine: RequestEngine
  private let stream: ByteStream
  var standing = ConnectionStanding.busy
  private var watch = WatchID.none
  /// Only while a response comes.
  private var reader: ReaderBox?
  private(set) var item: RequestItem?
  private(set) var exchanges = 0
  private var begunInTurn: UInt32 = 0
  // Kept while requests come and go: each would otherwise start and stop it.
  private var idleTimer = TimerID.none
  private var idleTimerDue = Instant(nanoseconds: 0)
  /// When it has been idle for too long, unless a request comes.
  private var idleDeadline = Instant(nanoseconds: 0)
  private var isWriting = false
  /// Reading is held back for a slow delegate.
  private var isPaused = false
  /// TLS can't go on reading before it has written something of its own.
  private var readWantsWrite = false
  private var isReadLater = false
  /// Runs out when a server has said nothing to `Expect: 100-continue`.
  private var continueTimer = TimerID.none

  private enum Kind {
    static let idle: UInt8 = 0
    static let continueWait: UInt8 = 1
  }

  init(_ stream: ByteStream, _ facts: ConnectionFacts, host: HostPool, engine: RequestEngine) {
    self.stream = stream
    self.facts = facts
    self.host = host
    self.engine = engine
    watch = EventLoop.shared.watch(stream.descriptor, self)
    EventLoop.shared.update(watch, .read)
    readUnreadLater()
  }

  var load: Int { item == nil ? 0 : 1 }
  var isShared: Bool { false }
  private var isOpen: Bool { standing != .closed }

  // MARK: An exchange

  /// Sends `item`'s request at once, as far as the kernel takes it.
  func begin(_ item: RequestItem) {
    engine.pool.move(self, to: .busy)
    self.item = item
    item.facts = facts
    item.isReused = exchanges > 0
    exchanges += 1
    begunInTurn = EventLoop.shared.turn
    item.written = 0
    item.holdsBody = item.expectsContinue
    if let feed = item.feed, !begin(feed, of: item) { return }
    write()
  }

  /// False if its body can't be sent: then it has ended.
  private func begin(_ feed: BodyFeed, of item: RequestItem) -> Bool {
    do throws(HttpClientError) {
      try feed.begin(isChunked: feed.length == nil) { [weak self, weak item] in
        // One that waits for the kernel goes on by itself.
        if let self, let item, self.item === item, !isWriting { write() }
      }
      return true
    } catch {
      engine.bodyFailed(item, error)
      return false
    }
  }

  func leave(_ item: RequestItem, isWhole: Bool) {
    guard isWhole else { return engine.pool.close(self) }
    cancelContinueTimer()
    self.item = nil
    putReaderBack()
    resume(item)
    rest()
  }

  func rest() {
    let time = engine.idleTime(of: facts)
    guard time != .zero else { return engine.pool.close(self) }
    engine.pool.move(self, to: .idle)
    if let time { limitIdleness(to: time) }
  }

  private func limitIdleness(to time: Duration) {
    idleDeadline = EventLoop.shared.now + time
    if idleTimer != .none {
      // A server may have said that it keeps the connection for less than before.
      guard idleDeadline < idleTimerDue else { return }
      EventLoop.shared.cancel(idleTimer)
    }
    startIdleTimer(time)
  }

  private func startIdleTimer(_ time: Duration) {
    idleTimerDue = EventLoop.shared.now + time
    idleTimer = EventLoop.shared.schedule(after: time, self, kind: Kind.idle)
  }

  private func idleTimerFired() {
    idleTimer = .none
    guard item == nil else { return }
    let left = idleDeadline.nanoseconds - EventLoop.shared.now.nanoseconds
    if left <= 0 { return engine.pool.close(self) }
    // Timers of equal length are cheaper.
    startIdleTimer(.milliseconds((left - 1) / 10_000_000 * 10 + 10))
  }

  func close() {
    EventLoop.shared.cancel(idleTimer)
    cancelContinueTimer()
    EventLoop.shared.unwatch(watch)
    stream.close()
    item = nil
    putReaderBack()
  }

  func pause(_ item: RequestItem) {
    isPaused = true
    updateInterest()
  }

  func resume(_ item: RequestItem) {
    guard isPaused else { return }
    isPaused = false
    updateInterest()
    readUnreadLater()
  }

  func isPaused(_ item: RequestItem) -> Bool { isPaused }

  // MARK: Events

  func socketReady(_ ready: Interest) {
    if ready.contains(.write), item != nil { write() }
    if ready.contains(.read) || readWantsWrite, isOpen { read() }
  }

  func timerFired(_ kind: UInt8) {
    guard kind == Kind.continueWait else { return idleTimerFired() }
    continueTimer = .none
    // A server that has refused already does not want the body.
    if let item, item.holdsBody, (item.head?.status ?? 0) < 400 { sendHeldBody(item) }
  }

  private func sendHeldBody(_ item: RequestItem) {
    cancelContinueTimer()
    item.holdsBody = false
    write()
  }

  private func cancelContinueTimer() {
    guard continueTimer != .none else { return }
    EventLoop.shared.cancel(continueTimer)
    continueTimer = .none
  }

  private func write() {
    guard let item else { return }
    // One request may not hold the loop: at most 1 MiB a turn.
    var budget = 1_048_576
    let bodyBefore = item.bodyWritten
    while budget > 0 {
      let result = item.send(on: stream)
      switch result {
      case .none:
        setWriting(false)
        if item.holdsBody, continueTimer == .none {
          continueTimer = EventLoop.shared.schedule(after: engine.configuration.expectContinueWait, self, kind: Kind.continueWait)
        }
        if let error = item.feed?.failure {
          engine.noteWritten(item)
          return engine.bodyFailed(item, error)
        }
        engine.wrote(item, isWhole: !item.holdsBody && item.feed?.isWhole != false, bodyBefore: bodyBefore)
        return
      case .sent(let count):
        item.written += Int64(count)
        budget -= count
      case .wouldBlock:
        setWriting(true)
        engine.wrote(item, isWhole: false, bodyBefore: bodyBefore)
        return
      case .failed(let error):
        engine.noteWritten(item)
        // An answer may already be there, such as a refusal of the upload: what was received is read before the write's failure counts.
        if !drainAfterWriteFailure() { engine.lost(item, error.description) }
        return
      }
    }
    setWriting(true)
    engine.wrote(item, isWhole: false, bodyBefore: bodyBefore)
  }

  /// True if reading ended the exchange.
  private func drainAfterWriteFailure() -> Bool {
    let before = item
    setWriting(false)
    // What is there before anything was sent is no answer, such as a 408 on a connection that was idle for too long.
    if let item, item.written == 0 { return false }
    // A peer that floods may not hold the loop.
    for _ in 0..<64 {
      guard isOpen, let item, item === before else { return true }
      switch stream.receive(into: EventLoop.shared.readBuffer) {
      case .bytes(let count): feed(count)
      case .closed: peerClosed()
      case .wouldBlock, .failed: return false
      }
    }
    return item !== before
  }

  private func read() {
    // It was readable before the request was written: this is no answer. TLS has to be asked, for it has messages of its own.
    let isEarly = item != nil && exchanges > 1 && begunInTurn == EventLoop.shared.turn
    if isEarly, stream.tls == nil { return spokeEarly() }
    let result = stream.receive(into: EventLoop.shared.readBuffer)
    setReadWantsWrite(stream.tls?.readWantsWrite == true)
    switch result {
    case .wouldBlock:
      return
    case .bytes, .closed, .failed:
      if isEarly { return spokeEarly() }
    }
    received(result)
    readUnreadLater()
  }

  private func spokeEarly() {
    if let item { engine.lost(item, "the server closed the connection or spoke on it before the request") }
  }

  private func received(_ result: StreamRead) {
    switch result {
    case .bytes(let count):
      if item == nil {
        // Nobody asked: what follows could be taken for the next request's answer.
        engine.pool.close(self)
      } else {
        feed(count)
      }
    case .wouldBlock:
      return
    case .closed:
      peerClosed()
    case .failed(let error):
      guard let item else { return engine.pool.close(self) }
      if case .tls(let error) = error { engine.tlsFailed(item, error) } else { engine.lost(item, error.description) }
    }
  }

  /// What TLS holds makes the socket no longer readable. Later, for one connection may not hold the loop.
  private func readUnreadLater() {
    guard isOpen, !isPaused, stream.hasUnread, !isReadLater else { return }
    isReadLater = true
    EventLoop.shared.atEndOfTurn { [self] in
      isReadLater = false
      if isOpen, !isPaused, stream.hasUnread { read() }
    }
  }

  private func peerClosed() {
    guard let item else { return engine.pool.close(self) }
    let box = readerBox(for: item)
    do throws(WireError) {
      if case .end? = try box.reader.endOfInput() {
        engine.completed(item, isReusable: false, lengthUnknown: box.reader.lengthUnknown)
      } else {
        engine.lost(item, "the server closed the connection")
      }
    } catch {
      engine.lost(item, error.message)
    }
  }

  private func readerBox(for item: RequestItem) -> ReaderBox {
    if let reader { return reader }
    let box = engine.readers.take(requestMethod: item.method)
    reader = box
    return box
  }

  private func putReaderBack() {
    guard let box = reader else { return }
    reader = nil
    engine.readers.putBack(box)
  }

  private func feed(_ count: Int) {
    guard let item else { return }
    let box = readerBox(for: item)
    let input = UnsafeRawBufferPointer(rebasing: EventLoop.shared.readBuffer[..<count])
    let bytes = input.bytes
    var offset = 0
    var mayContinue = false
    item.touched()
    do throws(WireError) {
      while let event = try box.reader.next(bytes, at: &offset) {
        switch event {
        case .informational(let head):
          engine.receivedInterim(item, head)
          if head.status == 100 { mayContinue = true }
        case .head(let head):
          engine.receivedHead(item, head, contentLength: box.reader.contentLength)
        case .body(let range):
          engine.receivedBody(item, UnsafeRawBufferPointer(rebasing: input[range]))
        case .trailers(let trailers):
          item.set(trailers: trailers)
        case .end:
          let isReusable = box.reader.keepAlive && offset == count && !isWriting && !item.closesConnection && !isMoreWaiting(count)
          engine.completed(item, isReusable: isReusable, lengthUnknown: box.reader.lengthUnknown)
          return
        }
        // An event may have ended the request, by a limit.
        if self.item !== item { return }
      }
      engine.readSoFar(item)
      if mayContinue, item.holdsBody, self.item === item { sendHeldBody(item) }
    } catch {
      engine.malformed(item, error)
    }
  }

  /// A response that ends with a full buffer may be followed by bytes that nobody asked for.
  private func isMoreWaiting(_ count: Int) -> Bool {
    if stream.hasUnread { return true }
    guard count == EventLoop.shared.readBuffer.count else { return false }
    if case .wouldBlock = stream.receive(into: EventLoop.shared.readBuffer) { return false }
    return true
  }

  private func setWriting(_ writing: Bool) {
    guard writing != isWriting else { return }
    isWriting = writing
    updateInterest()
  }

  private func setReadWantsWrite(_ wants: Bool) {
    guard wants != readWantsWrite else { return }
    readWantsWrite = wants
    updateInterest()
  }

  private func updateInterest() {
    var interest: Interest = isPaused || readWantsWrite ? [] : .read
    if isWriting || readWantsWrite { interest.insert(.write) }
    EventLoop.shared.update(watch, interest)
  }
}
