internal import EventLoop

/// Wakes an engine when a rate that somebody waits for has a token again.
@LoopActor
final class RateTimer: TimerTarget {
  private weak var engine: RequestEngine?
  private var timer = TimerID.none
  private var wake: Instant?

  nonisolated init() {}

  /// At `wake`, instead of what was asked for before; nil is not at all.
  func set(_ wake: Instant?, _ engine: RequestEngine) {
    guard wake != self.wake else { return }
    EventLoop.shared.cancel(timer)
    timer = .none
    self.wake = wake
    self.engine = engine
    guard let wake else { return }
    timer = EventLoop.shared.schedule(after: EventLoop.shared.now.duration(to: wake), self, kind: 0)
  }

  func timerFired(_ kind: UInt8) {
    timer = .none
    wake = nil
    engine?.pump()
  }
}
