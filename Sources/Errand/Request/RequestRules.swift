internal import EventLoop

/// How a request is timed and judged. Requests that set nothing of their own share their client's.
final class RequestRules: Sendable {
  let retry: RetryPolicy
  let normalizer: ResponseNormalizer
  let maxBodyBytes: Int64
  private let queue: Int64
  private let connect: Int64
  private let firstByte: Int64
  private let idle: Int64
  private let total: Int64

  init(
    timeouts: Timeouts, retry: RetryPolicy = RetryPolicy(),
    normalizer: ResponseNormalizer = ResponseNormalizer(expect: .any, envelope: nil, acceptStatus: []), maxBodyBytes: Int64
  ) {
    self.retry = retry
    self.normalizer = normalizer
    self.maxBodyBytes = maxBodyBytes
    queue = timeouts.queue?.wholeNanoseconds ?? 0
    connect = timeouts.connect?.wholeNanoseconds ?? 0
    firstByte = timeouts.firstByte?.wholeNanoseconds ?? 0
    idle = timeouts.idle?.wholeNanoseconds ?? 0
    total = timeouts.total?.wholeNanoseconds ?? 0
  }

  convenience init(_ request: HttpRequest, _ configuration: HttpClient.Configuration) {
    self.init(
      timeouts: request.timeouts.over(configuration.timeouts), retry: request.retry,
      normalizer: ResponseNormalizer(expect: request.expect, envelope: request.envelope, acceptStatus: request.acceptStatus),
      maxBodyBytes: request.maxBodyBytes ?? configuration.maxBodyBytes)
  }

  /// A timer's length; 0 is none.
  func nanoseconds(of timer: RequestStateMachine.Timer) -> Int64 {
    switch timer {
    case .queue: queue
    case .connect: connect
    case .firstByte: firstByte
    case .idle: idle
    case .total: total
    case .backOff: 0
    }
  }
}
