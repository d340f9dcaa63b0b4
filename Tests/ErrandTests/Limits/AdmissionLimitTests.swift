import EventLoop
import TestSupport
import Testing

@testable import Errand

/// Limits of owners and services, changing limits, priorities, rates.
@Suite struct AdmissionLimitTests {
  // MARK: Owners

  @Test func anOwnerAtItsLimitHoldsUpNobodyElse() throws {
    var policy = AdmissionPolicy(perHost: 10, total: 100, perOwner: 2)
    let (a, b) = (policy.addHost(), policy.addHost())
    let slot = try policy.taken(a, owner: "greedy")
    #expect(policy.take(b, owner: "greedy") != nil)
    #expect(policy.take(b, owner: "greedy") == nil, "over all hosts")
    let place = policy.wait(1, host: b, owner: "greedy")
    #expect(policy.next() == nil)
    #expect(policy.blocker(of: place) == .owner(used: 2, limit: 2))
    #expect(policy.take(b, owner: "modest") != nil)
    #expect(policy.take(b) != nil, "a request without an owner is not counted against one")
    policy.release(slot)
    #expect(policy.everyNext().map(\.id) == [1])
  }

  @Test func whoWaitsForAnOwnersLimitGoesInOrderOverAllHosts() throws {
    var policy = AdmissionPolicy(perHost: 10, total: 100, perOwner: 1)
    let hosts = (0..<5).map { _ in policy.addHost() }
    let slot = try policy.taken(hosts[0], owner: "a")
    for index in 0..<10 { _ = policy.wait(UInt64(index), host: hosts[index % 5], owner: "a") }
    policy.release(slot)
    #expect(policy.servingOneByOne() == Array(0..<10))
  }

  @Test func aFreePlaceOfAnOwnerGoesPastFullHosts() throws {
    var policy = AdmissionPolicy(perHost: 1, total: 100, perOwner: 1)
    let (full, free, last) = (policy.addHost(), policy.addHost(), policy.addHost())
    #expect(policy.take(full, owner: "other") != nil)
    let slot = try policy.taken(last, owner: "a")
    let first = policy.wait(1, host: full, owner: "a")
    _ = policy.wait(2, host: free, owner: "a")
    #expect(policy.next() == nil)
    policy.release(slot)
    #expect(policy.everyNext().map(\.id) == [2])
    #expect(policy.blocker(of: first) == .host(used: 1, limit: 1, oldest: .start))
  }

  @Test func anOwnersPlaceIsPassedOnWhenWhoWasToHaveItLeaves() throws {
    var policy = AdmissionPolicy(perHost: 1, total: 2, perOwner: 1)
    let (a, b, c) = (policy.addHost(), policy.addHost(), policy.addHost())
    let owned = try policy.taken(a, owner: "a")
    let other = try policy.taken(c, owner: "b")
    _ = policy.wait(9, host: c, owner: "b")
    let first = policy.wait(1, host: b, owner: "a")
    _ = policy.wait(2, host: a, owner: "a")
    #expect(policy.next() == nil)
    policy.release(owned)
    // Let go by the owner's limit, and gone before its turn.
    policy.leave(first)
    policy.release(other)
    #expect(policy.everyNext().map(\.id).sorted() == [2, 9])
  }

  @Test func ownersAndWhatTheyCountAreForgottenWithTheirLastRequest() throws {
    var policy = AdmissionPolicy(perHost: 1, total: 1, perOwner: 5)
    let host = policy.addHost()
    let slot = try policy.taken(host, owner: "first")
    let places = (0..<UInt64(1_000)).map { policy.wait($0, host: host, owner: "\($0)") }
    #expect(policy.ownerCount == 1_001 && policy.waiting(owner: "7") == 1)
    for place in places { policy.leave(place) }
    policy.release(slot)
    #expect(policy.ownerCount == 0 && policy.waiting(owner: "7") == 0)
    #expect(policy.removeHost(host) == true)
  }

  // MARK: Services

