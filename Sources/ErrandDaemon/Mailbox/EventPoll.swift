internal import EventLoop
internal import HttpServer

/// One long poll: answers as soon as there is an event after its cursor, or with none when its time is up.
@LoopActor
final class EventPoll: MailboxReader, TimerTarget, OpenCall {
  private static let answerBytes = 8 << 20

  private let mailbox: Mailbox
  private let responder: Responder
  private let core: DaemonCore
  private let limit: Int
  private let cursor: UInt64
  private var answeredThrough: UInt64?
  private var timer = TimerID.none
  private var isAnswered = false

  init(_ mailbox: Mailbox, after cursor: UInt64?, limit: Int, _ responder: Responder, _ core: DaemonCore) {
    self.mailbox = mailbox
    self.responder = responder
    self.limit = limit
    self.core = core
    self.cursor = mailbox.start(after: cursor)
  }

  func begin(wait: Duration) {
    core.recentPolls.began(mailbox)
    core.opened(self)
    responder.onClose = { self.ended() }
    if hasEvents || wait <= .zero { return answer() }
    mailbox.add(self)
    timer = EventLoop.shared.schedule(after: wait, self, kind: 0)
  }

  private var hasEvents: Bool { mailbox.pendingCount(after: cursor) > 0 || mailbox.gap(after: cursor) != nil }

  func eventsArrived() {
    if !isAnswered, hasEvents { answer() }
  }

  func timerFired(_ kind: UInt8) {
    if !isAnswered { answer() }
  }

  /// An answer that the peer has not wholly taken.
  var isOwing: Bool { isAnswered }

  /// Answers with what there is, for a daemon that ends.
  func noMoreComes() { timerFired(0) }

  func finish() -> Int? {
    timerFired(0)
    // The server cuts what is not taken soon.
    return nil
  }

  private func answer() {
    leave()
    var bytes: [UInt8] = []
    bytes.append("{\"events\":[")
    var next = cursor
    var count = 0
    if let gap = mailbox.gap(after: next) {
      bytes.append(contentsOf: gap.event.jsonBytes)
      next = gap.through
      count = 1
    }
    // What was acknowledged meanwhile is gone, too, but was not lost.
    next = max(next, mailbox.acknowledged)
    while count < limit, bytes.count < EventPoll.answerBytes, let (seq, event) = mailbox.next(after: next) {
      if count > 0 { bytes.append(",") }
      bytes.append(contentsOf: event.jsonBytes)
      next = seq
      count += 1
    }
    bytes.append("],\"next\":")
    bytes.append(decimal: next)
    bytes.append("}\n")
    answeredThrough = next
    responder.respond(status: 200, headers: ApiAnswer.jsonHeaders, body: bytes)
  }

  private func leave() {
    guard !isAnswered else { return }
    isAnswered = true
    mailbox.remove(self)
    EventLoop.shared.cancel(timer)
  }

  /// The answer is out, or the peer is gone.
  private func ended() {
    leave()
    core.closed(self)
    if let answeredThrough, responder.isComplete { core.recentPolls.answered(mailbox, through: answeredThrough) }
  }
}
