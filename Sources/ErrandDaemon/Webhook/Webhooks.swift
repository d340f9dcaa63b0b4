internal import Errand
internal import EventLoop
internal import HttpWire

/// The delegates whose events are sent to a webhook. They have a client of their own: no scope of a caller's, no limit and no listing touches them.
@LoopActor
final class Webhooks {
  let client: HttpClient
  let log: Log
  let reader: WebhookReader
  var settings: WebhookSettings
  /// Receivers are their owners' choice.
  var egress = EgressPolicies(EgressSettings())
  let journal: Journal
  private let store: any RequestStore
  private let reserve: HandleReserve
  private var senders: [DelegateID: WebhookSender] = [:]

  init(
    _ client: HttpClient, _ settings: WebhookSettings, _ reader: WebhookReader, _ journal: Journal, _ store: any RequestStore,
    _ reserve: HandleReserve,
    _ log: Log
  ) {
    self.client = client
    self.settings = settings
    self.reader = reader
    self.journal = journal
    self.store = store
    self.reserve = reserve
    self.log = log
  }

  subscript(_ id: DelegateID) -> WebhookSender? { senders[id] }
  var count: Int { senders.count }
  var all: Dictionary<DelegateID, WebhookSender>.Values { senders.values }

  func declare(_ mailbox: Mailbox, _ target: WebhookTarget) {
    store.keep(target.json, of: mailbox)
    begin(mailbox, target)
  }

  /// Its events wait to be followed from now on.
  func end(_ mailbox: Mailbox) {
    guard let sender = senders.removeValue(forKey: mailbox.id) else { return }
    sender.stop()
    store.keep(nil, of: mailbox)
  }

  /// Takes up what an earlier process was told.
  func restore(_ mailbox: Mailbox, _ json: [UInt8]) {
    guard let target = reader.restore(json) else {
      return log.write(
        .error, "webhook can't be used any more", [("owner", mailbox.id.owner.description), ("delegate", mailbox.id.name)])
    }
    begin(mailbox, target)
  }

  private func begin(_ mailbox: Mailbox, _ target: WebhookTarget) {
    if let sender = senders[mailbox.id] { return sender.change(target) }
    let sender = WebhookSender(mailbox, target, self)
    senders[mailbox.id] = sender
    EventLoop.shared.enqueue { sender.eventsArrived() }
  }

  func stop() async {
    for sender in senders.values { sender.stop() }
    senders = [:]
    await client.shutdown(grace: .zero)
  }

  func acknowledge(_ mailbox: Mailbox, _ seq: UInt64) { store.acknowledge(mailbox, through: seq) }

  // MARK: Dead letters

  static func deadLetters(of id: DelegateID) -> DelegateID { DelegateID(owner: id.owner, name: id.name + ".dead") }

  /// False if there is no room for another delegate: the event stays where it is.
  func giveUp(_ event: StoredEvent, of sender: WebhookSender, _ seq: UInt64) -> Bool {
    guard let dead = store.makeMailbox(Webhooks.deadLetters(of: sender.mailbox.id)) else { return false }
    var words: [UInt8] = []
    words.append(",\"dead_letter\":{\"delegate\":")
    Json.appendQuoted(sender.mailbox.id.name, to: &words)
    words.append(",\"seq\":")
    words.append(decimal: seq)
    words.append(",\"attempts\":")
    words.append(decimal: sender.attempts)
    words.append(",\"error\":")
    Json.appendQuoted(sender.lastError ?? "", to: &words)
    words.append("}")
    put(event, in: dead, adding: words, like: sender.mailbox)
    log.write(
      .warning, "webhook event given up",
      [
        ("owner", sender.mailbox.id.owner.description), ("delegate", sender.mailbox.id.name), ("seq", "\(seq)"),
        ("attempts", "\(sender.attempts)"), ("error", sender.lastError ?? ""),
      ])
    return true
  }

  /// Sends what was given up once more, behind what waits, and tries at once; gives how many events that are.
  func redeliver(_ sender: WebhookSender, limit: Int) -> Int {
    var count = 0
    if let dead = store.mailbox(Webhooks.deadLetters(of: sender.mailbox.id)) {
      var cursor = dead.acknowledged
      while count < limit, let next = dead.next(after: cursor) {
        put(next.event, in: sender.mailbox, adding: [], like: sender.mailbox)
        cursor = next.seq
        count += 1
      }
      store.acknowledge(dead, through: cursor)
    }
    sender.tryNow()
    return count
  }

  private func put(_ event: StoredEvent, in mailbox: Mailbox, adding words: [UInt8], like other: Mailbox) {
    let seq = mailbox.nextSeq
    reserve.note(event: seq)
    store.happened(
      EventWriter.copy(event, seq: seq, adding: words), in: mailbox, at: .now(), other.journalID == nil ? .volatile : .journaled)
  }
}