  @Test func aServiceIsLimitedOverAllItsHostsAndOwners() throws {
    var policy = AdmissionPolicy(perHost: 10, total: 100, services: ["maps": ServiceLimits(maxInFlight: 1)])
    let (a, b) = (policy.addHost(), policy.addHost())
    let slot = try policy.taken(a, owner: "x", service: "maps")
    #expect(policy.take(b, owner: "y", service: "maps") == nil)
    let place = policy.wait(1, host: b, owner: "y", service: "maps")
    #expect(policy.take(b, owner: "y") != nil, "other requests of the owner at that host go past it")
    #expect(policy.take(b, service: "unheard of") != nil, "a service without limits")
    #expect(policy.next() == nil)
    #expect(policy.blocker(of: place) == .service("maps", used: 1, limit: 1))
    policy.release(slot)
    #expect(policy.everyNext().map(\.id) == [1])
  }

  @Test func aServicesFreePlaceGoesPastFullHostsAndOwners() throws {
    var policy = AdmissionPolicy(perHost: 1, total: 100, perOwner: 1, services: ["maps": ServiceLimits(maxInFlight: 1)])
    let hosts = (0..<4).map { _ in policy.addHost() }
    let slot = try policy.taken(hosts[0], service: "maps")
    #expect(policy.take(hosts[1], owner: "other") != nil)
    #expect(policy.take(hosts[2], owner: "busy") != nil)
    _ = policy.wait(1, host: hosts[1], owner: "a", service: "maps")
    _ = policy.wait(2, host: hosts[3], owner: "busy", service: "maps")
    _ = policy.wait(3, host: hosts[3], owner: "b", service: "maps")
    #expect(policy.next() == nil)
    policy.release(slot)
    #expect(policy.everyNext().map(\.id) == [3])
  }

  // MARK: Hosts

  @Test func aHostsLimitCanGrowAndShrinkWhileItRuns() {
    var policy = AdmissionPolicy(perHost: 1, total: 100)
    let host = policy.addHost()
    #expect(policy.take(host) != nil)
    for id in 0..<UInt64(10) { _ = policy.wait(id, host: host) }
    #expect(policy.next() == nil)
    policy.setLimit(host, 4)
    var slots = policy.everyNext()
    #expect(slots.map(\.id) == [0, 1, 2])
    policy.setLimit(host, 2)
    policy.release(slots.removeLast().slot)
    policy.release(slots.removeLast().slot)
    #expect(policy.next() == nil, "two are in flight yet")
    policy.release(slots.removeLast().slot)
    #expect(policy.everyNext().map(\.id) == [3])
  }

  // MARK: Priorities

  @Test func prioritiesOrderTheRequestsOfOneOwnerAndAgeThoseOfOnePriority() {
    var policy = AdmissionPolicy(perHost: 1, total: 1, services: ["s": ServiceLimits(maxInFlight: 9)])
    let host = policy.addHost()
    for (id, priority) in [0, 5, -128, 127, 5, 0, 127].enumerated() {
      _ = policy.wait(UInt64(id), host: host, owner: "a", service: id % 2 == 0 ? "s" : nil, priority: Int8(priority))
    }
    #expect(policy.servingOneByOne() == [3, 6, 1, 4, 0, 5, 2])
  }

  @Test func aHighPriorityTakesNoTurnOfAnotherOwner() {
    var policy = AdmissionPolicy(perHost: 1, total: 1)
    let host = policy.addHost()
    for id in 0..<UInt64(3) { _ = policy.wait(id, host: host, owner: "a", priority: 127) }
    for id in 10..<UInt64(13) { _ = policy.wait(id, host: host, owner: "b", priority: -128) }
    #expect(policy.servingOneByOne() == [0, 10, 1, 11, 2, 12])
  }

  // MARK: Rates

