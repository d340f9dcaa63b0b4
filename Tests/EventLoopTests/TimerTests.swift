import TestSupport
import Testing

@testable import EventLoop

@LoopActor
@Suite(.oneAtATime) struct TimerTests {
  private final class Target: TimerTarget {
    @LoopActor var fired: [UInt8] = []
    @LoopActor var then: (UInt8) -> Void = { _ in }

    nonisolated init() {}

    @LoopActor func timerFired(_ kind: UInt8) {
      fired.append(kind)
      then(kind)
    }
  }

  private let loop = EventLoop.shared

  @Test func timersFireInOrderOfTheirDeadlinesAndNeverEarly() async throws {
    let target = Target()
    let start = Instant.now()
    var early = 0
    let lengths: [UInt8] = [30, 10, 20, 5, 25, 15]
    target.then = { kind in if start.duration(to: .now()) < .milliseconds(Int(kind)) { early += 1 } }
    // Lengths that nothing else uses: timers that share a length may fire together, a little before shorter ones that are late.
    for length in lengths { _ = loop.schedule(after: .nanoseconds(Int(length) * 1_000_000 + 77), target, kind: length) }
    try await waitUntil { target.fired.count == lengths.count }
    #expect(target.fired == lengths.sorted())
    #expect(early == 0)
  }

  @Test func timersOfEqualLengthFireInOrder() async throws {
    let target = Target()
    for kind in 0..<200 { _ = loop.schedule(after: .milliseconds(7), target, kind: UInt8(kind)) }
    try await waitUntil { target.fired.count == 200 }
    #expect(target.fired == (0..<200).map { UInt8($0) })
  }

  @Test func aTimerOfNoOrNegativeLengthFiresSoonButNotAtOnce() async throws {
    let target = Target()
    _ = loop.schedule(after: .zero, target, kind: 1)
    _ = loop.schedule(after: .seconds(-5), target, kind: 2)
    #expect(target.fired.isEmpty)
    try await waitUntil { target.fired == [1, 2] }
  }

  @Test func anEndlessLengthIsNoOverflow() {
    let target = Target()
    let timer = loop.schedule(after: .seconds(Int64.max), target, kind: 1)
    loop.cancel(timer)
    #expect(target.fired.isEmpty)
  }

  @Test func cancellingInACallbackStopsATimerThatIsDueToo() async throws {
    let target = Target()
    var timers: [TimerID] = []
    target.then = { kind in if kind == 0 { for timer in timers[1...8] { loop.cancel(timer) } } }
    for kind in 0..<10 { timers.append(loop.schedule(after: .milliseconds(5), target, kind: UInt8(kind))) }
    try await waitUntil { target.fired.count >= 2 }
    await pause(.milliseconds(10))
    #expect(target.fired == [0, 9])
  }

  @Test func cancellingWhatHasFiredLeavesItsSlotsNextTimerAlone() async throws {
    let first = Target()
    let old = loop.schedule(after: .zero, first, kind: 1)
    try await waitUntil { first.fired == [1] }
    let second = Target()
    // One of these takes the slot.
    for _ in 0..<100 { _ = loop.schedule(after: .milliseconds(3), second, kind: 2) }
    loop.cancel(old)
    loop.cancel(old)
    loop.cancel(.none)
    try await waitUntil { second.fired.count == 100 }
  }

  @Test func anIdOutlivesTheMemoryOfManyTimersWithoutNamingAnother() {
    // A wheel of its own: the loop's is never empty while other tests run.
    var wheel = TimerWheel()
    let target = Target()
    let old = (0..<5_000).map { _ in wheel.schedule(after: 3_600_000_000_000, from: 0, target, kind: 0, base: loop.base) }
    for timer in old { wheel.cancel(timer) }
    #expect(wheel.count == 0)
    for _ in 0..<5_000 { _ = wheel.schedule(after: 3_600_000_000_000, from: 0, target, kind: 0, base: loop.base) }
    for timer in old { wheel.cancel(timer) }
    #expect(wheel.count == 5_000)
    wheel.freeAll()
  }

  @Test func aTimerMayBeScheduledFromItsOwnCallback() async throws {
    let target = Target()
    target.then = { [unowned target] kind in if kind < 50 { _ = loop.schedule(after: .zero, target, kind: kind + 1) } }
    _ = loop.schedule(after: .zero, target, kind: 0)
    try await waitUntil { target.fired.count == 51 }
    #expect(target.fired == (0...50).map { UInt8($0) })
  }

  @Test func manyDifferentLengthsAllFire() async throws {
    let target = Target()
    for round in 0..<3 {
      for length in 1...1_000 { _ = loop.schedule(after: .microseconds(length * 17 + round), target, kind: 0) }
    }
    try await waitUntil { target.fired.count == 3_000 }
  }

  @Test func aHundredThousandTimersComeAndGoQuickly() {
    let target = Target()
    let start = Instant.now()
    for _ in 0..<10 {
      let timers = (0..<10_000).map { _ in loop.schedule(after: .seconds(60), target, kind: 0) }
      for timer in timers { loop.cancel(timer) }
    }
    // Far more than a slow debug build needs, far less than a search for each slot would take.
    #expect(start.duration(to: .now()) < .seconds(10))
  }

  @Test func theLoopLetsGoOfATargetThatHasFiredOrWasCancelled() async throws {
    weak var cancelled: Target?
    weak var fired: Target?
    do {
      let target = Target()
      cancelled = target
      let timer = loop.schedule(after: .seconds(60), target, kind: 0)
      loop.cancel(timer)
      let other = Target()
      fired = other
      _ = loop.schedule(after: .zero, other, kind: 0)
    }
    #expect(cancelled == nil)
    try await waitUntil { fired == nil }
  }
}
