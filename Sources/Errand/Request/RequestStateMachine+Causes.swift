/// What the end of an attempt would mean, asked before the machine is told: whether another follows is the policy's to say.
extension RequestStateMachine {
  /// What the loss of its connection would be to the policy; nil if the request is not on one, or would go out again at once.
  var causeIfLost: RetryCause? {
    guard case .exchanging(let exchange) = state, !isStale(exchange) else { return nil }
    return exchange.responseStarted ? .truncated : .connectionLost
  }

  /// The same where the peer gives up this request alone.
  var causeIfReset: RetryCause? {
    guard case .exchanging(let exchange) = state else { return nil }
    return exchange.responseStarted ? .truncated : .connectionLost
  }

  /// The same where the peer says that it did nothing with it.
  var causeIfNotProcessed: RetryCause? {
    guard case .exchanging = state, refusalsLeft == 0 else { return nil }
    return .connectionLost
  }

  func cause(of timer: Timer) -> RetryCause? {
    switch (timer, state) {
    case (.connect, .connecting): .connectTimeout
    case (.firstByte, .exchanging): .firstByteTimeout
    case (.idle, .exchanging): .idleTimeout
    case (.connect, _), (.firstByte, _), (.idle, _), (.queue, _), (.total, _), (.backOff, _), (.start, _), (.deadline, _): nil
    }
  }

  /// The loss of its connection would have it sent again at once.
  var isResentIfLost: Bool {
    guard case .exchanging(let exchange) = state else { return false }
    return isStale(exchange)
  }

  var isResentIfNotProcessed: Bool {
    guard case .exchanging = state else { return false }
    return refusalsLeft > 0
  }

  /// A kept connection that the server closed as it was used again.
  func isStale(_ exchange: Exchange) -> Bool {
    exchange.isReused && !exchange.responseStarted && staleRetriesLeft > 0 && (isRepeatable || exchange.written == 0)
  }
}
