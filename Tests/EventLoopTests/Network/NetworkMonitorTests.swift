import EventLoop
import Glibc
import TestSupport
import Testing

/// Against the kernel itself: addresses of the loopback device that come and go. Each is taken away again. Others may change the machine's network
/// meanwhile, so a test may see more changes than its own.
@LoopActor
@Suite(
  .oneAtATime, .timeLimit(.minutes(1)),
  .enabled("the kernel lets this user change addresses (CAP_NET_ADMIN)") { await LoopbackAddress.mayChange() })
final class NetworkMonitorTests {
  private final class Count {
    var told = 0
    var ids: [NetworkMonitor.ObserverID] = []
  }

  private let count = Count()

  deinit {
    LoopbackAddress.removeAllBlocking()
  }

  private func observed(_ monitor: NetworkMonitor) async -> NetworkMonitor.ObserverID {
    let id = monitor.observe { [count] in count.told += 1 }
    // The list of what there is comes first.
    await pause(.milliseconds(10))
    return id
  }

  @Test func anAddressThatComesAndOneThatGoesAreTold() async throws {
    let monitor = NetworkMonitor(coalescing: .milliseconds(10))
    let id = await observed(monitor)
    #expect(monitor.failure == nil)
    try await LoopbackAddress.add(1)
    try await waitUntil("the new address") { self.count.told > 0 }
    let told = count.told
    try await LoopbackAddress.remove(1)
    try await waitUntil("the address that went") { self.count.told > told }
    monitor.stopObserving(id)
  }

  @Test func manyChangesAtATimeAreToldOnce() async throws {
    let monitor = NetworkMonitor(coalescing: .milliseconds(400))
    let id = await observed(monitor)
    for number in UInt8(1)...4 { try await LoopbackAddress.add(number) }
    for number in UInt8(1)...4 { try await LoopbackAddress.remove(number) }
    try await waitUntil { self.count.told > 0 }
    // On a machine that is very slow the eight take more than one such time.
    #expect(count.told <= 3)
    monitor.stopObserving(id)
  }

  @Test func anAddressThatOnlyLivesOnIsNoChange() async throws {
    try await LoopbackAddress.add(1, "valid_lft", "1000", "preferred_lft", "1000")
    let monitor = NetworkMonitor(coalescing: .milliseconds(5))
    let id = await observed(monitor)
    var isQuiet = false
    for length in 2_000..<2_010 where !isQuiet {
      let told = count.told
      try await LoopbackAddress.run("change", 1, "valid_lft", "\(length)", "preferred_lft", "\(length)")
      await pause(.milliseconds(40))
      isQuiet = count.told == told
    }
    #expect(isQuiet)
    let told = count.told
    try await LoopbackAddress.remove(1)
    try await waitUntil { self.count.told > told }
    monitor.stopObserving(id)
  }

  @Test func withoutObserversNothingIsWatched() async throws {
    let before = EventLoop.shared.watchCount
    let monitor = NetworkMonitor(coalescing: .milliseconds(5))
    #expect(EventLoop.shared.watchCount == before)
    let ids = [await observed(monitor), await observed(monitor)]
    #expect(EventLoop.shared.watchCount == before + 1)
    try await LoopbackAddress.add(1)
    try await waitUntil { self.count.told >= 2 }
    for id in ids + ids { monitor.stopObserving(id) }
    let told = count.told
    #expect(EventLoop.shared.watchCount == before)
    try await LoopbackAddress.remove(1)
    await pause(.milliseconds(20))
    #expect(count.told == told)
  }

  @Test func observersMayComeAndGoWhileTheyAreTold() async throws {
    let monitor = NetworkMonitor(coalescing: .milliseconds(5))
    for _ in 0..<3 {
      let id = monitor.observe { [count] in
        count.told += 1
        for id in count.ids { monitor.stopObserving(id) }
      }
      count.ids.append(id)
    }
    await pause(.milliseconds(10))
    try await LoopbackAddress.add(1)
    try await waitUntil { self.count.told > 0 }
    await pause(.milliseconds(15))
    #expect(count.told == 1)
    try await LoopbackAddress.remove(1)
  }

  @Test func moreChangesThanTheKernelKeepsAreStillAChange() async throws {
    let monitor = NetworkMonitor(coalescing: .milliseconds(10))
    let before = Set(Self.netlinkSockets())
    let id = await observed(monitor)
    let opened = try #require(Self.netlinkSockets().first { !before.contains($0) })
    var size: Int32 = 1
    setsockopt(opened, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    // The loop is kept from reading meanwhile.
    LoopbackAddress.churnBlocking()
    try await waitUntil { self.count.told > 0 }
    // And it hears of what comes after.
    await pause(.milliseconds(30))
    let told = count.told
    try await LoopbackAddress.add(1)
    try await waitUntil { self.count.told > told }
    try await LoopbackAddress.remove(1)
    #expect(monitor.failure == nil)
    monitor.stopObserving(id)
  }

  private static func netlinkSockets() -> [Int32] {
    (0..<1_024).filter { descriptor in
      var domain: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_NETLINK
    }
  }
}
