internal import EventLoop

/// The circuit breakers of origins.
extension RequestEngine {
  /// Why the origin's breaker refuses requests just now; nil if it does not.
  func refusalByBreaker(_ origin: Origin) -> Refusal? {
    guard configuration.circuitBreaker != nil, let breaker = breakers[origin] else { return nil }
    let now = EventLoop.shared.now
    guard breaker.refuses(at: now) else { return nil }
    let cause = "the circuit breaker of \(origin) is open after \(breaker.cause)"
    guard case .open(let until) = breaker.state else {
      return Refusal(words: "\(cause), and a trial request is under way")
    }
    let remaining = now.duration(to: until)
    return Refusal(words: "\(cause), and tries again in \(remaining.forPeople)", retryAfter: remaining)
  }

  /// Asks the origin's breaker for an attempt; false if it refuses.
  func isLetThrough(_ item: RequestItem) -> Bool {
    guard let settings = configuration.circuitBreaker, item.pass == nil else { return true }
    let now = EventLoop.shared.now
    item.pass = breakers.with(item.origin, else: CircuitBreaker(settings), at: now) { $0.admit(at: now) }
    return item.pass != nil
  }

  /// Tells the breaker how the attempt ended, once.
  func reportToBreaker(_ item: RequestItem, _ result: CircuitBreaker.Result) {
    guard let pass = item.pass, let settings = configuration.circuitBreaker else { return }
    item.pass = nil
    let now = EventLoop.shared.now
    breakers.with(item.origin, else: CircuitBreaker(settings), at: now) { $0.ended(pass, result, at: now) }
  }

  func reportToBreaker(_ item: RequestItem, status: Int) {
    guard item.pass != nil, let settings = configuration.circuitBreaker else { return }
    reportToBreaker(item, settings.statuses.contains(status) ? .failure : .success)
  }

  /// The request ended in an attempt of which the breaker was not told yet.
  func reportToBreaker(_ item: RequestItem, _ finish: RequestStateMachine.Finish) {
    guard item.pass != nil else { return }
    switch finish {
    case .cancelled: reportToBreaker(item, .neither)
    case .response: reportToBreaker(item, .success)
    case .failure(let code, _, _):
      let isCallers: Bool = [.invalidRequest, .denied, .queueFull, .tooLarge, .cancelled].contains(code)
      reportToBreaker(item, isCallers ? .neither : .failure)
    }
  }
}
