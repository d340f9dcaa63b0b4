internal import EventLoop
internal import Glibc

/// Whether an attempt that failed is the last.
extension RequestEngine {
  enum AfterFailure {
    /// It waits for its next attempt.
    case retried
    /// `words`: why, to be added to the message; empty if nobody asked for retries.
    case final(words: String)
  }

  /// An attempt failed, and its machine has not been told yet.
  func failed(_ item: RequestItem, _ cause: RetryCause, _ reason: String, isProcessed: Bool = true) -> AfterFailure {
    reportToBreaker(item, .failure)
    guard item.rules.retry.max > 0 else { return .final(words: "") }
    // What a delegate has been told of a response can't be taken back.
    let isTold = item.taker?.mayStartAnew == false || !item.interests.isDisjoint(with: [.head, .bodyChunks])
    if item.head != nil, isTold { return .final(words: "") }
    switch decision(item, .failed(cause), sent: isProcessed ? item.machine.sentInExchange : item.machine.sentBefore) {
    case .retry(let wait):
      retry(item, reason, after: wait)
      apply(item.machine.failedForNow(cause, isProcessed: isProcessed), to: item)
      return .retried
    case .final(let reason):
      return .final(words: note(reason, item).map { "; \($0)" } ?? "")
    }
  }

  /// The head of a response came: whether the response is not the last.
  func isToBeRetried(_ item: RequestItem, status: Int, retryAfter: String?) -> Bool {
    switch decision(item, .status(status, retryAfter: retryAfter), sent: item.machine.sentInExchange) {
    case .retry(let wait):
      item.followUp = .retry(after: wait)
      return true
    case .final(let reason):
      _ = note(reason, item)
      return false
    }
  }

  /// Puts the next attempt off.
  func retry(_ item: RequestItem, _ reason: String, after wait: Duration) {
    item.add(retryOf: item.machine.attempts, reason, .after(wait))
    counters.retried += 1
    item.forgetResponse()
    backOff(item, for: wait)
  }

  private func decision(_ item: RequestItem, _ end: RetryPolicy.End, sent: SentState) -> RetryPolicy.Decision {
    let now = EventLoop.shared.now
    var remaining: Duration?
    if case let total = item.rules.nanoseconds(of: .total), total > 0, let granted = item.stamps.granted {
      remaining = now.duration(to: granted + .nanoseconds(total))
    }
    let attempt = RetryPolicy.Attempt(
      number: item.machine.retries + 1, isRepeatable: item.machine.isRepeatable, sent: sent, remaining: remaining)
    let decision = item.rules.retry.decision(after: end, of: attempt, wallClock: Int64(time(nil)), random: randomPart())
    guard case .retry = decision else { return decision }
    guard item.canReplayBody else { return .final(.bodyWasSent) }
    if refusalByBreaker(item.origin) != nil { return .final(.refused) }
    guard let settings = configuration.retryBudget else { return decision }
    let isAllowed = budgets.with(item.origin.host, else: RetryBudget(settings), at: now) { $0.takeRetry(at: now) }
    return isAllowed ? decision : .final(.overBudget)
  }

  /// Says in the timeline why there is no other attempt, where that is not plain to see.
  private func note(_ reason: RetryPolicy.Reason, _ item: RequestItem) -> String? {
    let words: String
    switch reason {
    case .notAsked, .noTriesLeft: return nil
    case .unsafe: words = "\(item.method) is not idempotent, and the server may have acted on it"
    case .pastDeadline(let wait): words = "the wait of \(wait.forPeople) would go past the total timeout"
    case .overBudget:
      words = "the retry budget of \(item.origin.host) is used up"
      counters.retriesWithheld += 1
    case .bodyWasSent: words = StreamSource.wasSent
    case .refused: words = "the circuit breaker of \(item.origin) is open"
    }
    item.add(retryOf: item.machine.attempts, words, .never)
    return "no other try: \(words)"
  }

  /// A request that may be retried adds to what its host may get.
  func addToBudget(_ item: RequestItem) {
    guard item.rules.retry.max > 0, item.machine.attempts == 0, let settings = configuration.retryBudget else { return }
    let now = EventLoop.shared.now
    budgets.with(item.origin.host, else: RetryBudget(settings), at: now) { $0.firstTry(at: now) }
  }
}
