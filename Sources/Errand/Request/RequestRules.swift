internal import EventLoop
internal import HttpWire

extension RequestOptions {
  /// Nothing in them is about ``RequestRules``.
  var leavesRules: Bool {
    timeouts == Timeouts() && retry.max == 0 && envelope == nil && acceptStatus.isEmpty && maxBodyBytes == nil && takesCodings
      && service == nil && startDelay == .zero && redirects == .follow && maxRedirects == nil && !allowsInsecureRedirects && download == nil
  }
}

/// How a request is timed, limited and judged.
final class RequestRules: Sendable {
  let retry: RetryPolicy
  let normalizer: ResponseNormalizer
  let maxBodyBytes: Int64
  private let decodes: Bool
  let maxDecodedRatio: Int
  /// Whose limits hold for it, by name.
  let service: String?
  let startDelay: Duration
  let redirects: RedirectPolicy
  let maxRedirects: Int
  let allowsInsecureRedirects: Bool
  let download: Download?
  private let lengths: Lengths
  /// Of the total timer where the response is not held in memory: only what the client was given.
  private let totalOfStreams: Int64

  /// Of the total timer where the client was given none.
  private static let total = Duration.seconds(60)

  /// Of the timers, in nanoseconds: reckoned once, used often.
  private struct Lengths {
    var queue: Int64 = 0
    var connect: Int64 = 0
    var firstByte: Int64 = 0
    var idle: Int64 = 0
    var total: Int64 = 0
    var deadline: Int64 = 0

    func over(_ timeouts: Timeouts) -> Lengths {
      var lengths = self
      if let queue = timeouts.queue { lengths.queue = queue.wholeNanoseconds }
      if let connect = timeouts.connect { lengths.connect = connect.wholeNanoseconds }
      if let firstByte = timeouts.firstByte { lengths.firstByte = firstByte.wholeNanoseconds }
      if let idle = timeouts.idle { lengths.idle = idle.wholeNanoseconds }
      if let total = timeouts.total { lengths.total = total.wholeNanoseconds }
      if let deadline = timeouts.deadline { lengths.deadline = deadline.wholeNanoseconds }
      return lengths
    }
  }

  /// A client's own, with that expectation.
  init(_ configuration: HttpClient.Configuration, expect: Expectation) {
    retry = RetryPolicy()
    normalizer = ResponseNormalizer(expect: expect, envelope: nil, acceptStatus: [])
    maxBodyBytes = configuration.maxBodyBytes
    decodes = true
    maxDecodedRatio = configuration.maxDecodedRatio
    service = nil
    startDelay = .zero
    redirects = .follow
    maxRedirects = configuration.maxRedirects
    allowsInsecureRedirects = false
    download = nil
    totalOfStreams = Lengths().over(configuration.timeouts).total
    lengths = Lengths().over(Timeouts(total: RequestRules.total)).over(configuration.timeouts)
  }

  /// Options are read where they are: a copy of all costs more than these.
  private init(_ box: HttpRequest.OptionBox, expect: Expectation, streams: Bool, over base: RequestRules) {
    retry = box.value.retry
    normalizer = ResponseNormalizer(expect: expect, envelope: box.value.envelope, acceptStatus: box.value.acceptStatus)
    maxBodyBytes = box.value.maxBodyBytes ?? base.maxBodyBytes
    decodes = box.value.takesCodings
    maxDecodedRatio = base.maxDecodedRatio
    service = box.value.service
    startDelay = box.value.startDelay
    redirects = box.value.redirects
    maxRedirects = box.value.maxRedirects ?? base.maxRedirects
    allowsInsecureRedirects = box.value.allowsInsecureRedirects
    download = box.value.download?.settled
    totalOfStreams = base.totalOfStreams
    var lengths = base.lengths
    if streams || download != nil { lengths.total = totalOfStreams }
    self.lengths = lengths.over(box.value.timeouts)
  }

  /// These rules, or those of a request that sets some of its own.
  func applied(to request: HttpRequest, streams: Bool) -> RequestRules {
    if !streams, request.optionBox?.leavesRules != false { return self }
    return RequestRules(request.optionBox ?? .none, expect: request.expect, streams: streams, over: self)
  }

  /// Whether the response's body comes coded, and is to be decoded. A part of one (206) can't be.
  func decodes(_ head: ResponseHead, _ method: HttpMethod) -> Bool {
    decodes && head.headers.hasContentCoding && method != .head && head.status != 204 && head.status != 206 && head.status != 304
  }

  /// The length of the timer that guards a phase, for people.
  func words(for phase: Phase) -> String? {
    let nanoseconds: Int64
    switch phase {
    case .queue: nanoseconds = lengths.queue
    case .connect: nanoseconds = lengths.connect
    case .firstByte: nanoseconds = lengths.firstByte
    case .idle: nanoseconds = lengths.idle
    case .total: nanoseconds = lengths.total
    default: return nil
    }
    let milliseconds = nanoseconds / 1_000_000
    return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
  }

  /// A timer's length; 0 is none.
  func nanoseconds(of timer: RequestStateMachine.Timer) -> Int64 {
    switch timer {
    case .queue: lengths.queue
    case .connect: lengths.connect
    case .firstByte: lengths.firstByte
    case .idle: lengths.idle
    case .total: lengths.total
    case .deadline: lengths.deadline
    case .backOff, .start: 0
    }
  }
}
