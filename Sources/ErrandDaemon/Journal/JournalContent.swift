internal import Errand
internal import Sqlite

/// All that a journal holds, as it is read when the daemon starts.
struct JournalContent: Sendable {
  struct Request: Sendable {
    let handle: UInt64
    let mailbox: Int64
    let acceptedAt: WallTime
    /// Its bytes may have left.
    let isSending: Bool
    /// nil if it can't be read.
    let submission: StoredSubmission?
  }

  struct Event: Sendable {
    let mailbox: Int64
    let seq: UInt64
    let at: WallTime
    let event: StoredEvent
    /// Nobody has acknowledged it, and it was not dropped.
    let isWaiting: Bool
    /// Whose outcome it is; nil for other events.
    let handle: UInt64?
    /// nil once it was dropped.
    let stored: StoredResult?
  }

  var mailboxes: [JournaledMailbox] = []
  /// In order of acceptance.
  var requests: [Request] = []
  /// By mailbox, and in each in order.
  var events: [Event] = []
  /// In order of acceptance.
  var keys: [(IdempotencyKeys.ID, IdempotencyKeys.Entry)] = []
  /// Events that can't be read, and were left out.
  var unreadable = 0
}

extension JournalFile {
  /// Reads all of it, and does away with what belongs to nothing.
  func load() throws(JournalFault) -> JournalContent {
    var content = JournalContent()
    var names: Set<String> = []
    do throws(SqliteError) {
      // Whatever is wrong with the file is better known now than in the middle of a commit.
      let check = try select("PRAGMA quick_check(1)")
      if try check.step(), check.text(0) != "ok" { throw .damaged(check.text(0)) }
      try loadMailboxes(&content)
      try loadRequests(&content, &names)
      try loadEvents(&content, &names)
      try loadKeys(&content)
    } catch {
      throw JournalFault(error, path)
    }
    tidy(names)
    return content
  }

  private func loadMailboxes(_ content: inout JournalContent) throws(SqliteError) {
    let rows = try select("SELECT id, owner, name, acknowledged, dropped_through, dropped_count, settings FROM mailboxes ORDER BY id")
    while try rows.step() {
      content.mailboxes.append(
        JournaledMailbox(
          id: rows.integer(0), owner: UInt32(clamping: rows.integer(1)), name: rows.text(2),
          acknowledged: UInt64(clamping: rows.integer(3)),
          droppedThrough: UInt64(clamping: rows.integer(4)), droppedCount: UInt64(clamping: rows.integer(5)),
          settings: rows.isNull(6)
            ? nil : vault.load(rows.bytes(6), isFile: false, at: JournalVault.Place(kind: .settings, a: rows.integer(0)))))
    }
  }

  private func loadRequests(_ content: inout JournalContent, _ names: inout Set<String>) throws(SqliteError) {
    let rows = try select("SELECT handle, mailbox, accepted_at, sending, files, submission FROM requests ORDER BY handle")
    while try rows.step() {
      let place = JournalVault.Place(kind: .submission, a: rows.integer(0))
      let isFile = rows.integer(4) != 0
      if isFile { names.insert(place.name) }
      content.requests.append(
        JournalContent.Request(
          handle: UInt64(clamping: rows.integer(0)), mailbox: rows.integer(1), acceptedAt: WallTime(microseconds: rows.integer(2)),
          isSending: rows.integer(3) != 0,
          submission: vault.load(rows.bytes(5), isFile: isFile, at: place).flatMap { StoredSubmission($0) }))
    }
  }

  private func loadEvents(_ content: inout JournalContent, _ names: inout Set<String>) throws(SqliteError) {
    let rows = try select(
      "SELECT mailbox, seq, handle, at, waiting, files, frame, result, body IS NOT NULL FROM events ORDER BY mailbox, seq")
    while try rows.step() {
      let (mailbox, seq, files) = (rows.integer(0), rows.integer(1), rows.integer(5))
      func place(_ kind: JournalVault.Kind) -> JournalVault.Place { JournalVault.Place(kind: kind, a: mailbox, b: seq) }
      for kind in JournalVault.Kind.allCases where files & kind.rawValue != 0 { names.insert(place(kind).name) }
      func text(_ kind: JournalVault.Kind, _ column: Int32) -> [UInt8]? {
        vault.load(rows.bytes(column), isFile: files & kind.rawValue != 0, at: place(kind))
      }
      guard let frame = text(.frame, 6), let event = StoredEvent(frame: frame) else {
        content.unreadable += 1
        continue
      }
      let (number, at) = (UInt64(clamping: seq), WallTime(microseconds: rows.integer(3)))
      let handle = rows.isNull(2) ? nil : UInt64(clamping: rows.integer(2))
      let stored =
        rows.isNull(7)
        ? nil
        : text(.result, 7).flatMap {
          StoredResult($0, of: event, handle: handle ?? 0, seq: number, at: at, hasBody: rows.integer(8) != 0)
        }
      content.events.append(
        JournalContent.Event(
          mailbox: mailbox, seq: number, at: at, event: event, isWaiting: rows.integer(4) != 0,
          handle: handle, stored: stored))
    }
  }

  private func loadKeys(_ content: inout JournalContent) throws(SqliteError) {
    let rows = try select("SELECT owner, digest, handle, fingerprint, at FROM idempotency_keys ORDER BY at")
    while try rows.step() {
      content.keys.append(
        (
          IdempotencyKeys.ID(owner: UInt32(clamping: rows.integer(0)), digest: rows.bytes(1)),
          IdempotencyKeys.Entry(
            handle: UInt64(clamping: rows.integer(2)), fingerprint: rows.bytes(3), at: WallTime(microseconds: rows.integer(4)))
        ))
    }
  }

  /// The body of a result; nil if it has none, or it is gone.
  func body(mailbox: Int64, seq: UInt64) throws(JournalFault) -> [UInt8]? {
    let row: SqliteStatement
    do throws(SqliteError) {
      row = try select("SELECT body, files FROM events WHERE mailbox = ?1 AND seq = ?2 AND body IS NOT NULL")
      row.bind(1, mailbox)
      row.bind(2, Int64(clamping: seq))
      guard try row.step() else { return nil }
    } catch {
      throw JournalFault(error, path)
    }
    let place = JournalVault.Place(kind: .body, a: mailbox, b: Int64(clamping: seq))
    return vault.load(row.bytes(0), isFile: row.integer(1) & JournalVault.Kind.body.rawValue != 0, at: place)
  }
}
