import EventLoop
import Glibc
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct WatchTests {
  private final class Target: SocketTarget {
    @LoopActor var told: [Interest] = []
    @LoopActor var then: () -> Void = {}

    nonisolated init() {}

    @LoopActor func socketReady(_ ready: Interest) {
      told.append(ready)
      then()
    }
  }

  private let loop = EventLoop.shared

  private func pair() -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  private func put(_ descriptor: Int32) {
    _ = [UInt8(1)].withUnsafeBytes { Socket.send(descriptor, $0) }
  }

  @Test func aWatchTellsWhatItIsArmedForAndGoesOnTelling() async throws {
    let (near, far) = pair()
    let target = Target()
    let watch = loop.watch(near, target)
    put(far)
    await pause(.milliseconds(3))
    #expect(target.told.isEmpty)
    loop.update(watch, .read)
    try await waitUntil { target.told.count >= 3 }
    #expect(target.told.allSatisfy { $0 == .read })
    loop.update(watch, .write)
    target.told = []
    try await waitUntil { !target.told.isEmpty }
    #expect(target.told.allSatisfy { $0 == .write })
    loop.update(watch, [.read, .write])
    target.told = []
    try await waitUntil { target.told.contains([.read, .write]) }
    loop.update(watch, [])
    target.told = []
    await pause(.milliseconds(3))
    #expect(target.told.isEmpty)
    loop.unwatch(watch)
    Socket.close(near)
    Socket.close(far)
  }

  @Test func aStaleIdDoesNothingToTheWatchInItsPlace() async throws {
    let (near, far) = pair()
    let first = Target()
    let stale = loop.watch(near, first)
    loop.update(stale, .read)
    loop.unwatch(stale)
    let second = Target()
    let watch = loop.watch(near, second)
    loop.update(watch, .read)
    loop.update(stale, [])
    loop.unwatch(stale)
    loop.unwatch(.none)
    loop.update(.none, .read)
    put(far)
    try await waitUntil { !second.told.isEmpty }
    #expect(first.told.isEmpty)
    loop.unwatch(watch)
    Socket.close(near)
    Socket.close(far)
  }

  @Test func whatIsUnwatchedInTheSameTurnIsNotTold() async throws {
    let pairs = (0..<10).map { _ in pair() }
    let targets = pairs.map { _ in Target() }
    var watches: [WatchID] = []
    for (index, target) in targets.enumerated() {
      watches.append(loop.watch(pairs[index].0, target))
      target.then = { for watch in watches { loop.unwatch(watch) } }
    }
    for (index, watch) in watches.enumerated() {
      put(pairs[index].1)
      loop.update(watch, .read)
    }
    try await waitUntil { targets.contains { !$0.told.isEmpty } }
    await pause(.milliseconds(3))
    #expect(targets.map(\.told.count).reduce(0, +) == 1)
    for (near, far) in pairs {
      Socket.close(near)
      Socket.close(far)
    }
  }

  @LoopActor private final class Untidy: SocketTarget, TimerTarget {
    @LoopActor var watch = WatchID.none
    @LoopActor var timer = TimerID.none
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    isolated deinit {
      EventLoop.shared.unwatch(watch)
      EventLoop.shared.cancel(timer)
      let other = EventLoop.shared.watch(descriptor, Target())
      EventLoop.shared.update(other, .read)
      EventLoop.shared.unwatch(other)
    }

    @LoopActor func socketReady(_ ready: Interest) {}
    @LoopActor func timerFired(_ kind: UInt8) {}
  }

  @Test func aTargetThatComesBackToTheLoopInItsDeinitIsNoTrap() {
    let (near, far) = pair()
    do {
      let watch = loop.watch(near, Untidy(near))
      loop.unwatch(watch)
      let timer = loop.schedule(after: .seconds(60), Untidy(near), kind: 0)
      loop.cancel(timer)
    }
    Socket.close(near)
    Socket.close(far)
  }

  @Test func aTargetThatComesBackToTheLoopAtItsEndIsNoTrap() async {
    await #expect(processExitsWith: .success) {
      EventLoop.shared.enqueue {
        var ends: [Int32] = [0, 0]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        let watch = EventLoop.shared.watch(ends[0], Untidy(ends[0]))
        EventLoop.shared.update(watch, .read)
        _ = EventLoop.shared.schedule(after: .seconds(60), Untidy(ends[0]), kind: 0)
      }
      EventLoop.shared.stop()
      exit(0)
    }
  }

  @Test func theLoopLetsGoOfWhatIsUnwatched() async throws {
    let (near, far) = pair()
    weak var gone: Target?
    do {
      let target = Target()
      gone = target
      let watch = loop.watch(near, target)
      loop.update(watch, .read)
      loop.unwatch(watch)
    }
    #expect(gone == nil)
    Socket.close(near)
    Socket.close(far)
  }

  @Test func aSignalIsToldOnTheLoopToItsLatestHandler() async throws {
    var first = 0
    var second = 0
    loop.onSignal(SIGUSR2) { first += 1 }
    kill(getpid(), SIGUSR2)
    try await waitUntil { first == 1 }
    loop.onSignal(SIGUSR2) { second += 1 }
    kill(getpid(), SIGUSR2)
    try await waitUntil { second == 1 }
    #expect(first == 1)
  }
}
