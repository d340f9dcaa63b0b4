internal import Errand
internal import EventLoop
internal import HttpWire

/// Sends the events of one mailbox to its webhook, one after the other: an event is never overtaken by a later one, also while it is tried again. What
/// was taken (2xx) is acknowledged; what is given up goes to the dead-letter mailbox.
@LoopActor
final class WebhookSender: MailboxReader, OutcomeSink, TimerTarget {
  enum State: String {
    /// Nothing waits, or an event is being sent.
    case active
    /// The last try failed, and another will follow.
    case retrying
    /// The receiver said that it is gone for good (410): events wait until it is declared anew, or redelivery is asked for.
    case disabled
  }

  let mailbox: Mailbox
  private(set) var target: WebhookTarget
  private let hooks: Webhooks
  private(set) var state = State.active
  /// Of the event at the front.
  private(set) var attempts = 0
  private(set) var lastError: String?
  private(set) var delivered: UInt64 = 0
  private(set) var givenUp: UInt64 = 0
  /// What is being sent: up to where it is acknowledged then.
  private var sending: (through: UInt64, event: StoredEvent)?
  private var handle: RequestHandle?
  private var timer = TimerID.none
  private(set) var dueAt: Instant?
  private var isStopped = false

  init(_ mailbox: Mailbox, _ target: WebhookTarget, _ hooks: Webhooks) {
    self.mailbox = mailbox
    self.target = target
    self.hooks = hooks
    mailbox.isDeclared = true
    mailbox.add(self)
  }

  /// Another declaration: what is being sent is tried as it says now, and at once.
  func change(_ target: WebhookTarget) {
    let identity = self.target.identity
    self.target = target
    // The ids of events stay those that the receiver knows.
    self.target.identity = identity
    tryNow()
  }

  func tryNow() {
    guard handle == nil else { return }
    EventLoop.shared.cancel(timer)
    (timer, dueAt, attempts, state) = (.none, nil, 0, .active)
    eventsArrived()
  }

  func stop() {
    isStopped = true
    mailbox.isDeclared = false
    mailbox.remove(self)
    EventLoop.shared.cancel(timer)
    if let handle { _ = hooks.client.cancelOnLoop(handle) }
  }

  func eventsArrived() {
    guard !isStopped, handle == nil, dueAt == nil, state != .disabled else { return }
    while let next = front() {
      guard target.types.isEmpty || target.types.contains(WebhookSender.type(of: next.event)) else {
        done(through: next.through)
        continue
      }
      return send(next)
    }
  }

  /// The oldest event that was not taken yet, or the news that some were dropped.
  private func front() -> (through: UInt64, event: StoredEvent)? {
    let cursor = mailbox.acknowledged
    if let gap = mailbox.gap(after: cursor) { return (gap.through, gap.event) }
    return mailbox.next(after: cursor).map { ($0.seq, $0.event) }
  }

  private func send(_ next: (through: UInt64, event: StoredEvent)) {
    sending = next
    var request = HttpRequest(target.url, method: .post, headers: target.headers)
    let body = Array(next.event.jsonBytes)
    let keys = target.secrets.compactMap(hooks.reader.key)
    let seconds = WallTime.now().microseconds / 1_000_000
    for field in WebhookSignature.fields(id: "\(target.identity)_\(next.through)", seconds: seconds, body: body, keys: keys) {
      request.headers.append(field.name, field.value)
    }
    request.body = .bytes(body, contentType: "application/json")
    request.unixSocket = target.unixSocket
    request.timeouts = Timeouts(total: target.timeout ?? .milliseconds(hooks.settings.timeoutMs))
    request.redirects = .manual
    request.egress = hooks.egress.policy(of: mailbox.id.owner)
    request.owner = mailbox.id.owner.description
    // Of the answer nothing is wanted.
    request.maxBodyBytes = 65_536
    let handle = hooks.client.reserveHandle()
    self.handle = handle
    hooks.client.submitOnLoop(request, handle: handle, sink: self)
  }

  func requestEnded(_ request: RequestInfo, _ outcome: Outcome) {
    guard request.handle == handle, let sent = sending else { return }
    handle = nil
    sending = nil
    guard !isStopped else { return }
    switch outcome {
    case .finished(let response) where response.status < 300: taken(sent)
    case .finished(let response): failed(sent, "answered \(response.status)", nil)
    case .failed(let error) where error.response?.status == 410:
      state = .disabled
      lastError = "answered 410 Gone"
      hooks.log.write(.warning, "webhook is gone", fields)
    case .failed(let error):
      // A body that is too long came with an answer that counts all the same.
      if error.code == .tooLarge, let status = error.response?.status, status < 300 { return taken(sent) }
      failed(sent, "\(error)", error.response?.headers["Retry-After"].flatMap { Int64($0) })
    case .cancelled: failed(sent, "cut off", nil)
    }
  }

  private func taken(_ sent: (through: UInt64, event: StoredEvent)) {
    delivered += 1
    (attempts, state, lastError) = (0, .active, nil)
    done(through: sent.through)
    goOn()
  }

  /// Once what was done is on disk: after a kill no more than the event that was being sent comes again.
  private func goOn() { hooks.journal.afterWriting { _ in self.eventsArrived() } }

  private func done(through seq: UInt64) { hooks.acknowledge(mailbox, seq) }

  private func failed(_ sent: (through: UInt64, event: StoredEvent), _ reason: String, _ retryAfter: Int64?) {
    attempts += 1
    lastError = reason
    if attempts >= target.maxAttempts ?? (hooks.settings.retryMs.count + 1) {
      guard hooks.giveUp(sent.event, of: self, sent.through) else { return wait(nil) }
      givenUp += 1
      (attempts, state) = (0, .active)
      done(through: sent.through)
      goOn()
      return
    }
    wait(retryAfter)
  }

  private func wait(_ retryAfter: Int64?) {
    state = .retrying
    // Many receivers come back at once: a tenth either way keeps their senders apart.
    let wait = hooks.settings.wait(after: attempts).wholeNanoseconds
    let spread = Int64(Double(wait) * Double.random(in: 0.9...1.1))
    let asked = min(retryAfter ?? 0, 86_400) * 1_000_000_000
    let length = max(spread, asked)
    dueAt = .now() + .nanoseconds(length)
    timer = EventLoop.shared.schedule(afterNanoseconds: length, self, kind: 0)
    hooks.log.write(.info, "webhook is tried again", fields + [("in_ms", "\(length / 1_000_000)")])
  }

  func timerFired(_ kind: UInt8) {
    (timer, dueAt) = (.none, nil)
    eventsArrived()
  }

  private var fields: [Log.Field] {
    [
      ("owner", mailbox.id.owner.description), ("delegate", mailbox.id.name), ("attempts", "\(attempts)"), ("error", lastError ?? ""),
    ]
  }

  /// The word after `event: ` in its frame.
  private static func type(of event: StoredEvent) -> String {
    let text = String(decoding: event.frame.prefix(80), as: UTF8.self)
    guard let start = text.firstRange(of: "event: ")?.upperBound else { return "" }
    return String(text[start...].prefix { !$0.isNewline })
  }
}
