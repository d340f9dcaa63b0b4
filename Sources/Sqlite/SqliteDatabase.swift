internal import CSQLite

/// One connection to a database in a file. For one thread at a time; blocks: not for the loop.
public final class SqliteDatabase {
  private let handle: OpaquePointer

  /// Opens the file, makes it if it is not there. It waits up to five seconds for others that hold it.
  public init(_ path: String) throws(SqliteError) {
    var opened: OpaquePointer?
    // No mutex: whoever has the connection sees to it that one thread uses it at a time.
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened else { throw SqliteError(code, "no memory") }
    guard code == SQLITE_OK else {
      let error = SqliteDatabase.error(opened)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_extended_result_codes(opened, 1)
    sqlite3_busy_timeout(opened, 5_000)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs statements that give no rows, or whose rows nobody wants; more than one are divided by `;`.
  public func run(_ sql: String) throws(SqliteError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error }
  }

  /// Prepares one statement for repeated use.
  public func prepare(_ sql: String) throws(SqliteError) -> SqliteStatement {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK, let statement else {
      throw error
    }
    return SqliteStatement(statement, self)
  }

  /// The whole number in the first column of the first row; nil if there is none.
  public func integer(_ sql: String) throws(SqliteError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// A transaction is open: one that failed may have been rolled back by SQLite itself.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  var error: SqliteError { SqliteDatabase.error(handle) }

  private static func error(_ handle: OpaquePointer) -> SqliteError {
    SqliteError(sqlite3_extended_errcode(handle), String(cString: sqlite3_errmsg(handle)))
  }
}
