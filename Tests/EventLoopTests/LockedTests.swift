import EventLoop
import Testing

@Suite struct LockedTests {
  @Test func incrementsFromManyThreadsAreAllCounted() async {
    let counter = Locked(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<10_000 { counter.withLock { $0 += 1 } } } }
    }
    #expect(counter.withLock { $0 } == 80_000)
  }

  @Test func theLockIsFreeAfterAnError() {
    struct Fault: Error {}
    let value = Locked(1)
    #expect(throws: Fault.self) { try value.withLock { _ in throw Fault() } }
    #expect(value.withLock { $0 } == 1)
  }

  @Test func aDurationInNanosecondsSaturates() {
    #expect(Duration.milliseconds(2).wholeNanoseconds == 2_000_000)
    #expect(Duration.seconds(-1).wholeNanoseconds == -1_000_000_000)
    #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
    #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
    let instant = Instant(nanoseconds: 5)
    #expect(instant + .seconds(Int64.max) == Instant(nanoseconds: .max))
    #expect(instant.duration(to: Instant(nanoseconds: 2)) == .nanoseconds(-3))
    #expect(Instant(nanoseconds: 9_000).microseconds(since: instant) == 8)
    #expect(instant < Instant.now())
  }
}
