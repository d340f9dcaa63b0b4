@testable import ErrandDaemon

extension DaemonCore {
  /// Submits a request that is taken or refused at once, as volatile ones are.
  func submitAtOnce(_ submission: Submission, for owner: Owner) throws(Problem) -> RequestRecord {
    let taken = try begin(try accept(submission, for: owner), submission, isKept: true).get()
    guard let record = taken.record else { throw .unavailable("nothing is kept of it") }
    return record
  }
}
