import EventLoop
import TestSupport
import Testing

@testable import Errand

@Suite struct AdmissionTests {
  @Test func aSlotIsTakenAtOnceOnlyIfOneIsFreeAndNobodyWaits() throws {
    var policy = AdmissionPolicy(perHost: 2, total: 3)
    let (a, b) = (policy.addHost(), policy.addHost())
    let slot = try policy.taken(a)
    #expect(policy.take(a) != nil)
    #expect(policy.take(a) == nil, "the host's limit")
    #expect(policy.take(b) != nil)
    #expect(policy.take(b) == nil, "the total limit")
    policy.release(slot)
    _ = policy.wait(1, host: b)
    #expect(policy.take(b) == nil, "somebody waits")
    #expect(policy.next()?.id == 1)
    #expect(policy.next() == nil)
  }

  @Test func ownersOfAHostTakeTurnsHoweverManyEachOfThemHas() {
    var policy = AdmissionPolicy(perHost: 1, total: 1)
    let host = policy.addHost()
    var slot = policy.take(host)
    for id in 0..<UInt64(1_000) { _ = policy.wait(id, host: host, owner: "greedy") }
    _ = policy.wait(5_000, host: host, owner: "modest")
    _ = policy.wait(5_001, host: host, owner: "modest")
    var order: [UInt64] = []
    while order.count < 5, let old = slot {
      policy.release(old)
      slot = policy.next().map { next in
        order.append(next.id)
        return next.slot
      }
    }
    #expect(order == [0, 5_000, 1, 5_001, 2])
  }

  @Test func hostsTakeTurnsUnderTheTotalLimit() throws {
    var policy = AdmissionPolicy(perHost: 10, total: 1)
    let hosts = (0..<3).map { _ in policy.addHost() }
    let slot = try policy.taken(hosts[0])
    for index in 0..<9 { _ = policy.wait(UInt64(index), host: hosts[index / 3]) }
    policy.release(slot)
    let order = policy.servingOneByOne()
    #expect(order == [0, 3, 6, 1, 4, 7, 2, 5, 8])
  }

  @Test func aHostAtItsLimitDoesNotHoldUpTheOthers() {
    var policy = AdmissionPolicy(perHost: 1, total: 10)
    let (dead, live) = (policy.addHost(), policy.addHost())
    #expect(policy.take(dead) != nil)
    for id in 0..<UInt64(100) { _ = policy.wait(id, host: dead) }
    #expect(policy.next() == nil)
    #expect(policy.take(live) != nil)
  }

  @Test func whoLeavesIsNotServedAndTheOthersKeepTheirOrder() throws {
    var policy = AdmissionPolicy(perHost: 1, total: 1)
    let host = policy.addHost()
    let slot = try policy.taken(host)
    let places = (0..<UInt64(5)).map { policy.wait($0, host: host, owner: $0 % 2 == 0 ? "even" : "odd") }
    policy.leave(places[0])
    policy.leave(places[3])
    #expect(policy.waiting == 3)
    policy.release(slot)
    #expect(policy.servingOneByOne() == [2, 1, 4])
  }

  @Test func aHostThatEveryoneHasLeftCanBeForgottenAtOnce() throws {
    var policy = AdmissionPolicy(perHost: 1, total: 1)
    let (busy, left) = (policy.addHost(), policy.addHost())
    let slot = try policy.taken(busy)
    let places = (0..<UInt64(3)).map { policy.wait($0, host: left, owner: "\($0)") }
    #expect(policy.removeHost(left) == false)
    for place in places { policy.leave(place) }
    #expect(policy.removeHost(left) == true, "nobody waits for it or uses it")
    #expect(policy.removeHost(busy) == false)
    policy.release(slot)
    #expect(policy.next() == nil)
    #expect(policy.removeHost(busy) == true)
  }

  @Test func aHundredThousandThatWaitMakeNoStepDearer() {
    // Each step is O(1): a list that was searched would make the last of these take hours.
    var policy = AdmissionPolicy(perHost: 1, total: 8)
    let hosts = (0..<100).map { _ in policy.addHost() }
    var busy = hosts.prefix(8).compactMap { policy.take($0) }
    #expect(busy.count == 8)
    var places: [AdmissionPolicy.Place] = []
    for id in 0..<100_000 { places.append(policy.wait(UInt64(id), host: hosts[id % 100], owner: "\(id % 700)")) }
    #expect(policy.waiting == 100_000)
    for index in places.indices.reversed() where index % 2 == 0 { policy.leave(places[index]) }
    #expect(policy.waiting == 50_000)
    var served: Set<UInt64> = []
    while policy.inUse > 0 {
      if let slot = busy.popLast() { policy.release(slot) }
      while let (id, slot) = policy.next() {
        #expect(served.insert(id).inserted == true)
        busy.append(slot)
      }
    }
    #expect(served.count == 50_000 && policy.waiting == 0)
    for host in hosts { #expect(policy.removeHost(host) == true) }
  }
}
