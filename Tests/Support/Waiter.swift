public import EventLoop

/// A wait that ended without what was waited for.
public struct TestTimeout: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}

/// The longest that any wait of a test takes, generous because sanitizers and busy machines are slow.
public let testPatience = Duration.seconds(30)

/// One suspended test, woken by ``finish(_:)`` or by the end of its patience.
@LoopActor
final class Waiter: TimerTarget {
  let condition: () -> Bool
  private var continuation: CheckedContinuation<Bool, Never>?
  private var timer = TimerID.none

  init(_ condition: @escaping () -> Bool) {
    self.condition = condition
  }

  func wait() async -> Bool {
    await withCheckedContinuation { continuation in
      self.continuation = continuation
      timer = EventLoop.shared.schedule(after: testPatience, self, kind: 0)
    }
  }

  func finish(_ isMet: Bool) {
    EventLoop.shared.cancel(timer)
    let continuation = self.continuation
    self.continuation = nil
    continuation?.resume(returning: isMet)
  }

  func timerFired(_ kind: UInt8) {
    finish(condition())
  }
}

/// Waits on the loop until `condition` holds, looking once a millisecond: for facts that have no event to wait for. Gives the moment
/// at which it held.
@LoopActor
@discardableResult
public func waitUntil(_ what: String = "a condition", _ condition: @escaping @LoopActor () -> Bool) async throws -> Instant {
  let deadline = Instant.now() + testPatience
  while !condition() {
    guard Instant.now() < deadline else { throw TestTimeout("waited in vain for \(what)") }
    await pause(.milliseconds(1))
  }
  return .now()
}

/// Lets the loop go on for `duration`: for tests that something does *not* happen.
@LoopActor
public func pause(_ duration: Duration) async {
  await withCheckedContinuation { continuation in
    _ = EventLoop.shared.schedule(after: duration, Resumer(continuation), kind: 0)
  }
}

private final class Resumer: TimerTarget {
  private let continuation: CheckedContinuation<Void, Never>

  init(_ continuation: CheckedContinuation<Void, Never>) {
    self.continuation = continuation
  }

  @LoopActor func timerFired(_ kind: UInt8) {
    continuation.resume()
  }
}
