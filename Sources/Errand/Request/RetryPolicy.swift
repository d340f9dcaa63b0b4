internal import EventLoop

/// Whether and when a request that failed, or was answered "try again later", is sent again. Off by default.
///
/// A retry is safe where the method is idempotent, the request has an Idempotency-Key, or the server is known not to have acted on it: not a byte of
/// it was sent, or the server said so (RFC 9110 section 9.2.2). Any other failure is final whatever this says. Also final is one whose wait
/// would go past the total timeout, which runs on over all attempts, and one for which the host's retry budget has nothing left.
///
/// Not counted here: a kept connection that the server closes just as it is used again is replaced once by a new one, without a wait.
public struct RetryPolicy: Sendable, Hashable {
  /// How many times at the most, beyond the first try. Default 0.
  public var max: Int
  /// The answers after which a request is sent again. Default 429 and 503.
  public var statuses: [Int] = [429, 503]
  /// The failures after which a request is sent again. Default: every one but ``RetryCause/firstByteTimeout`` and ``RetryCause/idleTimeout``.
  public var errors: [RetryCause] = [.dns, .connect, .connectTimeout, .connectionLost, .truncated]
  /// The first back-off, doubled with each try; the wait is a random part of it, from none to all ("full jitter"). Default 200 ms.
  public var baseDelay = Duration.milliseconds(200)
  /// The longest wait, also where Retry-After asks for a longer one. Default 30 s.
  public var maxDelay = Duration.seconds(30)

  public init(max: Int = 0) {
    self.max = max
  }
}

/// A failure after which a request may be sent again.
public enum RetryCause: String, Sendable, Hashable, CaseIterable {
  /// The name's servers gave no answer. A name that does not exist is final.
  case dns
  /// No address took the connection, it ended in the TLS handshake, or the proxy could not reach the host. A certificate that is wrong is final.
  case connect
  /// No connection in time.
  case connectTimeout = "connect_timeout"
  /// The connection ended before a response, or the server refused the request unprocessed (HTTP/2 REFUSED_STREAM, GOAWAY).
  case connectionLost = "connection_lost"
  /// The connection ended inside the response.
  case truncated
  /// The request was sent, and no response came in time.
  case firstByteTimeout = "first_byte_timeout"
  /// The request's or the response's body stopped.
  case idleTimeout = "idle_timeout"
}

extension RetryPolicy {
  /// How an attempt ended.
  enum End: Sendable, Hashable {
    /// `retryAfter`: the header's value.
    case status(Int, retryAfter: String?)
    case failed(RetryCause)
  }

  enum Decision: Sendable, Hashable {
    case retry(after: Duration)
    case final(Reason)
  }

  enum Reason: Sendable, Hashable {
    /// Retries are off, or not meant for this.
    case notAsked
    case noTriesLeft
    /// The server may have acted on it.
    case unsafe
    /// The wait would go past the total timeout.
    case pastDeadline(wait: Duration)
    /// The host had its share of retries. Not the policy's to say, nor the next.
    case overBudget
    /// The origin's circuit breaker is open.
    case refused
    /// The body is a stream that can be sent only once.
    case bodyWasSent
  }

  /// What an attempt is judged by.
  struct Attempt: Sendable {
    /// 1 is the first.
    var number: Int
    /// The method is idempotent or the request has an Idempotency-Key.
    var isRepeatable: Bool
    /// Of all attempts so far; ``SentState/notSent`` also where the server says that it did not process it.
    var sent: SentState
    /// Until the total timeout; nil is none.
    var remaining: Duration?
  }

  /// `wallClock`: seconds since 1970, for a date in Retry-After. `random` is in 0..<1.
  func decision(after end: End, of attempt: Attempt, wallClock: Int64, random: Double) -> Decision {
    let retryAfter: Duration?
    switch end {
    case .status(let status, let value):
      guard max > 0, statuses.contains(status) else { return .final(.notAsked) }
      guard attempt.isRepeatable else { return .final(.unsafe) }
      retryAfter = value.flatMap { RetryAfter.wait($0, wallClock: wallClock) }
    case .failed(let cause):
      guard max > 0, errors.contains(cause) else { return .final(.notAsked) }
      guard attempt.isRepeatable || attempt.sent == .notSent else { return .final(.unsafe) }
      retryAfter = nil
    }
    guard attempt.number <= max else { return .final(.noTriesLeft) }
    let wait = retryAfter.map { Swift.min($0, maxDelay) } ?? backOff(attempt.number, random)
    if let remaining = attempt.remaining, wait >= remaining { return .final(.pastDeadline(wait: wait)) }
    return .retry(after: wait)
  }

  private func backOff(_ attempt: Int, _ random: Double) -> Duration {
    let nanoseconds = Swift.max(0, baseDelay.wholeNanoseconds)
    let (doubled, overflow) = nanoseconds.multipliedReportingOverflow(by: 1 << Int64(Swift.min(Swift.max(attempt - 1, 0), 40)))
    let longest = Swift.min(overflow ? .max : doubled, Swift.max(0, maxDelay.wholeNanoseconds))
    return .nanoseconds(Int64(Double(longest) * random))
  }
}
