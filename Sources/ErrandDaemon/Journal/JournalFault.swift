internal import Sqlite

/// Why the journal can't be read or written, in words for its operator.
struct JournalFault: Error, Sendable, Equatable, CustomStringConvertible {
  let description: String
  /// It does not pass by itself: what is on disk is damaged.
  let isLasting: Bool
  /// There is no room.
  let isFull: Bool

  init(_ words: String, isLasting: Bool, isFull: Bool = false) {
    description = words
    self.isLasting = isLasting
    self.isFull = isFull
  }

  init(_ error: SqliteError, _ path: String) {
    self.init("\(path): \(error)", isLasting: error.kind != .passing, isFull: error.isFull)
  }
}
