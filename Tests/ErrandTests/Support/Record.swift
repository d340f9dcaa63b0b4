import EventLoop

/// An event did not come in time.
struct Late: Error, CustomStringConvertible {
  let description: String
}

/// Events from any thread, in the order in which they came, to be waited for.
final class Record<Event: Sendable>: Sendable {
  private struct Waiter {
    let isMet: @Sendable ([Event]) -> Bool
    let continuation: CheckedContinuation<[Event], any Error>
  }

  private struct State {
    var events: [Event] = []
    var waiters: [Int: Waiter] = [:]
    var lastWaiter = 0
  }

  private let state = Locked(State())
  private let name: String

  init(_ name: String) {
    self.name = name
  }

  var all: [Event] { state.withLock { $0.events } }
  var count: Int { state.withLock { $0.events.count } }

  func add(_ event: Event) {
    let (events, met) = state.withLock { state in
      state.events.append(event)
      let met = state.waiters.filter { $0.value.isMet(state.events) }
      for key in met.keys { state.waiters[key] = nil }
      return (met.isEmpty ? [] : state.events, met)
    }
    for waiter in met.values { waiter.continuation.resume(returning: events) }
  }

  /// Waits for the first `count` events.
  @discardableResult
  func first(_ count: Int) async throws -> [Event] {
    try await wait { $0.count >= count }
  }

  /// Waits until what has come satisfies `isMet`; fails after a minute.
  @discardableResult
  func wait(until isMet: @escaping @Sendable ([Event]) -> Bool) async throws -> [Event] {
    _ = try await withCheckedThrowingContinuation { continuation in
      let (events, key) = state.withLock { state -> ([Event], Int?) in
        if isMet(state.events) { return (state.events, nil) }
        state.lastWaiter += 1
        state.waiters[state.lastWaiter] = Waiter(isMet: isMet, continuation: continuation)
        return ([], state.lastWaiter)
      }
      guard let key else { return continuation.resume(returning: events) }
      EventLoop.shared.enqueue { after(.seconds(60)) { self.giveUp(key) } }
    }
    // Read under the lock, whose ordering of memory ThreadSanitizer sees.
    return all
  }

  private func giveUp(_ key: Int) {
    let (waiter, count) = state.withLock { ($0.waiters.removeValue(forKey: key), $0.events.count) }
    waiter?.continuation.resume(throwing: Late(description: "\(name): waited in vain after \(count) events"))
  }
}

/// Runs `body` on the loop after a while.
@LoopActor @discardableResult
func after(_ delay: Duration, _ body: @escaping @LoopActor () -> Void) -> TimerID {
  EventLoop.shared.schedule(after: delay, Alarm(body), kind: 0)
}

private final class Alarm: TimerTarget {
  private let body: @LoopActor () -> Void

  init(_ body: @escaping @LoopActor () -> Void) {
    self.body = body
  }

  @LoopActor func timerFired(_ kind: UInt8) {
    body()
  }
}

/// Waits on a timer of the loop, where a test is about time itself.
@LoopActor
func pause(_ length: Duration) async {
  await withCheckedContinuation { done in after(length) { done.resume() } }
}

/// Waits for the loop to have done all that was enqueued, and what that put off to the end of the turn.
func loopTurn() async {
  await withCheckedContinuation { continuation in
    EventLoop.shared.enqueue {
      EventLoop.shared.atEndOfTurn { EventLoop.shared.enqueue { continuation.resume() } }
    }
  }
}
