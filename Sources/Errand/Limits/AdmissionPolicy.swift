internal import EventLoop

/// Who may run next. Pure policy: it knows requests, hosts, owners and services by number or name, no connection and no clock.
///
/// A slot is one request in flight. It counts against the total, its host, its owner and its service, and may cost a token of its host's and its
/// service's rate. Hosts take turns; within a host its owners do; an owner's requests at a host go by priority, then by age. So no owner gets
/// past another by many requests or by high priorities.
///
/// What a limit holds back waits at that limit, and one of them is let go at a time: no step looks through those that wait. Each is O(1)
/// however many wait, but for this: where a limit of an owner or service and full hosts hold each other's requests, one free slot may move each lineup
/// (owner × host, not request) from one to the other, some 20 ns for each.
struct AdmissionPolicy: Sendable {
  let limits: Limits
  private(set) var inUse = 0
  private(set) var waiting = 0
  var hosts = RingPool<Host>()
  var owners = RingPool<Owner>()
  var services: [Service] = []
  var rates: [Rate] = []
  var lineups = RingPool<Lineup>()
  var lanes = RingPool<Lane>()
  var guests = RingPool<Guest>()
  private var uses = RingPool<Use>()
  private var levels = RingPool<Level>()
  private var requests = RingPool<Request>()
  private var ownerNumbers: [String: Int32] = [:]
  private var serviceNumbers: [String: Int32] = [:]
  private var rateNumbers: [String: Int32] = [:]
  private var lineupNumbers: [LineupKey: Int32] = [:]
  private var laneNumbers: [LaneKey: Int32] = [:]
  private var lastNumber: UInt64 = 0
  /// Hosts with a free slot and somebody for it, in turn.
  var ready = Ring()
  /// Rates that somebody waits for, as a heap with the earliest first.
  var wakeList = WakeList()

  /// Whom requests without an owner count against: a limit that is none.
  private static let nobody: Int32 = 0

  init(_ limits: Limits) {
    var limits = limits
    (limits.perHost, limits.total) = (max(1, limits.perHost), max(1, limits.total))
    self.limits = limits
    _ = owners.add(Owner())
    for (name, limit) in limits.rates {
      rateNumbers[name] = addRate(limit, name, service: -1)
    }
    for (name, limits) in limits.services {
      let number = Int32(services.count)
      let rate = limits.rate.flatMap { addRate($0, name, service: number) } ?? -1
      guard limits.maxInFlight != nil || rate >= 0 else { continue }
      serviceNumbers[name] = number
      services.append(Service(name: name, limit: limits.maxInFlight.map { max(1, $0) } ?? .max, rate: rate))
    }
  }

  private mutating func addRate(_ limit: RateLimit, _ name: String, service: Int32) -> Int32? {
    guard let bucket = TokenBucket(limit) else { return nil }
    rates.append(Rate(name: name, service: service, bucket: bucket))
    return Int32(rates.count - 1)
  }

  // MARK: Hosts

  /// `name`: what rate limits know it by. Origins of one name share its rate, not its slots.
  mutating func addHost(_ name: String) -> HostIndex {
    hosts.add(Host(limit: limits.perHost, rate: rateNumbers[name] ?? -1))
  }

  /// Forgets a host. False if something waits for it or uses it.
  mutating func removeHost(_ host: HostIndex) -> Bool {
    guard hosts[host].inUse == 0, hosts[host].waiting == 0 else { return false }
    hosts.giveBack(host, Host())
    return true
  }

  /// How many requests may be in flight at the host from now on. Those that are above a lower limit end in their own time.
  mutating func setLimit(_ host: HostIndex, _ limit: Int) {
    hosts[host].limit = max(1, limit)
    hostChanged(host)
  }

  func inUse(_ host: HostIndex) -> Int { hosts[host].inUse }
  func waiting(_ host: HostIndex) -> Int { hosts[host].waiting }
  func limit(_ host: HostIndex) -> Int { hosts[host].limit }
  /// How many requests of an owner wait, over all hosts.
  func waiting(owner name: String) -> Int { ownerNumbers[name].map { owners[$0].waiting } ?? 0 }
  /// Owners that have something waiting or in flight, as far as they are counted.
  var ownerCount: Int { ownerNumbers.count }

  // MARK: Slots

