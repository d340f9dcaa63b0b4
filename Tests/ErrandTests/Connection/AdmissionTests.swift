import TestSupport
import Testing

@testable import Errand

@Suite struct AdmissionTests {
  @Test func aSlotIsTakenAtOnceOnlyIfOneIsFreeAndNobodyWaits() {
    var policy = AdmissionPolicy(perHost: 2, total: 3)
    let (a, b) = (policy.addHost(), policy.addHost())
    #expect(policy.take(a) == true)
    #expect(policy.take(a) == true)
    #expect(policy.take(a) == false, "the host's limit")
    #expect(policy.take(b) == true)
    #expect(policy.take(b) == false, "the total limit")
    policy.release(a)
    _ = policy.wait(1, host: b, owner: "")
    #expect(policy.take(b) == false, "somebody waits")
    #expect(policy.next() == 1)
    #expect(policy.next() == nil)
  }

  @Test func ownersOfAHostTakeTurnsHoweverManyEachOfThemHas() {
    var policy = AdmissionPolicy(perHost: 1, total: 1)
    let host = policy.addHost()
    #expect(policy.take(host) == true)
    for id in 0..<UInt64(1_000) { _ = policy.wait(id, host: host, owner: "greedy") }
    _ = policy.wait(5_000, host: host, owner: "modest")
    _ = policy.wait(5_001, host: host, owner: "modest")
    var order: [UInt64] = []
    for _ in 0..<5 {
      policy.release(host)
      if let id = policy.next() { order.append(id) }
    }
    #expect(order == [0, 5_000, 1, 5_001, 2])
  }

  @Test func hostsTakeTurnsUnderTheTotalLimit() {
    var policy = AdmissionPolicy(perHost: 10, total: 1)
    let hosts = (0..<3).map { _ in policy.addHost() }
    #expect(policy.take(hosts[0]) == true)
    for index in 0..<9 { _ = policy.wait(UInt64(index), host: hosts[index / 3], owner: "") }
    var order: [UInt64] = []
    policy.release(hosts[0])
    while let id = policy.next() {
      order.append(id)
      policy.release(hosts[Int(id) / 3])
    }
    #expect(order == [0, 3, 6, 1, 4, 7, 2, 5, 8])
  }

  @Test func aHostAtItsLimitDoesNotHoldUpTheOthers() {
    var policy = AdmissionPolicy(perHost: 1, total: 10)
    let (dead, live) = (policy.addHost(), policy.addHost())
    #expect(policy.take(dead) == true)
    for id in 0..<UInt64(100) { _ = policy.wait(id, host: dead, owner: "") }
    #expect(policy.next() == nil)
    #expect(policy.take(live) == true)
  }

  @Test func whoLeavesIsNotServedAndTheOthersKeepTheirOrder() {
    var policy = AdmissionPolicy(perHost: 1, total: 1)
    let host = policy.addHost()
    #expect(policy.take(host) == true)
    let places = (0..<UInt64(5)).map { policy.wait($0, host: host, owner: $0 % 2 == 0 ? "even" : "odd") }
    policy.leave(places[0])
    policy.leave(places[3])
    #expect(policy.waiting == 3)
    var order: [UInt64] = []
    policy.release(host)
    while let id = policy.next() {
      order.append(id)
      policy.release(host)
    }
    #expect(order.sorted() == [1, 2, 4])
  }

  @Test func aHostThatEveryoneHasLeftCanBeForgottenAtOnce() {
    var policy = AdmissionPolicy(perHost: 1, total: 1)
    let (busy, left) = (policy.addHost(), policy.addHost())
    #expect(policy.take(busy) == true)
    let places = (0..<UInt64(3)).map { policy.wait($0, host: left, owner: "\($0)") }
    #expect(policy.removeHost(left) == false)
    for place in places { policy.leave(place) }
    #expect(policy.removeHost(left) == true, "nobody waits for it or uses it")
    #expect(policy.removeHost(busy) == false)
    policy.release(busy)
    #expect(policy.next() == nil)
    #expect(policy.removeHost(busy) == true)
  }

