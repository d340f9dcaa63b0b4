internal import EventLoop

/// Whether an origin is worth trying. Pure; time is handed in.
struct CircuitBreaker: Sendable {
  enum State: Sendable, Hashable {
    case closed
    case open(until: Instant)
    /// Lets some through, to see.
    case halfOpen
  }

  /// Why it opened, for people.
  enum Cause: Sendable, Hashable, CustomStringConvertible {
    case inARow(Int)
    case ratio(failures: Int, of: Int)
    case probe

    var description: String {
      switch self {
      case .inARow(let count): count == 1 ? "a failure" : "\(count) failures in a row"
      case .ratio(let failures, let all): "\(failures) failures in \(all) requests"
      case .probe: "a trial request that failed"
      }
    }
  }

  enum Result: Sendable {
    case success, failure
    /// Says nothing about the origin, such as a cancelled one.
    case neither
  }

  /// What a request that was let through hands back with its result. Of one from before the breaker last changed the result does not count.
  struct Pass: Sendable, Hashable {
    fileprivate let era: UInt32
  }

  private let settings: CircuitBreakerSettings
  private(set) var state = State.closed
  private(set) var cause = Cause.inARow(0)
  private var era: UInt32 = 0
  private var inARow = 0
  private var probesUnderWay = 0
  private var probesSucceeded = 0
  private var window: FailureWindow
  private var lastResult = Instant(nanoseconds: .min)

  init(_ settings: CircuitBreakerSettings) {
    self.settings = settings
    window = FailureWindow(settings.window)
  }

  /// Whether a request would be refused now, without letting one through.
  func refuses(at now: Instant) -> Bool {
    switch state {
    case .closed: false
    case .open(let until): now < until
    case .halfOpen: probesUnderWay >= max(1, settings.probes)
    }
  }

  /// Lets a request through; nil refuses it.
  mutating func admit(at now: Instant) -> Pass? {
    guard !refuses(at: now) else { return nil }
    if case .open = state {
      change(to: .halfOpen)
      (probesUnderWay, probesSucceeded) = (0, 0)
    }
    if state == .halfOpen { probesUnderWay += 1 }
    return Pass(era: era)
  }

  mutating func ended(_ pass: Pass, _ result: Result, at now: Instant) {
    guard pass.era == era else { return }
    switch (state, result) {
    case (.open, _), (.closed, .neither): return
    case (.closed, .success):
      inARow = 0
      window.add(isFailure: false, at: now)
    case (.closed, .failure):
      inARow += 1
      window.add(isFailure: true, at: now)
      if let cause = causeToOpen { open(cause, now) }
    case (.halfOpen, .neither):
      probesUnderWay -= 1
    case (.halfOpen, .failure):
      open(.probe, now)
    case (.halfOpen, .success):
      probesUnderWay -= 1
      probesSucceeded += 1
      guard probesSucceeded >= max(1, settings.probes) else { break }
      change(to: .closed)
      inARow = 0
      window = FailureWindow(settings.window)
    }
    lastResult = now
  }

  /// Whether it can be forgotten: a new one would say the same, or it has been left alone for long.
  func isAtRest(at now: Instant) -> Bool {
    switch state {
    case .closed: inARow == 0 && window.failures == 0 || lastResult + settings.window + settings.coolDown < now
    case .open(let until): until + settings.window + settings.coolDown < now
    case .halfOpen: false
    }
  }

  private var causeToOpen: Cause? {
    if settings.failures > 0, inARow >= settings.failures { return .inARow(inARow) }
    guard let ratio = settings.failureRatio, window.count >= settings.minimumRequests else { return nil }
    return Double(window.failures) >= ratio * Double(window.count) ? .ratio(failures: window.failures, of: window.count) : nil
  }

  private mutating func open(_ cause: Cause, _ now: Instant) {
    self.cause = cause
    change(to: .open(until: now + max(settings.coolDown, .zero)))
  }

  private mutating func change(to new: State) {
    state = new
    era &+= 1
  }
}

/// How many results, and failures among them, the last time had: exact to a tenth of it.
private struct FailureWindow: Sendable {
  private static let slices = 10
  private let slice: Int64
  private var current: Int64 = .min
  private var counts = [(all: Int32, failures: Int32)](repeating: (0, 0), count: FailureWindow.slices)
  private(set) var count = 0
  private(set) var failures = 0

  init(_ length: Duration) {
    slice = max(1, length.wholeNanoseconds / Int64(FailureWindow.slices))
  }

  mutating func add(isFailure: Bool, at now: Instant) {
    let number = now.nanoseconds / slice
    if number > current {
      // Each slice that passed takes the place of one a window ago.
      let (passed, overflow) = number.subtractingReportingOverflow(current)
      for back in 0..<min(overflow ? .max : passed, Int64(FailureWindow.slices)) { clear(number - back) }
      current = number
    }
    let index = FailureWindow.index(current)
    counts[index].all &+= 1
    count += 1
    guard isFailure else { return }
    counts[index].failures &+= 1
    failures += 1
  }

  private mutating func clear(_ number: Int64) {
    let index = FailureWindow.index(number)
    count -= Int(counts[index].all)
    failures -= Int(counts[index].failures)
    counts[index] = (0, 0)
  }

  private static func index(_ number: Int64) -> Int {
    let rest = Int(number % Int64(slices))
    return rest < 0 ? rest + slices : rest
  }
}