  /// Takes a slot at once, if the limits allow it and nobody waits who could use it.
  mutating func take(_ host: HostIndex, owner name: String? = nil, service serviceName: String? = nil, at now: Instant) -> Slot? {
    wakeDue(now)
    look(hosts[host].rate, now)
    guard inUse < limits.total, ready.isEmpty, isAvailable(host) else { return nil }
    let service = serviceNumber(serviceName)
    if service >= 0 {
      look(services[Int(service)].rate, now)
      guard hasRoom(service: service), services[Int(service)].parked.isEmpty else { return nil }
    }
    // Without a limit nobody asks how many an owner has, and looking its name up is not free.
    let isCounted = limits.perOwner != nil && name != nil
    if isCounted, let name, let known = ownerNumbers[name] { guard owners[known].hasRoom, owners[known].parked.isEmpty else { return nil } }
    return use(Use(host: host, owner: isCounted ? ownerNumber(name) : AdmissionPolicy.nobody, service: service, since: now))
  }

  /// Lines up for a slot. `id` is what ``next(at:)`` gives back.
  mutating func wait(
    _ id: UInt64, host: HostIndex, owner name: String? = nil, service serviceName: String? = nil, priority: Int8 = 0
  ) -> Place {
    let owner = ownerNumber(name)
    let lane = laneNumber(LaneKey(host: host, owner: owner, service: serviceNumber(serviceName)))
    let level = levelNumber(lane, priority)
    lastNumber += 1
    let request = requests.add(Request(id: id, number: lastNumber, level: level))
    requests.append(request, to: &levels[level].requests)
    waiting += 1
    hosts[host].waiting += 1
    owners[owner].waiting += 1
    headMayDiffer(lane)
    return Place(request: request)
  }

  /// Leaves the line.
  mutating func leave(_ place: Place) {
    let lane = levels[requests[place.request].level].lane
    let owner = lineups[lanes[lane].lineup].owner
    takeOut(place.request, of: lane)
    headMayDiffer(lane)
    forgetIfUnused(owner)
  }

  /// The request whose turn it is, which now has a slot; nil if none may go.
  mutating func next(at now: Instant) -> (id: UInt64, slot: Slot)? {
    while true {
      // Each time: what was let go meanwhile may wait for a token that has come long ago.
      wakeDue(now)
      guard inUse < limits.total, !ready.isEmpty else { return nil }
      let host = ready.first
      look(hosts[host].rate, now)
      guard isAvailable(host) else {
        hostChanged(host)
        continue
      }
      let lineup = hosts[host].lineups.first
      guard owners[lineups[lineup].owner].hasRoom else {
        park(lineup: lineup)
        continue
      }
      let lane = lineups[lineup].lanes.first
      let service = lanes[lane].service
      if service >= 0 { look(services[Int(service)].rate, now) }
      guard service < 0 || hasRoom(service: service) else {
        park(lane: lane)
        continue
      }
      return grant(lane, now)
    }
  }

  private mutating func grant(_ lane: Int32, _ now: Instant) -> (id: UInt64, slot: Slot) {
    let lineup = lanes[lane].lineup
    let (host, owner, service) = (lineups[lineup].host, lineups[lineup].owner, lanes[lane].service)
    let request = levels[lanes[lane].levels.first].requests.first
    let id = requests[request].id
    dismiss(lineups[lineup].guest)
    dismiss(lanes[lane].guest)
    takeOut(request, of: lane)
    let slot = use(Use(host: host, owner: owner, service: service, since: now))
    // To the end of both turns.
    leaveTurn(host)
    headMayDiffer(lane)
    if lineups[lineup].standing == .host { passTurn(lineup) }
    hostChanged(host)
    letGo(owner: owner)
    if service >= 0 { letGo(service: service) }
    return (id, slot)
  }

  /// Gives a slot back. `isLent`: its place under the total limit was lent before.
  mutating func release(_ slot: Slot, isLent: Bool = false) {
    if !isLent { inUse -= 1 }
    let use = uses[slot.number]
    uses.remove(slot.number, from: &hosts[use.host].uses)
    uses.giveBack(slot.number, Use())
    hosts[use.host].inUse -= 1
    hostChanged(use.host)
    if use.service >= 0 {
      services[Int(use.service)].inUse -= 1
      letGo(service: use.service)
    }
    owners[use.owner].inUse -= 1
    letGo(owner: use.owner)
    forgetIfUnused(use.owner)
  }

  /// Lets others use a slot's place under the total limit for as long as its request needs no connection. Its other places stay taken.
  mutating func lend() {
    inUse -= 1
  }

  /// Takes a lent place back; false if none is free.
  mutating func reclaim() -> Bool {
    guard inUse < limits.total else { return false }
    inUse += 1
    return true
  }

  private mutating func use(_ use: Use) -> Slot {
    let number = uses.add(use)
    uses.append(number, to: &hosts[use.host].uses)
    inUse += 1
    hosts[use.host].inUse += 1
    owners[use.owner].inUse += 1
    spend(hosts[use.host].rate, use.since)
    if use.service >= 0 {
      services[Int(use.service)].inUse += 1
      spend(services[Int(use.service)].rate, use.since)
    }
    return Slot(number: number)
  }

