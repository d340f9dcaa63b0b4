internal import EventLoop

/// Warns of TLS connections whose certificate was not verified: of each server once, so that it is seen and does not fill the log.
final class UnverifiedNotice: Sendable {
  private static let limit = 10_000

  private let log: Log
  private let told = Locked<Set<String>>([])

  init(_ log: Log) {
    self.log = log
  }

  /// `words` name the server.
  func tell(_ words: String) {
    let isNew = told.withLock { told in
      if told.count >= UnverifiedNotice.limit { told = [] }
      return told.insert(words).inserted
    }
    if isNew { log.write(.warning, "TLS without verification", [("what", words)]) }
  }
}
