import EventLoop
import TestSupport
import Testing

@testable import Errand

/// Random operations, seeded, against models that search through everything.
@Suite struct AdmissionRandomTests {
  /// Limits of hosts and in total alone: the order is that of the turns exactly.
  @Test(arguments: 0..<UInt64(150)) func theOrderIsThatOfANaiveModel(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let (perHost, total) = (Int.random(in: 1...3, using: &generator), Int.random(in: 1...6, using: &generator))
    var policy = AdmissionPolicy(perHost: perHost, total: total)
    var model = TurnModel(limits: [perHost, perHost, perHost, perHost], total: total)
    let hosts = (0..<4).map { _ in policy.addHost() }
    var places: [UInt64: AdmissionPolicy.Place] = [:]
    var running: [(host: Int, slot: AdmissionPolicy.Slot)] = []
    for id in 0..<UInt64(400) {
      let host = Int.random(in: 0..<4, using: &generator)
      switch generator.next() % 9 {
      case 0...3:
        let (owner, priority) = ("\(generator.next() % 3)", Int8.random(in: -1...1, using: &generator))
        if let slot = policy.take(hosts[host], owner: owner) {
          #expect(model.mayTake(host), "seed \(seed)")
          model.used[host] += 1
          model.update()
          running.append((host, slot))
        } else {
          #expect(!model.mayTake(host), "seed \(seed)")
          places[id] = policy.wait(id, host: hosts[host], owner: owner, priority: priority)
          model.wait(id, host, owner, priority)
        }
      case 4:
        guard let left = places.keys.sorted().randomElement(using: &generator), let place = places.removeValue(forKey: left) else { break }
        policy.leave(place)
        model.leave(left)
      case 5:
        let limit = Int.random(in: 1...4, using: &generator)
        policy.setLimit(hosts[host], limit)
        model.limits[host] = limit
        model.update()
      default:
        guard !running.isEmpty else { break }
        let ended = running.remove(at: Int.random(in: running.indices, using: &generator))
        policy.release(ended.slot)
        model.used[ended.host] -= 1
        model.update()
      }
      while let next = model.next() {
        let (granted, slot) = policy.next() ?? (.max, .init(number: -1))
        guard granted == next.id else {
          Issue.record("seed \(seed): \(granted) instead of \(next.id)")
          return
        }
        places[granted] = nil
        running.append((next.host, slot))
      }
      #expect(policy.next() == nil, "seed \(seed)")
      #expect(policy.waiting == model.waiting.count && policy.inUse == model.used.reduce(0, +), "seed \(seed)")
    }
  }

  /// All limits at once: none is broken, nothing that could go waits, and an owner's requests at a host keep their order.
  @Test(arguments: 0..<UInt64(150)) func noLimitIsBrokenAndNothingThatCouldGoWaits(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var scene = CrossedLimits(&generator)
    for id in 0..<UInt64(300) {
      if let complaint = scene.step(id, &generator) {
        Issue.record("seed \(seed), step \(id): \(complaint)")
        return
      }
    }
    if let complaint = scene.drain() { Issue.record("seed \(seed): \(complaint)") }
  }
}

/// Turns as lists.
private struct TurnModel {
  struct Waiting {
    let id: UInt64
    let host: Int
    let owner: String
    let priority: Int8
  }

  var limits: [Int]
  let total: Int
  var used = [0, 0, 0, 0]
  var waiting: [Waiting] = []
  private var ready: [Int] = []
  private var owners: [[String]] = [[], [], [], []]

  init(limits: [Int], total: Int) {
    self.limits = limits
    self.total = total
  }

  func mayTake(_ host: Int) -> Bool { used.reduce(0, +) < total && used[host] < limits[host] && ready.isEmpty }

  mutating func wait(_ id: UInt64, _ host: Int, _ owner: String, _ priority: Int8) {
    waiting.append(Waiting(id: id, host: host, owner: owner, priority: priority))
    update()
  }

  mutating func leave(_ id: UInt64) {
    waiting.removeAll { $0.id == id }
    update()
  }

