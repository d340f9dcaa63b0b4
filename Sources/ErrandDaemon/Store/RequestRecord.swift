internal import Errand
internal import EventLoop
internal import HttpWire

/// What the daemon knows of one request, from its acceptance until its result is dropped.
@LoopActor
final class RequestRecord {
  let handle: RequestHandle
  let mailbox: Mailbox
  var identity: RequestIdentity
  let durability: Durability
  /// An earlier process took it.
  let isRecovered: Bool
  /// The client has it, or had it. Before, it waits to be on disk, and nobody has been told its handle.
  var isBegun = false
  /// Its bytes may have left, and must not leave twice.
  var isSending = false
  var idempotencyKey: IdempotencyKeys.ID?
  /// How it ended, though perhaps nobody may be told yet.
  var end: RequestResult?
  /// What was to be on disk of its end is there.
  var isEndTold = false
  /// The calls that wait for the outcome.
  var waiters: [OutcomeWaiter] = []

  /// How it ended, for whoever asks.
  var result: RequestResult? { isEndTold ? end : nil }
  var owner: Owner { mailbox.id.owner }
  var tag: Int? { identity.tag }
  var key: String? { identity.key }
  var meta: [UInt8] { identity.meta }
  var method: String { identity.method }
  var url: String {
    get { identity.url }
    set { identity.url = newValue }
  }
  var acceptedAt: Instant { identity.acceptedAt }
  var isJournaled: Bool { durability == .journaled }

  init(_ handle: RequestHandle, _ mailbox: Mailbox, _ identity: RequestIdentity, _ durability: Durability, isRecovered: Bool = false) {
    self.handle = handle
    self.mailbox = mailbox
    self.identity = identity
    self.durability = durability
    self.isRecovered = isRecovered
  }
}

extension RequestIdentity {
  init(_ submission: Submission, at acceptedAt: Instant) {
    let request = submission.request
    self.init(
      tag: request.tag, key: request.key, meta: submission.meta, method: (request.method ?? (request.body == nil ? .get : .post)).rawValue,
      // One with a password in it, and one that a service stands for, are the client's to tell.
      url: request.url.utf8.contains(UInt8(ascii: "@")) ? "" : request.url, acceptedAt: acceptedAt)
  }
}
