internal import Errand
internal import EventLoop
import Glibc
internal import Sqlite

/// The journal on disk: a SQLite database in WAL mode, and beside it a folder of large contents. For one thread at a time; blocks: not for the loop.
final class JournalFile {
  let path: String
  private let database: SqliteDatabase
  let vault: JournalVault
  private let statements: JournalStatements
  /// Files whose rows are gone with the transaction that is open.
  private var goneFiles: [String] = []
  /// Bytes of the files beside the database.
  private var fileBytes: Int64

  /// Opens `journal.db` in the state directory, or makes it.
  init(in stateDirectory: String, _ settings: JournalSettings) throws(JournalFault) {
    let path = stateDirectory + "/journal.db"
    self.path = path
    // SQLite would make it as readable as the process's mask allows; the files beside it have its permission.
    let made = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if made >= 0 { close(made) }
    do throws(SqliteError) {
      database = try SqliteDatabase(path)
      // Each of these needs to come before the first table. What is deleted leaves no trace in the file.
      try database.run(
        "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = FAST; PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 67108864")
      try database.run("PRAGMA synchronous = \(settings.synchronous == "normal" ? "NORMAL" : "FULL"); PRAGMA temp_store = MEMORY")
      // Most of what is written is deleted soon: what was in the log only is never written a second time.
      try database.run("PRAGMA wal_autocheckpoint = 8192; PRAGMA cache_size = -16384")
      try JournalSchema.prepare(database)
      statements = try JournalStatements(database)
    } catch {
      throw JournalFault(error, path)
    }
    let isUsed: Bool
    do throws(SqliteError) {
      isUsed = try database.integer("SELECT EXISTS (SELECT 1 FROM requests) OR EXISTS (SELECT 1 FROM events)") == 1
    } catch {
      throw JournalFault(error, path)
    }
    vault = try JournalVault(
      directory: stateDirectory + "/journal.d", keyPath: stateDirectory + "/journal.key", inlineBytes: settings.inlineBytes,
      needsKey: isUsed)
    fileBytes = 0
  }

  // MARK: Writing

  /// Writes the batch wholly, or nothing of it. Returns once it is as safe as `synchronous` says.
  func write(_ batch: [JournalOperation]) throws(JournalFault) {
    goneFiles = []
    do throws(SqliteError) {
      try statements.begin.run()
    } catch {
      throw JournalFault(error, path)
    }
    do throws(JournalFault) {
      for operation in batch {
        do throws(SqliteError) {
          try write(operation)
        } catch {
          throw JournalFault(error, path)
        }
      }
      do throws(SqliteError) {
        try statements.commit.run()
      } catch {
        throw JournalFault(error, path)
      }
    } catch {
      if database.isInTransaction { try? statements.rollback.run() }
      throw error
    }
    for name in goneFiles { vault.remove(name) }
    if !goneFiles.isEmpty { fileBytes = vault.byteCount }
    goneFiles = []
  }

  private func write(_ operation: JournalOperation) throws(SqliteError) {
    switch operation {
    case .mailbox(let mailbox):
      try statements.addMailbox.run(
        mailbox.id, Int64(mailbox.owner), mailbox.name, mailbox.acknowledged, mailbox.droppedThrough, mailbox.droppedCount,
        mailbox.settings.flatMap { vault.seal($0, at: JournalVault.Place(kind: .settings, a: mailbox.id)) })
    case .mailboxGone(let id):
      try noteFiles(of: id, 0, .max)
      try statements.removeMailbox.run(id)
      try statements.removeEvents.run(id, UInt64(0), UInt64(Int64.max))
    case .accepted(let handle, let mailbox, let at, let submission):
      let content = try store(submission.bytes, .submission, Int64(handle))
      try statements.addRequest.run(
        handle, mailbox, at.microseconds, content.isFile ? JournalVault.Kind.submission.rawValue : 0, content.bytes)
    case .sending(let handle): try statements.markSending.run(handle)
    case .withdrawn(let handle): try removeRequest(handle)
    case .ended(let mailbox, let seq, let at, let event, let stored):
      try removeRequest(stored.result.handle)
      try addEvent(mailbox, seq, at, event, stored)
    case .happened(let mailbox, let seq, let at, let event): try addEvent(mailbox, seq, at, event, nil)
    case .acknowledged(let mailbox, let through):
      try statements.acknowledge.run(mailbox, through)
      try noteFiles(of: mailbox, 0, through)
      try statements.removeEvents.run(mailbox, UInt64(0), through)
    case .dropped(let mailbox, let from, let through, let count):
      try statements.noteDropped.run(mailbox, through, count)
      try noteFiles(of: mailbox, from, through, " AND result IS NULL")
      try statements.removeUnkept.run(mailbox, from, through)
      try statements.stopWaiting.run(mailbox, from, through)
    case .key(let id, let entry):
      try statements.addKey.run(Int64(id.owner), id.digest, entry.handle, entry.fingerprint, entry.at.microseconds)
    case .keyGone(let id): try statements.removeKey.run(Int64(id.owner), id.digest)
    case .keysGone(let before): try statements.removeOldKeys.run(before.microseconds)
    case .resultGone(let mailbox, let seq):
      try noteFiles(of: mailbox, seq, seq, " AND waiting = 0")
      try statements.removeUnwaiting.run(mailbox, seq)
      try noteBody(of: mailbox, seq)
      try statements.dropResult.run(mailbox, seq)
    }
  }

