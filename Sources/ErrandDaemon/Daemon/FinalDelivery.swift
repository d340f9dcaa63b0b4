internal import EventLoop

/// The last part of the daemon's course: every request has ended, and those who are there take what waits for them.
///
/// It is over when nothing is owed any more, or at the deadline. Nobody tells it that a peer has taken the last byte, so it looks
/// now and then.
@LoopActor
final class FinalDelivery: TimerTarget {
  private static let look = Duration.milliseconds(10)

  private unowned let core: DaemonCore
  private var deadline: Instant?
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(_ core: DaemonCore) {
    self.core = core
  }

  /// Returns when it is over. A later call with an earlier deadline shortens it.
  func run(until given: Instant) async {
    deadline = min(deadline ?? given, given)
    core.noMoreComes()
    guard core.owesAnything else { return }
    await withCheckedContinuation { continuation in
      waiters.append(continuation)
      // Also with no time left there is one turn in which the kernel takes what it can.
      if waiters.count == 1 { _ = EventLoop.shared.schedule(after: .zero, self, kind: 0) }
    }
  }

  func timerFired(_ kind: UInt8) {
    guard core.owesAnything, let deadline, Instant.now() < deadline else {
      let waiters = self.waiters
      self.waiters = []
      for waiter in waiters { waiter.resume() }
      return
    }
    _ = EventLoop.shared.schedule(after: FinalDelivery.look, self, kind: 0)
  }
}