  /// Lists drop who has nothing left, and take in at the end who has come.
  mutating func update() {
    for entry in waiting where !owners[entry.host].contains(entry.owner) { owners[entry.host].append(entry.owner) }
    for host in 0..<4 {
      owners[host].removeAll { owner in !waiting.contains { $0.host == host && $0.owner == owner } }
      let isReady = used[host] < limits[host] && !owners[host].isEmpty
      if !isReady { ready.removeAll { $0 == host } } else if !ready.contains(host) { ready.append(host) }
    }
  }

  mutating func next() -> Waiting? {
    guard used.reduce(0, +) < total, let host = ready.first, let owner = owners[host].first else { return nil }
    let mine = waiting.filter { $0.host == host && $0.owner == owner }
    guard let best = mine.map(\.priority).max(), let chosen = mine.first(where: { $0.priority == best }) else { return nil }
    ready.removeFirst()
    owners[host].removeFirst()
    used[host] += 1
    if mine.count > 1 { owners[host].append(owner) }
    waiting.removeAll { $0.id == chosen.id }
    update()
    return chosen
  }
}

/// A policy with every kind of limit, beside a list of what waits and what runs.
private struct CrossedLimits {
  struct Entry {
    let id: UInt64
    let host: Int
    let owner: String?
    let service: String?
    let priority: Int8
    var place = AdmissionPolicy.Place(request: -1)
  }

  private var policy: AdmissionPolicy
  private let hosts: [AdmissionPolicy.HostIndex]
  private let names = ["a", "a", "b", "c", "d"]
  private var hostLimits: [Int]
  private let total: Int
  private let perOwner: Int?
  private let services: [String: ServiceLimits]
  private var buckets: [String: TokenBucket] = [:]
  private var waiting: [Entry] = []
  private var running: [(entry: Entry, slot: AdmissionPolicy.Slot)] = []
  private var lent = 0
  private var now = Instant.start

  init(_ generator: inout SeededGenerator) {
    let perHost = Int.random(in: 1...3, using: &generator)
    total = Int.random(in: 1...8, using: &generator)
    perOwner = generator.next() % 4 == 0 ? nil : Int.random(in: 1...4, using: &generator)
    services = [
      "s": ServiceLimits(maxInFlight: Int.random(in: 1...3, using: &generator)),
      "t": ServiceLimits(maxInFlight: generator.next() % 2 == 0 ? 2 : nil, rate: RateLimit(perSecond: 100, burst: 2)),
    ]
    let rates = ["a": RateLimit(perSecond: 200), "b": RateLimit(perSecond: 50, burst: 3)]
    var policy = AdmissionPolicy(perHost: perHost, total: total, perOwner: perOwner, services: services, rates: rates)
    hosts = names.map { policy.addHost($0) }
    hostLimits = names.map { _ in perHost }
    self.policy = policy
    for (name, rate) in rates { buckets["host " + name] = TokenBucket(rate) }
    for (name, limits) in services { buckets["service " + name] = limits.rate.flatMap { TokenBucket($0) } }
  }

  mutating func step(_ id: UInt64, _ generator: inout SeededGenerator) -> String? {
    switch generator.next() % 20 {
    case 0...8:
      let entry = Entry(
        id: id, host: Int.random(in: 0..<5, using: &generator), owner: [nil, "x", "y", "z"].randomElement(using: &generator) ?? nil,
        service: [nil, "s", "t", "u"].randomElement(using: &generator) ?? nil, priority: Int8.random(in: -1...1, using: &generator))
      if let complaint = submit(entry) { return complaint }
    case 9...10:
      guard let index = waiting.indices.randomElement(using: &generator) else { break }
      policy.leave(waiting.remove(at: index).place)
    case 11:
      let host = Int.random(in: 0..<5, using: &generator)
      hostLimits[host] = Int.random(in: 1...4, using: &generator)
      policy.setLimit(hosts[host], hostLimits[host])
    case 12...14:
      now = now + .milliseconds(Int.random(in: 0...12, using: &generator))
    case 15:
      guard lent < running.count else { break }
      policy.lend()
      lent += 1
    case 16:
      let wasFree = running.count - lent < total
      guard lent > 0 else { break }
      guard policy.reclaim() == wasFree else { return "a lent place taken back: not \(wasFree)" }
      if wasFree { lent -= 1 }
    default:
      guard let index = running.indices.randomElement(using: &generator) else { break }
      let isLent = lent == running.count
      if isLent { lent -= 1 }
      policy.release(running.remove(at: index).slot, isLent: isLent)
    }
    return pump()
  }