  @Test func aHostsRateSpacesItsRequestsAndWakesNobodyForNothing() {
    var policy = AdmissionPolicy(perHost: 100, total: 100, rates: ["slow": RateLimit(perSecond: 10, burst: 2)])
    let (slow, other) = (policy.addHost("slow"), policy.addHost("other"))
    #expect(policy.take(slow) != nil)
    #expect(policy.take(slow) != nil)
    #expect(policy.nextWake == nil, "nobody waits")
    #expect(policy.take(slow) == nil)
    let place = policy.wait(1, host: slow)
    _ = policy.wait(2, host: slow)
    #expect(policy.next() == nil)
    #expect(policy.blocker(of: place) == .rate("slow", until: .after(.milliseconds(100))))
    #expect(policy.nextWake == .after(.milliseconds(100)))
    #expect(policy.take(other) != nil)
    #expect(policy.everyNext(at: .after(.milliseconds(99))).isEmpty)
    #expect(policy.everyNext(at: .after(.milliseconds(100))).map(\.id) == [1])
    #expect(policy.nextWake == .after(.milliseconds(200)))
    #expect(policy.everyNext(at: .after(.milliseconds(200))).map(\.id) == [2])
    #expect(policy.nextWake == nil)
    #expect(policy.take(slow, at: .after(.milliseconds(300))) != nil)
  }

  @Test func originsOfOneNameShareItsRate() {
    var policy = AdmissionPolicy(perHost: 100, total: 100, rates: ["slow": RateLimit(perSecond: 1)])
    let (plain, secure) = (policy.addHost("slow"), policy.addHost("slow"))
    #expect(policy.take(plain) != nil)
    #expect(policy.take(secure) == nil)
    _ = policy.wait(1, host: secure)
    _ = policy.wait(2, host: plain)
    #expect(policy.everyNext(at: .after(.seconds(1))).map(\.id) == [1])
    #expect(policy.everyNext(at: .after(.seconds(2))).map(\.id) == [2])
  }

  @Test func aServicesRateHoldsBackItsRequestsAlone() {
    var policy = AdmissionPolicy(perHost: 100, total: 100, services: ["s": ServiceLimits(rate: RateLimit(perSecond: 1))])
    let host = policy.addHost()
    #expect(policy.take(host, service: "s") != nil)
    let place = policy.wait(1, host: host, owner: "a", service: "s")
    _ = policy.wait(2, host: host, owner: "a")
    #expect(policy.everyNext().map(\.id) == [2])
    #expect(policy.blocker(of: place) == .rate("s", until: .after(.seconds(1))))
    #expect(policy.everyNext(at: .after(.seconds(1))).map(\.id) == [1])
  }

  @Test func aRateOutlivesTheHostThatWasForgotten() throws {
    var policy = AdmissionPolicy(perHost: 100, total: 100, rates: ["slow": RateLimit(perSecond: 1)])
    let host = policy.addHost("slow")
    policy.release(try policy.taken(host))
    #expect(policy.removeHost(host) == true)
    #expect(policy.take(policy.addHost("slow")) == nil)
  }

  // MARK: Lending

  @Test func aLentPlaceServesAnotherAndIsTakenBackWhenOneIsFree() throws {
    var policy = AdmissionPolicy(perHost: 2, total: 1)
    let (resolving, live) = (policy.addHost(), policy.addHost())
    let slot = try policy.taken(resolving)
    policy.lend()
    let other = try policy.taken(live)
    #expect(policy.reclaim() == false)
    policy.release(other)
    #expect(policy.reclaim() == true)
    policy.lend()
    policy.release(slot, isLent: true)
    #expect(policy.inUse == 0 && policy.removeHost(resolving) && policy.removeHost(live))
  }

  // MARK: Numbers

  @Test func aLimitedOwnerWithThousandsOfHostsMovesOneOfThemForEachPlace() throws {
    // A place that woke all who wait would make this some 10^9 moves.
    var policy = AdmissionPolicy(perHost: 4, total: 100, perOwner: 8)
    let hosts = (0..<20_000).map { _ in policy.addHost() }
    var running = hosts.prefix(8).compactMap { policy.take($0, owner: "crawler") }
    for id in 0..<100_000 { _ = policy.wait(UInt64(id), host: hosts[id % 20_000], owner: "crawler") }
    var count = 0
    while let slot = running.popLast() {
      policy.release(slot)
      for next in policy.everyNext() {
        running.append(next.slot)
        count += 1
      }
      if count % 1_000 == 0, running.count > 8 { Issue.record("\(running.count) in flight") }
    }
    #expect(count == 100_000 && policy.waiting == 0)
  }
}
