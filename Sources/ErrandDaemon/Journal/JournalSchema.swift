internal import Sqlite

/// The tables of the journal, and how older ones become today's. What is secret, or may be, is in sealed columns only.
enum JournalSchema {
  // Rows of about a kilobyte: in a table without row ids each would have a page of its own beside its tree.

  /// Each takes the schema one version on; the database's `user_version` counts those that were applied.
  static let migrations = [
    """
    CREATE TABLE mailboxes (
      id INTEGER PRIMARY KEY,
      owner INTEGER NOT NULL,
      name TEXT NOT NULL,
      acknowledged INTEGER NOT NULL,
      dropped_through INTEGER NOT NULL,
      dropped_count INTEGER NOT NULL
    );
    CREATE TABLE requests (
      handle INTEGER PRIMARY KEY,
      mailbox INTEGER NOT NULL,
      accepted_at INTEGER NOT NULL,
      sending INTEGER NOT NULL DEFAULT 0,
      files INTEGER NOT NULL,
      submission BLOB NOT NULL
    );
    CREATE TABLE events (
      mailbox INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      handle INTEGER,
      at INTEGER NOT NULL,
      waiting INTEGER NOT NULL DEFAULT 1,
      files INTEGER NOT NULL,
      frame BLOB NOT NULL,
      result BLOB,
      body BLOB,
      PRIMARY KEY (mailbox, seq)
    );
    CREATE INDEX events_with_files ON events (mailbox, seq) WHERE files <> 0;
    """,
    """
    CREATE TABLE idempotency_keys (
      owner INTEGER NOT NULL,
      digest BLOB NOT NULL,
      handle INTEGER NOT NULL,
      fingerprint BLOB NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (owner, digest)
    ) WITHOUT ROWID;
    CREATE INDEX idempotency_keys_by_age ON idempotency_keys (at);
    """,
    "ALTER TABLE mailboxes ADD COLUMN settings BLOB;",
  ]

  /// Brings the tables up to date. Throws for those of a later version.
  static func prepare(_ database: SqliteDatabase) throws(SqliteError) {
    let version = Int(try database.integer("PRAGMA user_version") ?? 0)
    guard version <= migrations.count else {
      throw .damaged(
        "its tables are of version \(version), and this errandd knows up to \(migrations.count): it was written by a later one")
    }
    for (index, sql) in migrations.enumerated().dropFirst(version) {
      try database.run("BEGIN IMMEDIATE; \(sql) PRAGMA user_version = \(index + 1); COMMIT")
    }
  }
}
