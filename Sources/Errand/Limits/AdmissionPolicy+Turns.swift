internal import EventLoop

/// Who stands where: in the turn of a host, or at the limit that holds it back.
///
/// What holds after each step: a lineup that waits at its owner's limit, or a lane at its service's, does so because the limit is reached, or because one that
/// it let go (its guest) stands in the turn of a host with a free slot and has not been tried yet. A host with a free slot and a
/// lineup in its turn is in `ready`, or waits for its rate. So when ``next(at:)`` finds none while there is room in total, none could go.
extension AdmissionPolicy {
  // MARK: Hosts

  /// Whether a request may go there now, as far as the host's own limits say.
  func isAvailable(_ host: HostIndex) -> Bool {
    hosts[host].inUse < hosts[host].limit && !isEmpty(rate: hosts[host].rate)
  }

  /// Puts a host where its limits and requests say.
  mutating func hostChanged(_ host: HostIndex) {
    let standing: Host.Standing
    if hosts[host].lineups.isEmpty || hosts[host].inUse >= hosts[host].limit {
      standing = .none
    } else {
      standing = isEmpty(rate: hosts[host].rate) ? .throttled : .ready
    }
    if standing != hosts[host].standing {
      leaveTurn(host)
      hosts[host].standing = standing
      switch standing {
      case .none: break
      case .ready: hosts.append(host, to: &ready)
      case .throttled:
        hosts.append(host, to: &rates[Int(hosts[host].rate)].throttled)
        awaitToken(hosts[host].rate)
      }
    }
    if standing != .ready { dismissGuests(of: host) }
  }

  mutating func leaveTurn(_ host: HostIndex) {
    switch hosts[host].standing {
    case .none: break
    case .ready: hosts.remove(host, from: &ready)
    case .throttled: hosts.remove(host, from: &rates[Int(hosts[host].rate)].throttled)
    }
    hosts[host].standing = .none
  }

  // MARK: Lineups

  /// Lets a lineup that has lanes to go take turns.
  private mutating func enterTurn(_ lineup: Int32) {
    guard lineups[lineup].standing == .none else { return }
    let (host, owner) = (lineups[lineup].host, lineups[lineup].owner)
    // Behind those that wait at the limit already, or it would get past them.
    guard owners[owner].hasRoom, owners[owner].parked.isEmpty else {
      lineups[lineup].standing = .owner
      lineups.append(lineup, to: &owners[owner].parked)
      return
    }
    lineups[lineup].standing = .host
    lineups.append(lineup, to: &hosts[host].lineups)
    hostChanged(host)
  }

  /// A lineup's turn is over: it goes to the end of its host's, or of those that wait at its owner's limit.
  mutating func passTurn(_ lineup: Int32) {
    lineups.remove(lineup, from: &hosts[lineups[lineup].host].lineups)
    lineups[lineup].standing = .none
    dismissGuestLanes(of: lineup)
    enterTurn(lineup)
  }

  private mutating func leaveTurn(lineup: Int32) {
    let (host, owner) = (lineups[lineup].host, lineups[lineup].owner)
    switch lineups[lineup].standing {
    case .none: break
    case .owner:
      lineups[lineup].standing = .none
      lineups.remove(lineup, from: &owners[owner].parked)
    case .host:
      lineups[lineup].standing = .none
      lineups.remove(lineup, from: &hosts[host].lineups)
      let wasGuest = dismiss(lineups[lineup].guest)
      hostChanged(host)
      if wasGuest { letGo(owner: owner) }
    }
  }

  /// Its turn came, and its owner is at the limit.
  mutating func park(lineup: Int32) {
    let (host, owner) = (lineups[lineup].host, lineups[lineup].owner)
    let wasGuest = dismiss(lineups[lineup].guest)
    lineups.remove(lineup, from: &hosts[host].lineups)
    lineups[lineup].standing = .owner
    // Another was faster: it is the next to be let go.
    if wasGuest { lineups.prepend(lineup, to: &owners[owner].parked) } else { lineups.append(lineup, to: &owners[owner].parked) }
    hostChanged(host)
    dismissGuestLanes(of: lineup)
  }

  /// The lineup left its host's turn for its owner's limit: its services let others go instead.
  private mutating func dismissGuestLanes(of lineup: Int32) {
    var lane = lineups[lineup].lanes.first
    while lane >= 0, lineups[lineup].guestLanes > 0 {
      let following = lanes.next(lane)
      if dismiss(lanes[lane].guest) { letGo(service: lanes[lane].service) }
      lane = following
    }
  }

  // MARK: Lanes