  private func addEvent(
    _ mailbox: Int64, _ seq: UInt64, _ at: WallTime, _ event: StoredEvent, _ stored: StoredResult?
  ) throws(SqliteError) {
    var files: Int64 = 0
    func content(_ bytes: [UInt8]?, _ kind: JournalVault.Kind) throws(SqliteError) -> [UInt8]? {
      guard let bytes else { return nil }
      let (stored, isFile) = try store(bytes, kind, mailbox, Int64(seq))
      if isFile { files |= kind.rawValue }
      return stored
    }
    let frame = try content(event.frame, .frame)
    let result = try content(stored?.bytes, .result)
    let body = try content(stored?.result.body, .body)
    try statements.addEvent.run(mailbox, seq, stored?.result.handle, at.microseconds, files, frame, result, body)
  }

  private func removeRequest(_ handle: UInt64) throws(SqliteError) {
    statements.requestFiles.bind(1, Int64(handle))
    if try statements.requestFiles.step(), statements.requestFiles.integer(0) != 0 {
      goneFiles.append(JournalVault.Place(kind: .submission, a: Int64(handle)).name)
    }
    statements.requestFiles.reset()
    try statements.removeRequest.run(handle)
  }

  /// Remembers the files of rows that are about to go.
  private func noteFiles(of mailbox: Int64, _ from: UInt64, _ through: UInt64, _ condition: String = "") throws(SqliteError) {
    let statement = statements.eventFiles
    statement.bind(1, mailbox)
    statement.bind(2, Int64(clamping: from))
    statement.bind(3, Int64(clamping: through))
    while try statement.step() {
      let (seq, files, hasResult, isWaiting) = (
        statement.integer(0), statement.integer(1), statement.integer(2) != 0, statement.integer(3) != 0
      )
      if condition.contains("result"), hasResult { continue }
      if condition.contains("waiting"), isWaiting { continue }
      for kind in JournalVault.Kind.allCases where files & kind.rawValue != 0 {
        goneFiles.append(JournalVault.Place(kind: kind, a: mailbox, b: seq).name)
      }
    }
  }

  /// Remembers the files of a result whose event stays.
  private func noteBody(of mailbox: Int64, _ seq: UInt64) throws(SqliteError) {
    let statement = statements.eventFiles
    statement.bind(1, mailbox)
    statement.bind(2, Int64(clamping: seq))
    statement.bind(3, Int64(clamping: seq))
    while try statement.step() {
      for kind in [JournalVault.Kind.result, .body] where statement.integer(1) & kind.rawValue != 0 {
        goneFiles.append(JournalVault.Place(kind: kind, a: mailbox, b: statement.integer(0)).name)
      }
    }
  }

  private func store(
    _ bytes: [UInt8], _ kind: JournalVault.Kind, _ a: Int64, _ b: Int64 = 0
  ) throws(SqliteError) -> (bytes: [UInt8], isFile: Bool) {
    do throws(JournalFault) {
      let stored = try vault.store(bytes, at: JournalVault.Place(kind: kind, a: a, b: b))
      if stored.isFile { fileBytes += Int64(bytes.count) }
      return stored
    } catch {
      throw error.isFull ? .full(error.description) : .failed(error.description)
    }
  }

  // MARK: Keeping house

  /// Bytes that the journal takes, what is free inside of it aside.
  func byteCount() throws(JournalFault) -> Int64 {
    do throws(SqliteError) {
      let pages = try statements.pageCount.number() - statements.freeCount.number()
      return pages * (try statements.pageSize.number()) + fileBytes
    } catch {
      throw JournalFault(error, path)
    }
  }

  /// Gives back the memory that a burst has left with SQLite.
  func shrink() { try? database.run("PRAGMA shrink_memory") }

  /// Gives up to `pages` free pages of the database back to the file system. False if there were none worth the while.
  func vacuum(pages: Int) -> Bool {
    do throws(SqliteError) {
      guard try statements.freeCount.number() > 1_024 else { return false }
      try database.run("PRAGMA incremental_vacuum(\(pages))")
      return true
    } catch {
      return false
    }
  }

  /// Counts the files beside the database anew, without those that no row names.
  func tidy(_ names: Set<String>) {
    vault.removeAll(but: names)
    fileBytes = vault.byteCount
  }

  func select(_ sql: String) throws(SqliteError) -> SqliteStatement { try database.prepare(sql) }

  /// The log goes into the database: what is opened next starts from there.
  func checkpoint() { try? database.run("PRAGMA wal_checkpoint(TRUNCATE)") }
}
