internal import EventLoop
internal import HttpWire

/// A connection that speaks HTTP/2, with as many requests at a time as the server takes.
///
/// Requests of one turn of the loop go out in one write at its end. Until the server's settings have come only one request is sent, for
/// nobody knows how many more it would take.
@LoopActor
final class Http2Connection: HttpConnection, SocketTarget, TimerTarget {
  let facts: ConnectionFacts
  let host: HostPool
  let engine: RequestEngine
  let stream: ByteStream
  let settings: Http2Settings
  var standing = ConnectionStanding.busy
  private var watch = WatchID.none
  var session: Http2Session?
  /// By the slot of their streams.
  var entries: [Entry] = []
  /// Requests that wait for the server's settings.
  var held: [RequestItem] = []
  private(set) var load = 0
  private var exchanges = 0
  /// Takes no more requests: the server goes away, or the connection is lost.
  var isDraining = false
  var hasSettings = false
  /// Why the session is of no more use.
  var failure: WireError?

  // What is on its way to the kernel.
  var output: [UInt8] = []
  var sentCount = 0
  /// Requests of which a part is in `output`, told once all of it is sent.
  var partlySent: [Http2Stream] = []
  var isWriting = false
  var isFlushScheduled = false
  /// Heads that came with the bytes that are being read.
  var newHeads: [RequestItem] = []
  /// Timers of bodies that wait for the server's 100.
  var heldBodies: [Int32: HeldBody] = [:]

  private var idleTimer = TimerID.none
  var aliveTimer = TimerID.none
  var lastReceived = Instant(nanoseconds: 0)
  var pingSent: Instant?
  /// Nothing was heard of it for long when a request on it ended unanswered: it gets no other until it gives a sign of life.
  var isSuspect = false
  private static let suspectAfter = Duration.seconds(1)

  /// A request on a stream.
  struct Entry {
    var item: RequestItem?
    var number: Int32 = 0
    /// Bytes of the body are held back for a slow delegate.
    var isPaused = false
    /// Bytes that were handed on while it was paused, and are not given back to the stream's window.
    var owed = 0
  }

  enum Kind {
    static let idle: UInt8 = 0
    static let alive: UInt8 = 1
  }

  init(_ stream: ByteStream, _ facts: ConnectionFacts, host: HostPool, engine: RequestEngine) {
    self.stream = stream
    self.facts = facts
    self.host = host
    self.engine = engine
    settings = engine.configuration.http2
    session = Http2Session(settings, limits: engine.configuration.wireLimits, handler: self)
    watch = EventLoop.shared.watch(stream.descriptor, self)
    EventLoop.shared.update(watch, .read)
    scheduleFlush()
    // The server's settings may have come with the end of the handshake.
    if stream.hasUnread { EventLoop.shared.atEndOfTurn { [self] in if isOpen { read() } } }
  }

  var isShared: Bool { true }
  var isOpen: Bool { standing != .closed }

  // MARK: Requests

  func begin(_ item: RequestItem) {
    EventLoop.shared.cancel(idleTimer)
    idleTimer = .none
    item.facts = facts
    item.isReused = exchanges > 0
    exchanges += 1
    item.written = 0
    item.holdsBody = item.expectsContinue
    load += 1
    if load == 1 { startWatchingLife() }
    if let feed = item.feed, !begin(feed, of: item) { return }
    if hasSettings || exchanges == 1 {
      submit(item)
    } else {
      held.append(item)
      engine.wrote(item, isWhole: false, bodyBefore: 0)
    }
    updateStanding()
  }

  /// False if its body can't be sent: then it has ended.
  private func begin(_ feed: BodyFeed, of item: RequestItem) -> Bool {
    do throws(HttpClientError) {
      try feed.begin { [weak self, weak item] in if let self, let item { bodyIsReady(of: item) } }
      return true
    } catch {
      engine.bodyFailed(item, error)
      return false
    }
  }

  func submit(_ item: RequestItem) {
    guard !isDraining, let stream = session?.submit(item) else {
      isDraining = true
      updateStanding()
      return engine.notProcessed(item, "the connection takes no more requests")
    }
    while entries.count <= stream.index { entries.append(Entry()) }
    entries[stream.index] = Entry(item: item, number: stream.number)
    item.stream = stream
    // Its timer starts when it is written, which may be late.
    if isWriting { engine.wrote(item, isWhole: false, bodyBefore: 0) }
    scheduleFlush()
  }

