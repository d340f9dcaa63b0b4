internal import Errand
internal import EventLoop

/// How a request comes in: checked, kept, begun, and told to whoever handed it over, in this order.
extension DaemonCore {
  /// `done` is told of it, or why it is not taken: at once for a volatile request, for a journaled one when it is on disk.
  func submit(_ submission: Submission, for owner: Owner, _ done: @escaping @LoopActor @Sendable (Result<TakenRequest, Problem>) -> Void) {
    let acceptance: Acceptance
    do throws(Problem) {
      acceptance = try accept(submission, for: owner)
    } catch {
      return done(.failure(error))
    }
    if case .new(let record) = acceptance, !record.isJournaled { return done(begin(acceptance, submission, isKept: true)) }
    journal.afterWriting { done(self.begin(acceptance, submission, isKept: $0)) }
  }

  /// Checks a request and gives it its handle, under which nobody finds it yet. A journaled one is on its way to the disk.
  func accept(_ submission: Submission, for owner: Owner) throws(Problem) -> Acceptance {
    guard !isDraining else { throw .unavailable("the daemon is ending and takes no more requests") }
    let key = submission.idempotencyKey.map { IdempotencyKeys.ID(owner, $0) }
    if let key, let entry = keys[key] {
      guard entry.fingerprint == submission.fingerprint else { throw .idempotencyConflict(RequestHandle(id: entry.handle)) }
      return .repeated(key, RequestHandle(id: entry.handle))
    }
    try check(submission, of: owner)
    if let deadline = submission.deadline, deadline.microseconds <= WallTime.now().microseconds {
      throw .invalidValue("/deadline", "has passed already")
    }
    if key != nil, keys.isFull(owner) {
      throw .tooMany("idempotency keys", limit: "idempotency_keys_per_owner", keys.limit, field: "/idempotency_key")
    }
    if submission.durability == .journaled, let refusal = journal.refusal { throw refusal }
    let mailbox = try makeMailbox(DelegateID(owner: owner, name: submission.delegate), field: "/delegate")
    let handle = client.reserveHandle()
    guard reserve.covers(handle.id) else { throw .unavailable("no handles are left: the state directory can't be written") }
    let record = RequestRecord(handle, mailbox, RequestIdentity(submission, at: .now()), submission.durability)
    store.accepted(record, submission.durability == .journaled ? submission.stored : nil)
    if let key {
      record.idempotencyKey = key
      keys.add(key, IdempotencyKeys.Entry(handle: handle.id, fingerprint: submission.fingerprint, at: .now()), submission.durability)
    }
    return .new(record)
  }

  /// What only some may ask for.
  func check(_ submission: Submission, of owner: Owner) throws(Problem) {
    if submission.request.unixSocket != nil, !owner.isRoot, owner != ownOwner {
      throw .forbidden("only the user who runs the daemon may have it connect to a Unix socket", field: "/unix_socket")
    }
    try rules.filePolicy.check(submission.files, of: owner, ownOwner)
  }

  /// Hands an accepted request to the client; from now on it is found, and will have one outcome. `isKept`: what was to be on disk of it is.
  func begin(_ acceptance: Acceptance, _ submission: Submission, isKept: Bool) -> Result<TakenRequest, Problem> {
    switch acceptance {
    case .new(let record):
      if let problem = begin(record, submission, isKept: isKept) {
        withdraw(record)
        return .failure(problem)
      }
      return .success(TakenRequest(handle: record.handle, record: record, isRepeated: false))
    case .repeated(let key, let handle):
      // The first one may not have been taken after all.
      guard keys[key]?.handle == handle.id else { return .failure(journal.refusal ?? .journalUnavailable("the disk did not take it")) }
      return .success(TakenRequest(handle: handle, record: store.record(handle), isRepeated: true))
    }
  }

  private func begin(_ record: RequestRecord, _ submission: Submission, isKept: Bool) -> Problem? {
    guard isKept else { return journal.refusal ?? .journalUnavailable("the disk did not take it") }
    record.isBegun = true
    // It is on disk, and the next run will have it.
    if isDraining, record.isJournaled { return nil }
    if let refusal = run(record, submission, isReadmitted: false) { return .refused(refusal) }
    log.write(
      .debug, "accepted",
      [
        ("handle", record.handle.description), ("owner", record.owner.description), ("delegate", record.mailbox.id.name),
        ("method", record.method),
      ])
    return nil
  }

  private func withdraw(_ record: RequestRecord) {
    store.withdrawn(record)
    if let key = record.idempotencyKey { keys.remove(key) }
  }

  /// Gives why the client does not take it, if it doesn't.
  func run(_ record: RequestRecord, _ submission: Submission, isReadmitted: Bool) -> HttpClientError? {
    var request = submission.request
    request.owner = record.owner.description
    request.egress = rules.egress.policy(of: record.owner)
    if let start = submission.notBefore { request.startDelay = max(.zero, WallTime.now().duration(to: start)) }
    if let deadline = submission.deadline { request.timeouts.deadline = max(.milliseconds(1), WallTime.now().duration(to: deadline)) }
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

/// What became of a request that was handed over, before it is told.
enum Acceptance: Sendable {
  case new(RequestRecord)
  /// It was handed over before, under the same key.
  case repeated(IdempotencyKeys.ID, RequestHandle)
}

/// A request that was taken, now or before.
struct TakenRequest: Sendable {
  let handle: RequestHandle
  /// nil if nothing more is kept of it.
  let record: RequestRecord?
  let isRepeated: Bool
}