  @Test func aHundredThousandThatWaitMakeNoStepDearer() {
    // Each step is O(1): a list that was searched would make the last of these take hours.
    var policy = AdmissionPolicy(perHost: 1, total: 8)
    let hosts = (0..<100).map { _ in policy.addHost() }
    for host in hosts.prefix(8) { #expect(policy.take(host) == true) }
    var places: [AdmissionPolicy.Place] = []
    for id in 0..<100_000 { places.append(policy.wait(UInt64(id), host: hosts[id % 100], owner: "\(id % 700)")) }
    #expect(policy.waiting == 100_000)
    for index in places.indices.reversed() where index % 2 == 0 { policy.leave(places[index]) }
    #expect(policy.waiting == 50_000)
    var served: Set<UInt64> = []
    var busy = Array(hosts.prefix(8))
    while policy.inUse > 0 {
      if let host = busy.popLast() { policy.release(host) }
      while let id = policy.next() {
        #expect(served.insert(id).inserted == true)
        busy.append(hosts[Int(id) % 100])
      }
    }
    #expect(served.count == 50_000 && policy.waiting == 0)
    for host in hosts { #expect(policy.removeHost(host) == true) }
  }

  @Test(arguments: 0..<UInt64(300)) func randomOperationsAgreeWithANaiveModel(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let (perHost, total) = (Int.random(in: 1...3, using: &generator), Int.random(in: 1...6, using: &generator))
    var policy = AdmissionPolicy(perHost: perHost, total: total)
    var model = NaiveAdmission(perHost: perHost, total: total)
    let hosts = (0..<4).map { _ in policy.addHost() }
    var places: [UInt64: AdmissionPolicy.Place] = [:]
    var running: [UInt64: Int] = [:]
    for id in 0..<UInt64(400) {
      let host = Int.random(in: 0..<4, using: &generator)
      switch generator.next() % 4 {
      case 0, 1:
        let owner = "\(generator.next() % 3)"
        if policy.take(hosts[host]) {
          #expect(model.mayTake(host), "seed \(seed)")
          model.grant(host)
          running[id] = host
        } else {
          #expect(!model.mayTake(host), "seed \(seed)")
          places[id] = policy.wait(id, host: hosts[host], owner: owner)
          model.waiting.append((id, host, owner))
        }
      case 2:
        guard let (left, place) = places.min(by: { $0.key < $1.key }) else { break }
        policy.leave(place)
        places[left] = nil
        model.waiting.removeAll { $0.id == left }
      default:
        guard let (ended, host) = running.min(by: { $0.key < $1.key }) else { break }
        policy.release(hosts[host])
        running[ended] = nil
        model.inUse[host] -= 1
      }
      while let next = policy.next() {
        guard let entry = model.waiting.first(where: { $0.id == next }) else {
          Issue.record("seed \(seed): \(next) does not wait")
          return
        }
        #expect(model.inUse[entry.host] < perHost && model.inUse.reduce(0, +) < total, "seed \(seed)")
        #expect(model.isFirstOfItsOwner(entry), "seed \(seed)")
        model.waiting.removeAll { $0.id == next }
        model.grant(entry.host)
        places[next] = nil
        running[next] = entry.host
      }
      #expect(!model.someoneMayGo, "seed \(seed): a slot is free and someone waits for it")
      #expect(policy.waiting == model.waiting.count && policy.inUse == model.inUse.reduce(0, +), "seed \(seed)")
      for index in 0..<4 { #expect(policy.inUse(hosts[index]) == model.inUse[index], "seed \(seed)") }
    }
  }
}

private struct NaiveAdmission {
  let perHost: Int
  let total: Int
  var waiting: [(id: UInt64, host: Int, owner: String)] = []
  var inUse = [0, 0, 0, 0]

  var isFull: Bool { inUse.reduce(0, +) >= total }
  var someoneMayGo: Bool { !isFull && waiting.contains { inUse[$0.host] < perHost } }

  func mayTake(_ host: Int) -> Bool { !isFull && inUse[host] < perHost && !someoneMayGo }
  mutating func grant(_ host: Int) { inUse[host] += 1 }

  func isFirstOfItsOwner(_ entry: (id: UInt64, host: Int, owner: String)) -> Bool {
    waiting.first { $0.host == entry.host && $0.owner == entry.owner }?.id == entry.id
  }
}
