internal import CSQLite

/// A prepared statement. Places are counted from 1, columns from 0, as SQLite does. Belongs to its database's thread.
public final class SqliteStatement {
  private let handle: OpaquePointer
  /// A statement must not outlive its connection.
  private let database: SqliteDatabase

  init(_ handle: OpaquePointer, _ database: SqliteDatabase) {
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  /// Puts a whole number, or NULL, in a place.
  public func bind(_ index: Int32, _ value: Int64?) {
    if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
  }

  /// Puts a text in a place.
  public func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { _ = errand_bind_text(handle, index, $0.baseAddress, Int32(clamping: $0.count)) }
    }
  }

  /// Puts bytes, or NULL, in a place.
  public func bind(_ index: Int32, _ bytes: [UInt8]?) {
    guard let bytes else {
      sqlite3_bind_null(handle, index)
      return
    }
    // Without bytes there may be no address, and SQLite would take that for NULL.
    guard !bytes.isEmpty else {
      sqlite3_bind_zeroblob(handle, index, 0)
      return
    }
    bytes.withUnsafeBytes { _ = errand_bind_blob(handle, index, $0.baseAddress, Int64($0.count)) }
  }

  /// Goes on to the next row: false if there is none, and the statement then stands at its start again.
  public func step() throws(SqliteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    default:
      let error = database.error
      sqlite3_reset(handle)
      throw error
    }
  }

  /// Runs it to its end, without looking at rows; what was bound is let go.
  public func run() throws(SqliteError) {
    while try step() {}
    sqlite3_clear_bindings(handle)
  }

  /// Gives up the rows that are left.
  public func reset() { sqlite3_reset(handle) }

  /// A column as a whole number; 0 for NULL.
  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// Whether a column is NULL.
  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// A column as text; empty for NULL.
  public func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// A column's bytes; none for NULL.
  public func bytes(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }
}