  /// A lane got a request or lost one: it stands where its best request says, and is forgotten with its last.
  mutating func headMayDiffer(_ lane: Int32) {
    let (lineup, service) = (lanes[lane].lineup, lanes[lane].service)
    let (old, new) = (lanes[lane].head, currentHead(of: lane))
    guard new != old else { return }
    lanes[lane].head = new ?? Head()
    let isNew = old == Head()
    if isNew, service >= 0, !hasRoom(service: service) || !services[Int(service)].parked.isEmpty {
      // Behind those that wait at the limit already, or it would get past them.
      lanes[lane].isParked = true
      lanes.append(lane, to: &services[Int(service)].parked)
      return letGo(service: service)
    }
    if lanes[lane].isParked {
      guard new == nil else { return }
      lanes.remove(lane, from: &services[Int(service)].parked)
      return forget(lane: lane)
    }
    if !isNew { lanes.remove(lane, from: &lineups[lineup].lanes) }
    guard new == nil else { return enterTurn(lane: lane) }
    let wasGuest = dismiss(lanes[lane].guest)
    if lineups[lineup].lanes.isEmpty { leaveTurn(lineup: lineup) }
    forget(lane: lane)
    if wasGuest { letGo(service: service) }
  }

  private mutating func enterTurn(lane: Int32) {
    let (head, lineup) = (lanes[lane].head, lanes[lane].lineup)
    lanes[lane].isParked = false
    lanes.insert(lane, into: &lineups[lineup].lanes) { head.isBefore($0.head) }
    enterTurn(lineup)
  }

  /// Its turn came, and its service is at its limit or rate.
  mutating func park(lane: Int32) {
    let (lineup, service) = (lanes[lane].lineup, lanes[lane].service)
    let wasGuest = dismiss(lanes[lane].guest)
    lanes.remove(lane, from: &lineups[lineup].lanes)
    lanes[lane].isParked = true
    if wasGuest {
      lanes.prepend(lane, to: &services[Int(service)].parked)
    } else {
      lanes.append(lane, to: &services[Int(service)].parked)
    }
    if lineups[lineup].lanes.isEmpty { leaveTurn(lineup: lineup) }
    letGo(service: service)
  }

  // MARK: Limits of owners and services

  func hasRoom(service: Int32) -> Bool {
    services[Int(service)].inUse < services[Int(service)].limit && !isEmpty(rate: services[Int(service)].rate)
  }

  /// Lets one of those that wait at the owner's limit go, if it has room: on to the next where the host has none.
  mutating func letGo(owner: Int32) {
    while owners[owner].guest < 0, owners[owner].hasRoom, !owners[owner].parked.isEmpty {
      let lineup = owners[owner].parked.first
      let host = lineups[lineup].host
      lineups.remove(lineup, from: &owners[owner].parked)
      lineups[lineup].standing = .host
      lineups.append(lineup, to: &hosts[host].lineups)
      hostChanged(host)
      guard hosts[host].standing == .ready else { continue }
      let guest = guests.add(Guest(gate: .owner(owner), lineup: lineup))
      owners[owner].guest = guest
      lineups[lineup].guest = guest
      guests.append(guest, to: &hosts[host].guests)
    }
  }

  /// Lets one of those that wait at the service's limit or rate go, if it has room.
  mutating func letGo(service: Int32) {
    let number = Int(service)
    while services[number].guest < 0, hasRoom(service: service), !services[number].parked.isEmpty {
      let lane = services[number].parked.first
      lanes.remove(lane, from: &services[number].parked)
      enterTurn(lane: lane)
      let lineup = lanes[lane].lineup
      guard lineups[lineup].standing == .host, hosts[lineups[lineup].host].standing == .ready else { continue }
      let guest = guests.add(Guest(gate: .service(service, lane: lane), lineup: lineup))
      services[number].guest = guest
      lanes[lane].guest = guest
      lineups[lineup].guestLanes += 1
      guests.append(guest, to: &hosts[lineups[lineup].host].guests)
    }
    if !services[number].parked.isEmpty, isEmpty(rate: services[number].rate) { awaitToken(services[number].rate) }
  }

  /// Ends a guest's stay. False if `guest` is none.
  @discardableResult
  mutating func dismiss(_ guest: Int32) -> Bool {
    guard guest >= 0 else { return false }
    let lineup = guests[guest].lineup
    switch guests[guest].gate {
    case .owner(let owner):
      owners[owner].guest = -1
      lineups[lineup].guest = -1
    case .service(let service, let lane):
      services[Int(service)].guest = -1
      lanes[lane].guest = -1
      lineups[lineup].guestLanes -= 1
    }
    guests.remove(guest, from: &hosts[lineups[lineup].host].guests)
    guests.giveBack(guest, Guest())
    return true
  }

  /// The host has no slot for its guests any more: their limits let others go instead.
  private mutating func dismissGuests(of host: HostIndex) {
    while case let guest = hosts[host].guests.first, guest >= 0 {
      let gate = guests[guest].gate
      dismiss(guest)
      switch gate {
      case .owner(let owner): letGo(owner: owner)
      case .service(let service, _): letGo(service: service)
      }
    }
  }
}