  /// Ends everything, one after the other, and lets the rates' time pass.
  mutating func drain() -> String? {
    while !waiting.isEmpty || !running.isEmpty {
      if !running.isEmpty {
        let isLent = lent == running.count
        if isLent { lent -= 1 }
        policy.release(running.removeLast().slot, isLent: isLent)
      } else if let wake = policy.nextWake, wake > now {
        now = wake
      } else {
        return "\(waiting.count) wait for ever"
      }
      if let complaint = pump() { return complaint }
    }
    for host in hosts where !policy.removeHost(host) { return "a host can't be forgotten" }
    guard policy.ownerCount == 0, policy.inUse == 0, policy.waiting == 0 else { return "something is left" }
    return nil
  }

  private mutating func submit(_ entry: Entry) -> String? {
    var entry = entry
    let mayGo = obstacle(entry) == nil
    if let slot = policy.take(hosts[entry.host], owner: entry.owner, service: entry.service, at: now) {
      guard mayGo else { return "took a slot in spite of \(obstacle(entry) ?? "")" }
      spend(entry)
      running.append((entry, slot))
    } else {
      guard !mayGo else { return "took no slot, and nothing was in the way" }
      entry.place = policy.wait(entry.id, host: hosts[entry.host], owner: entry.owner, service: entry.service, priority: entry.priority)
      waiting.append(entry)
    }
    return nil
  }

  private mutating func pump() -> String? {
    while let (id, slot) = policy.next(at: now) {
      guard let index = waiting.firstIndex(where: { $0.id == id }) else { return "\(id) does not wait" }
      let entry = waiting.remove(at: index)
      if let obstacle = obstacle(entry) { return "\(id) goes in spite of \(obstacle)" }
      // One of another service may have to wait for its turn there.
      let rivals = waiting.enumerated().filter {
        $1.host == entry.host && $1.owner == entry.owner && (limited($1) == nil || limited($1) == limited(entry)) && obstacle($1) == nil
      }
      if rivals.contains(where: { $1.priority > entry.priority || $1.priority == entry.priority && $0 < index }) {
        return "\(id) goes before one of the same owner"
      }
      spend(entry)
      running.append((entry, slot))
    }
    guard policy.waiting == waiting.count, policy.inUse == running.count - lent else { return "it counts wrongly" }
    for entry in waiting {
      guard let obstacle = obstacle(entry) else { return "\(entry.id) waits, and nothing is in its way" }
      let blocker = policy.blocker(of: entry.place, at: now)
      if blocker == .turn { return "\(entry.id) does not know of \(obstacle)" }
      // Whoever waits for time alone is looked for in time.
      guard obstacle == "rate" else { continue }
      guard let wake = policy.nextWake, wake <= ready(entry) else { return "\(entry.id) is not woken when its rate allows" }
    }
    return nil
  }

  private func limited(_ entry: Entry) -> String? { entry.service.flatMap { services[$0] == nil ? nil : $0 } }

  /// What keeps a request from going; nil if nothing does.
  private func obstacle(_ entry: Entry) -> String? {
    if running.count - lent >= total { return "total" }
    if running.count(where: { $0.entry.host == entry.host }) >= hostLimits[entry.host] { return "host" }
    if let owner = entry.owner, let perOwner, running.count(where: { $0.entry.owner == owner }) >= perOwner { return "owner" }
    if let service = entry.service, let limit = services[service]?.maxInFlight,
      running.count(where: { $0.entry.service == service }) >= limit
    {
      return "service"
    }
    return ready(entry) > now ? "rate" : nil
  }

  private func ready(_ entry: Entry) -> Instant {
    let host = buckets["host " + names[entry.host]]?.readyAt(now) ?? now
    return max(host, entry.service.flatMap { buckets["service " + $0]?.readyAt(now) } ?? now)
  }

  private mutating func spend(_ entry: Entry) {
    _ = buckets["host " + names[entry.host]]?.take(at: now)
    if let service = entry.service { _ = buckets["service " + service]?.take(at: now) }
  }
}
