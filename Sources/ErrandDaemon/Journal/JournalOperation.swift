internal import Errand

/// One change of the journal. Batches of them are written in their order, each batch wholly or not at all.
enum JournalOperation: Sendable {
  case mailbox(JournaledMailbox)
  /// With all that is left in it.
  case mailboxGone(Int64)
  case accepted(handle: UInt64, mailbox: Int64, at: WallTime, StoredSubmission)
  /// Its bytes may leave from now on, and must not leave twice.
  case sending(handle: UInt64)
  /// It will have no event: it turned out not to be sendable before anybody was told of it.
  case withdrawn(handle: UInt64)
  case ended(mailbox: Int64, seq: UInt64, at: WallTime, StoredEvent, StoredResult)
  case happened(mailbox: Int64, seq: UInt64, at: WallTime, StoredEvent)
  /// Events up to `through` are done with, and the results that they told of.
  case acknowledged(mailbox: Int64, through: UInt64)
  /// Events that nobody has read are gone; the results are kept.
  case dropped(mailbox: Int64, from: UInt64, through: UInt64, count: UInt64)
  case key(IdempotencyKeys.ID, IdempotencyKeys.Entry)
  case keyGone(IdempotencyKeys.ID)
  case keysGone(before: WallTime)
  /// A result is gone; its event is kept if it still waits.
  case resultGone(mailbox: Int64, seq: UInt64)
}

/// A delegate's mailbox as it is on disk.
struct JournaledMailbox: Sendable, Equatable {
  let id: Int64
  let owner: UInt32
  let name: String
  var acknowledged: UInt64 = 0
  var droppedThrough: UInt64 = 0
  var droppedCount: UInt64 = 0
  /// What is to become of its events, sealed on disk; nil if nobody said so.
  var settings: [UInt8]?
}
