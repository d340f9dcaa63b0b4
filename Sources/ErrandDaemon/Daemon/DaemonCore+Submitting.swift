internal import Errand
internal import EventLoop

/// How a request comes in: checked, kept, begun, and told to whoever handed it over, in this order.
extension DaemonCore {
  /// `done` is told of it, or why it is not taken: at once for a volatile request, for a journaled one when it is on disk.
  func submit(_ submission: Submission, for owner: Owner, _ done: @escaping @LoopActor @Sendable (Result<RequestRecord, Problem>) -> Void) {
    let record: RequestRecord
    do throws(Problem) {
      record = try accept(submission, for: owner)
    } catch {
      return done(.failure(error))
    }
    guard record.isJournaled else { return done(begin(record, submission, isKept: true)) }
    journal.afterWriting { done(self.begin(record, submission, isKept: $0)) }
  }

  /// Checks a request and gives it its handle, under which nobody finds it yet. A journaled one is on its way to the disk.
  func accept(_ submission: Submission, for owner: Owner) throws(Problem) -> RequestRecord {
    guard !isDraining else { throw .unavailable("the daemon is ending and takes no more requests") }
    try check(submission, of: owner)
    if submission.durability == .journaled, let refusal = journal.refusal { throw refusal }
    let mailbox = try makeMailbox(DelegateID(owner: owner, name: submission.delegate), field: "/delegate")
    let handle = client.reserveHandle()
    guard reserve.covers(handle.id) else { throw .unavailable("no handles are left: the state directory can't be written") }
    let record = RequestRecord(handle, mailbox, RequestIdentity(submission, at: .now()), submission.durability)
    store.accepted(record, submission.durability == .journaled ? submission.stored : nil)
    return record
  }

  /// What only some may ask for.
  func check(_ submission: Submission, of owner: Owner) throws(Problem) {
    if submission.request.unixSocket != nil, !owner.isRoot, owner != ownOwner {
      throw .forbidden("only the user who runs the daemon may have it connect to a Unix socket", field: "/unix_socket")
    }
    try rules.filePolicy.check(submission.files, of: owner, ownOwner)
  }

  /// Hands an accepted request to the client; from now on it is found, and will have one outcome. `isKept`: what was to be on disk of it is.
  func begin(_ record: RequestRecord, _ submission: Submission, isKept: Bool) -> Result<RequestRecord, Problem> {
    guard isKept else {
      store.withdrawn(record)
      return .failure(journal.refusal ?? .journalUnavailable("the disk did not take it"))
    }
    record.isBegun = true
    // It is on disk, and the next run will have it.
    if isDraining, record.isJournaled { return .success(record) }
    if let refusal = run(record, submission, isReadmitted: false) {
      store.withdrawn(record)
      return .failure(.refused(refusal))
    }
    log.write(
      .debug, "accepted",
      [
        ("handle", record.handle.description), ("owner", record.owner.description), ("delegate", record.mailbox.id.name),
        ("method", record.method),
      ])
    return .success(record)
  }

  /// Gives why the client does not take it, if it doesn't.
  func run(_ record: RequestRecord, _ submission: Submission, isReadmitted: Bool) -> HttpClientError? {
    var request = submission.request
    request.owner = record.owner.description
    if submission.usesCookies { request.cookies = .jar(jars.jar(record.owner)) }
    var interests = submission.events.interests
    if record.isJournaled { interests.insert(.sending) }
    submitting = record
    client.submitOnLoop(request, handle: record.handle, sink: self, interests: interests, isReadmitted: isReadmitted)
    submitting = nil
    if record.url.isEmpty { record.url = client.url(record.handle) ?? record.url }
    let refusal = self.refusal
    self.refusal = nil
    if refusal == nil, submission.events.contains(.progress), record.end == nil {
      meters[record.handle] = TransferMeter(at: record.acceptedAt)
    }
    return refusal
  }
}