  // MARK: What it knows

  /// Why the request of a place does not run: the narrowest limit first.
  func blocker(of place: Place, at now: Instant) -> Blocker {
    let lane = lanes[levels[requests[place.request].level].lane]
    let lineup = lineups[lane.lineup]
    let (host, owner) = (hosts[lineup.host], owners[lineup.owner])
    if host.inUse >= host.limit {
      return .host(used: host.inUse, limit: host.limit, oldest: host.uses.isEmpty ? nil : uses[host.uses.first].since)
    }
    if !owner.hasRoom { return .owner(used: owner.inUse, limit: owner.limit) }
    var rateNumbers = [host.rate]
    if lane.service >= 0 {
      let service = services[Int(lane.service)]
      if service.inUse >= service.limit { return .service(service.name, used: service.inUse, limit: service.limit) }
      rateNumbers.append(service.rate)
    }
    for number in rateNumbers where number >= 0 {
      let until = rates[Int(number)].bucket.readyAt(now)
      if until > now { return .rate(rates[Int(number)].name, until: until) }
    }
    return inUse >= limits.total ? .total(used: inUse, limit: limits.total) : .turn
  }

  // MARK: Numbers

  private func serviceNumber(_ name: String?) -> Int32 {
    guard let name, !serviceNumbers.isEmpty else { return -1 }
    return serviceNumbers[name] ?? -1
  }

  private mutating func ownerNumber(_ name: String?) -> Int32 {
    guard let name else { return AdmissionPolicy.nobody }
    if let known = ownerNumbers[name] { return known }
    let number = owners.add(Owner(name: name, limit: limits.perOwner.map { max(1, $0) } ?? .max))
    ownerNumbers[name] = number
    return number
  }

  /// Owners come and go: one without requests costs nothing until it has one again.
  private mutating func forgetIfUnused(_ owner: Int32) {
    guard owner != AdmissionPolicy.nobody, owners[owner].waiting == 0, owners[owner].inUse == 0 else { return }
    ownerNumbers[owners[owner].name] = nil
    owners.giveBack(owner, Owner())
  }

  private mutating func laneNumber(_ key: LaneKey) -> Int32 {
    if let known = laneNumbers[key] { return known }
    let lineupKey = LineupKey(host: key.host, owner: key.owner)
    let lineup = lineupNumbers[lineupKey] ?? lineups.add(Lineup(host: key.host, owner: key.owner))
    lineupNumbers[lineupKey] = lineup
    lineups[lineup].laneCount += 1
    let lane = lanes.add(Lane(lineup: lineup, service: key.service))
    laneNumbers[key] = lane
    return lane
  }

  private mutating func levelNumber(_ lane: Int32, _ priority: Int8) -> Int32 {
    var level = lanes[lane].levels.first
    while level >= 0, levels[level].priority > priority { level = levels.next(level) }
    if level >= 0, levels[level].priority == priority { return level }
    let added = levels.add(Level(lane: lane, priority: priority))
    levels.insert(added, into: &lanes[lane].levels) { $0.priority < priority }
    return added
  }

  /// The best request of a lane now; nil if it has none.
  func currentHead(of lane: Int32) -> Head? {
    let level = lanes[lane].levels.first
    guard level >= 0 else { return nil }
    return Head(priority: levels[level].priority, number: requests[levels[level].requests.first].number)
  }

  /// Forgets an empty lane, which is out of every ring.
  mutating func forget(lane: Int32) {
    let lineup = lanes[lane].lineup
    let key = LaneKey(host: lineups[lineup].host, owner: lineups[lineup].owner, service: lanes[lane].service)
    laneNumbers[key] = nil
    lanes.giveBack(lane, Lane())
    lineups[lineup].laneCount -= 1
    guard lineups[lineup].laneCount == 0 else { return }
    lineupNumbers[LineupKey(host: key.host, owner: key.owner)] = nil
    lineups.giveBack(lineup, Lineup())
  }

  private mutating func takeOut(_ request: Int32, of lane: Int32) {
    let level = requests[request].level
    requests.remove(request, from: &levels[level].requests)
    requests.giveBack(request, Request())
    if levels[level].requests.isEmpty {
      levels.remove(level, from: &lanes[lane].levels)
      levels.giveBack(level, Level())
    }
    let lineup = lanes[lane].lineup
    hosts[lineups[lineup].host].waiting -= 1
    owners[lineups[lineup].owner].waiting -= 1
    waiting -= 1
    // A burst's table would otherwise stay as large as the burst.
    if waiting == 0, requests.capacity > 4_096 { requests = RingPool() }
  }
}
