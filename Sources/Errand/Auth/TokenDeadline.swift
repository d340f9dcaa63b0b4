internal import EventLoop

/// Ends the patience with a source.
@LoopActor
final class TokenDeadline: TimerTarget {
  private let expired: @LoopActor () -> Void
  private var timer = TimerID.none

  init(_ length: Duration, _ expired: @escaping @LoopActor () -> Void) {
    self.expired = expired
    timer = EventLoop.shared.schedule(after: length, self, kind: 0)
  }

  func stop() {
    EventLoop.shared.cancel(timer)
    timer = .none
  }

  func timerFired(_ kind: UInt8) {
    timer = .none
    expired()
  }
}
