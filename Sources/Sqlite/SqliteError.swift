internal import CSQLite

/// What SQLite refused, and why.
public struct SqliteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What there is to do about it.
  public enum Kind: Sendable, Hashable {
    /// It may work later: no room, no memory, the disk fails or can't be written.
    case passing
    /// The file is not, or no longer, a sound database.
    case damaged
    /// Anything else: a fault of the program's own.
    case misuse
  }

  /// SQLite's extended result code.
  public let code: Int32
  public let message: String

  init(_ code: Int32, _ message: String) {
    self.code = code
    self.message = message
  }

  /// An error of the kind ``Kind/damaged`` that is found by other means than SQLite's.
  public static func damaged(_ message: String) -> SqliteError { SqliteError(SQLITE_CORRUPT, message) }

  /// There was no room for something that belongs to a change.
  public static func full(_ message: String) -> SqliteError { SqliteError(SQLITE_FULL, message) }
  /// Something that belongs to a change could not be written.
  public static func failed(_ message: String) -> SqliteError { SqliteError(SQLITE_IOERR, message) }

  public var kind: Kind {
    switch code & 0xFF {
    case SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_PERM, SQLITE_AUTH:
      .passing
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: .damaged
    default: .misuse
    }
  }

  /// There is no room, on the disk or under a limit.
  public var isFull: Bool { code & 0xFF == SQLITE_FULL }

  public var description: String { "\(message) (SQLite \(code))" }
}
