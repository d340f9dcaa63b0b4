internal import Errand
internal import EventLoop

/// Where accepted requests, their results and the delegates' events are kept. What is kept in memory today may be kept on disk by
/// another implementation; the daemon uses no more than this.
@LoopActor
protocol RequestStore: AnyObject {
  /// A request was accepted: it is found from now on. `stored`: what is to be on disk of it, for one that is journaled.
  func accepted(_ record: RequestRecord, _ stored: StoredSubmission?)
  /// A request that was just accepted turned out not to be sendable: it is forgotten.
  func withdrawn(_ record: RequestRecord)
  /// A request's bytes are about to leave, and must not leave twice.
  func sending(_ record: RequestRecord)
  /// A request ended: its result is kept, and its event goes to its mailbox, to be seen there at once, or once it is on disk.
  func ended(_ record: RequestRecord, _ result: RequestResult)
  /// Something else happened than a request's end: its event goes to the mailbox.
  func happened(_ event: StoredEvent, in mailbox: Mailbox, at: Instant, _ durability: Durability)
  /// Keeps what is to become of a mailbox's events, over a restart too; nil: nothing was said of it.
  func keep(_ settings: [UInt8]?, of mailbox: Mailbox)
  /// Puts back what an earlier process had on disk; gives the requests that have not ended, in order of acceptance.
  func restore(_ content: JournalContent) -> [(record: RequestRecord, stored: JournalContent.Request)]

  func record(_ handle: RequestHandle) -> RequestRecord?
  /// Records older than `cursor` (nil: from the newest), newest first: at most `limit` that match, found among at most `scan` records.
  /// `next` is where to go on; nil at the end.
  func page(
    before cursor: RequestHandle?, limit: Int, scan: Int, _ matches: (RequestRecord) -> Bool
  ) -> (records: [RequestRecord], next: RequestHandle?)

  func mailbox(_ id: DelegateID) -> Mailbox?
  /// The mailbox, made if there is none; nil if the owner has as many as it may.
  func makeMailbox(_ id: DelegateID) -> Mailbox?
  /// At most `limit` of the mailboxes that `owner` sees and that come after `cursor` (nil: from the first), by owner and name. `next` is
  /// where to go on; nil at the end.
  func mailboxes(_ owner: Owner, after cursor: DelegateID?, limit: Int) -> (mailboxes: [Mailbox], next: DelegateID?)
  /// Frees a mailbox's events up to `seq`; the results of their requests are kept for `acknowledgedResults` more, and are the first to be dropped
  /// when room is needed.
  func acknowledge(_ mailbox: Mailbox, through seq: UInt64)

  /// Drops what is older than the limits allow. Of the mailboxes it looks at a part each time, in turn.
  func sweep(_ now: Instant)
  /// Results that were dropped or released since the start.
  var resultsGone: UInt64 { get }
  var limits: StoreLimits { get set }
  var figures: StoreFigures { get }
}

/// How much is kept.
struct StoreLimits: Sendable, Equatable {
  var results = 100_000
  var resultBytes = 256 << 20
  var resultAge = Duration.seconds(3_600)
  /// Of these, results whose event was acknowledged.
  var acknowledgedResults = 100
  var events = 100_000
  var eventBytes = 64 << 20
  var eventAge = Duration.seconds(86_400)
  var delegatesPerOwner = 100_000
}

struct StoreFigures: Sendable, Equatable {
  var running = 0
  var results = 0
  var resultBytes = 0
  /// Results dropped that nobody had acknowledged.
  var resultsDropped: UInt64 = 0
  /// Results dropped after their event was acknowledged.
  var resultsReleased: UInt64 = 0
  var delegates = 0
  var events = 0
  var eventBytes = 0
  var eventsAppended: UInt64 = 0
  var eventsDropped: UInt64 = 0
  var followers = 0
}
