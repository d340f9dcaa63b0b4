internal import EventLoop
internal import HttpServer
internal import HttpWire

/// One open event stream: sends what its mailbox has after its cursor, as fast as the peer takes it and no faster.
@LoopActor
final class EventFollower: MailboxReader, TimerTarget, OpenCall {
  private static let batchBytes = 65_536

  private let mailbox: Mailbox
  private let responder: Responder
  private let core: DaemonCore
  private var cursor: UInt64
  private var timer = TimerID.none
  /// The peer has not taken what was written: nothing more is, until it has.
  private var isBlocked = false
  private var isEnded = false
  private var hasWritten = false

  init(_ mailbox: Mailbox, after cursor: UInt64?, _ responder: Responder, _ core: DaemonCore) {
    self.mailbox = mailbox
    self.responder = responder
    self.core = core
    self.cursor = mailbox.start(after: cursor)
  }

  func begin() {
    responder.startStream(
      status: 200,
      headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"])
    guard responder.isOpen else { return }
    mailbox.followerCount += 1
    mailbox.add(self)
    core.opened(self)
    responder.onDrain = { [weak self] in
      self?.isBlocked = false
      self?.eventsArrived()
    }
    responder.onClose = { self.ended() }
    timer = EventLoop.shared.schedule(after: core.limits.keepAlive, self, kind: 0)
    // A first line at once: the follower sees that it is connected.
    write(Array(": following \(mailbox.id.name) after \(cursor)\n\n".utf8))
    eventsArrived()
  }

  func eventsArrived() {
    while !isBlocked, !isEnded {
      var batch: [UInt8] = []
      if let gap = mailbox.gap(after: cursor) {
        batch.append(contentsOf: gap.event.frame)
        cursor = gap.through
      }
      let pending = mailbox.pendingCount(after: cursor)
      guard pending > 0 || !batch.isEmpty else { return }
      if pending > 1 { batch.reserveCapacity(EventFollower.batchBytes + 4_096) }
      while batch.count < EventFollower.batchBytes, let next = mailbox.next(after: cursor) {
        batch.append(contentsOf: next.event.frame)
        cursor = next.seq
      }
      write(batch)
    }
  }

  private func write(_ bytes: [UInt8]) {
    hasWritten = true
    if !responder.write(bytes) { isBlocked = true }
  }

  func timerFired(_ kind: UInt8) {
    guard !isEnded else { return }
    if !hasWritten, !isBlocked { write(Array(": keep-alive\n\n".utf8)) }
    hasWritten = false
    timer = EventLoop.shared.schedule(after: core.limits.keepAlive, self, kind: 0)
  }

  var isOwing: Bool { responder.bufferedBytes > 0 || mailbox.pendingCount(after: cursor) > 0 }

  /// What came in this very turn has not been sent yet.
  func noMoreComes() { eventsArrived() }

  /// Ends the stream from this side; the follower may come back with its cursor. One that is behind must not take what it has for the whole.
  func finish() -> Int? {
    guard !isEnded, responder.isOpen else { return nil }
    guard isOwing else {
      responder.finish()
      return nil
    }
    let lost = mailbox.pendingCount(after: cursor) + bufferedEvents
    responder.abort()
    return lost
  }

  /// The events in what the peer has not taken, as near as their lengths tell.
  private var bufferedEvents: Int { mailbox.eventCount(through: cursor, in: responder.bufferedBytes) }

  private func ended() {
    guard !isEnded else { return }
    isEnded = true
    mailbox.followerCount -= 1
    mailbox.remove(self)
    core.closed(self)
    EventLoop.shared.cancel(timer)
  }
}
