internal import Sqlite

/// What the journal says to SQLite, prepared once.
struct JournalStatements {
  let begin, commit, rollback: SqliteStatement
  let addMailbox, removeMailbox, acknowledge, noteDropped: SqliteStatement
  let addRequest, markSending, removeRequest, requestFiles: SqliteStatement
  let addEvent, removeEvents, removeUnkept, stopWaiting, removeUnwaiting, dropResult, eventFiles: SqliteStatement
  let addKey, removeKey, removeOldKeys: SqliteStatement
  let pageCount, freeCount, pageSize: SqliteStatement

  init(_ database: SqliteDatabase) throws(SqliteError) {
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    rollback = try database.prepare("ROLLBACK")
    addMailbox = try database.prepare("INSERT OR REPLACE INTO mailboxes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    removeMailbox = try database.prepare("DELETE FROM mailboxes WHERE id = ?1")
    acknowledge = try database.prepare("UPDATE mailboxes SET acknowledged = max(acknowledged, ?2) WHERE id = ?1")
    noteDropped = try database.prepare("UPDATE mailboxes SET dropped_through = ?2, dropped_count = ?3 WHERE id = ?1")
    addRequest = try database.prepare(
      "INSERT OR REPLACE INTO requests (handle, mailbox, accepted_at, files, submission) VALUES (?1, ?2, ?3, ?4, ?5)")
    markSending = try database.prepare("UPDATE requests SET sending = 1 WHERE handle = ?1")
    removeRequest = try database.prepare("DELETE FROM requests WHERE handle = ?1")
    requestFiles = try database.prepare("SELECT files FROM requests WHERE handle = ?1")
    addEvent = try database.prepare(
      "INSERT OR REPLACE INTO events (mailbox, seq, handle, at, files, frame, result, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
    removeEvents = try database.prepare("DELETE FROM events WHERE mailbox = ?1 AND seq BETWEEN ?2 AND ?3")
    removeUnkept = try database.prepare("DELETE FROM events WHERE mailbox = ?1 AND seq BETWEEN ?2 AND ?3 AND result IS NULL")
    stopWaiting = try database.prepare("UPDATE events SET waiting = 0 WHERE mailbox = ?1 AND seq BETWEEN ?2 AND ?3")
    removeUnwaiting = try database.prepare("DELETE FROM events WHERE mailbox = ?1 AND seq = ?2 AND waiting = 0")
    dropResult = try database.prepare("UPDATE events SET result = NULL, body = NULL, files = files & 2 WHERE mailbox = ?1 AND seq = ?2")
    eventFiles = try database.prepare(
      "SELECT seq, files, result IS NOT NULL, waiting FROM events WHERE mailbox = ?1 AND seq BETWEEN ?2 AND ?3 AND files <> 0")
    addKey = try database.prepare("INSERT OR REPLACE INTO idempotency_keys VALUES (?1, ?2, ?3, ?4, ?5)")
    removeKey = try database.prepare("DELETE FROM idempotency_keys WHERE owner = ?1 AND digest = ?2")
    removeOldKeys = try database.prepare("DELETE FROM idempotency_keys WHERE at < ?1")
    pageCount = try database.prepare("PRAGMA page_count")
    freeCount = try database.prepare("PRAGMA freelist_count")
    pageSize = try database.prepare("PRAGMA page_size")
  }
}

/// What can stand in a place of a statement.
protocol SqliteValue {
  func bind(to statement: SqliteStatement, _ index: Int32)
}

extension Int64: SqliteValue {
  func bind(to statement: SqliteStatement, _ index: Int32) { statement.bind(index, self) }
}

extension UInt64: SqliteValue {
  /// Numbers of handles and events stay below half of the range.
  func bind(to statement: SqliteStatement, _ index: Int32) { statement.bind(index, Int64(clamping: self)) }
}

extension String: SqliteValue {
  func bind(to statement: SqliteStatement, _ index: Int32) { statement.bind(index, self) }
}

extension [UInt8]: SqliteValue {
  func bind(to statement: SqliteStatement, _ index: Int32) { statement.bind(index, self) }
}

extension SqliteStatement {
  /// Runs it with values in its places, NULL for nil.
  func run<each Value: SqliteValue>(_ value: repeat (each Value)?) throws(SqliteError) {
    var index: Int32 = 1
    for value in repeat each value {
      if let value { value.bind(to: self, index) } else { bind(index, nil as Int64?) }
      index += 1
    }
    try run()
  }

  /// The number in its one row.
  func number() throws(SqliteError) -> Int64 {
    let number = try step() ? integer(0) : 0
    reset()
    return number
  }
}