  func leave(_ item: RequestItem, isWhole: Bool) {
    load -= 1
    if let index = index(of: item) {
      entries[index] = Entry()
      heldBodies.removeValue(forKey: item.stream.slot)?.cancel()
      if session?.isLive(item.stream) == true {
        session?.cancel(item.stream)
        scheduleFlush()
      }
    } else if let index = held.firstIndex(where: { $0 === item }) {
      held.remove(at: index)
    }
    item.stream = .none
    if !isWhole, isOpen, !isDraining, lastReceived.duration(to: EventLoop.shared.now) >= Http2Connection.suspectAfter { suspect() }
    updateStanding()
  }

  func rest() { updateStanding() }

  /// The place of a request that has a stream.
  func index(of item: RequestItem) -> Int? {
    let index = item.stream.index
    return index >= 0 && index < entries.count && entries[index].item === item ? index : nil
  }

  func item(on stream: Http2Stream) -> RequestItem? {
    stream.index < entries.count && entries[stream.index].number == stream.number ? entries[stream.index].item : nil
  }

  // MARK: Slow delegates

  func pause(_ item: RequestItem) {
    if let index = index(of: item) { entries[index].isPaused = true }
  }

  func resume(_ item: RequestItem) {
    guard let index = index(of: item), entries[index].isPaused else { return }
    entries[index].isPaused = false
    session?.consume(item.stream, entries[index].owed)
    entries[index].owed = 0
    scheduleFlush()
  }

  func isPaused(_ item: RequestItem) -> Bool {
    index(of: item).map { entries[$0].isPaused } ?? false
  }

  // MARK: Where it stands

  /// How many requests it may carry, as far as one knows.
  private var room: Int {
    hasSettings ? session?.maxStreams ?? 0 : min(host.room, settings.maxStreams)
  }

  func updateStanding() {
    guard isOpen else { return }
    if load == 0 {
      let time = engine.idleTime(of: facts)
      // One whose server takes no request is of no use.
      let isUseless = isDraining || hasSettings && room == 0
      if isUseless || time == .zero || session?.isFinished != false { return engine.pool.close(self) }
      if isSuspect { return engine.pool.move(self, to: .suspect) }
      guard standing != .idle else { return }
      engine.pool.move(self, to: .idle)
      stopWatchingLife()
      idleTimer = time.map { EventLoop.shared.schedule(after: $0, self, kind: Kind.idle) } ?? .none
    } else {
      engine.pool.move(self, to: mayTakeMore ? .roomy : .busy)
    }
  }

  private var mayTakeMore: Bool {
    guard !isDraining, !isSuspect, let session, load < room, !engine.isTooOld(facts) else { return false }
    return !hasSettings || session.mayOpen
  }

  func timerFired(_ kind: UInt8) {
    if kind == Kind.alive { return lookForLife() }
    idleTimer = .none
    engine.pool.close(self)
  }

  func socketReady(_ ready: Interest) {
    if ready.contains(.read), isOpen { read() }
    if ready.contains(.write), isOpen { flush() }
  }

  func updateInterest() {
    EventLoop.shared.update(watch, isWriting ? [.read, .write] : .read)
  }

  func close() {
    isDraining = true
    EventLoop.shared.cancel(idleTimer)
    stopWatchingLife()
    sayGoodbye()
    EventLoop.shared.unwatch(watch)
    stream.close()
    session?.close()
    session = nil
    for body in heldBodies.values { body.cancel() }
    heldBodies = [:]
    entries = []
    held = []
  }
}

extension Http2Session {
  func submit(_ item: RequestItem) -> Http2Stream? {
    let (body, start) = item.body.isEmpty ? (item.wire, item.headCount) : (item.body, 0)
    return item.wire.withUnsafeBytes { wire in
      submit(
        head: UnsafeRawBufferPointer(rebasing: wire[..<item.headCount]), isSecure: item.origin.isSecure, body: body, from: start,
        feed: item.feed, holdsBody: item.holdsBody)
    }
  }
}

/// Ends the wait of a body for a server that says nothing to `Expect: 100-continue`.
@LoopActor
final class HeldBody: TimerTarget {
  private let connection: Http2Connection
  private let item: RequestItem
  private var timer = TimerID.none

  init(_ item: RequestItem, on connection: Http2Connection, after wait: Duration) {
    self.item = item
    self.connection = connection
    timer = EventLoop.shared.schedule(after: wait, self, kind: 0)
  }

  func cancel() {
    EventLoop.shared.cancel(timer)
  }

  func timerFired(_ kind: UInt8) {
    // A server that has refused already does not want the body.
    if (item.head?.status ?? 0) < 400 { connection.sendHeldBody(of: item) }
  }
}
