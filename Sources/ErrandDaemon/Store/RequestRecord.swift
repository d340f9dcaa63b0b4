internal import Errand
internal import EventLoop
internal import HttpWire

/// What the daemon knows of one request, from its acceptance until its result is dropped.
@LoopActor
final class RequestRecord {
  let handle: RequestHandle
  let mailbox: Mailbox
  let tag: Int?
  let key: String?
  /// JSON, given back as it came; empty if there is none.
  let meta: [UInt8]
  let method: String
  /// As given; with the params once the request has ended.
  var url: String
  let acceptedAt: Instant
  var result: RequestResult?
  /// The calls that wait for the outcome.
  var waiters: [OutcomeWaiter] = []

  var owner: Owner { mailbox.id.owner }

  init(handle: RequestHandle, mailbox: Mailbox, submission: Submission, acceptedAt: Instant) {
    self.handle = handle
    self.mailbox = mailbox
    self.acceptedAt = acceptedAt
    tag = submission.request.tag
    key = submission.request.key
    meta = submission.meta
    // One with a password in it, and one that a service stands for, are the client's to tell.
    url = submission.request.url.utf8.contains(UInt8(ascii: "@")) ? "" : submission.request.url
    method = (submission.request.method ?? (submission.request.body == nil ? .get : .post)).rawValue
  }
}
