/// Who may use a connection slot next. Pure policy: it knows request ids, hosts and owners by number, and no connection.
///
/// Within a host, owners take turns; a host that has a free slot takes turns with the other hosts under the total limit. Every step is O(1),
/// however many wait.
struct AdmissionPolicy: Sendable {
  typealias HostIndex = Int32

  /// Where a request waits, for ``leave(_:)``.
  struct Place: Sendable, Hashable {
    fileprivate let node: Int32
  }

  private struct Host {
    var inUse = 0
    var waiting = 0
    var isListed = false
    var next: Int32 = -1
    /// Owners with waiting requests, in turn.
    var owners = Ring()
    var ownerNumbers: [String: Int32] = [:]
  }

  private struct Owner {
    let name: String
    let host: HostIndex
    var first: Int32 = -1
    var last: Int32 = -1
    var isListed = false
    var next: Int32 = -1
  }

  private struct Node {
    var id: UInt64 = 0
    var owner: Int32 = -1
    var previous: Int32 = -1
    var next: Int32 = -1
  }

  /// A first-in-first-out list through the `next` of its members.
  private struct Ring {
    var first: Int32 = -1
    var last: Int32 = -1
  }

  let perHost: Int
  let total: Int
  private(set) var inUse = 0
  private(set) var waiting = 0
  private var hosts: [Host] = []
  private var freeHosts: [HostIndex] = []
  private var owners: [Owner] = []
  private var freeOwners: [Int32] = []
  private var nodes: [Node] = []
  private var freeNodes: [Int32] = []
  /// Hosts with both a waiting request and a free slot, in turn.
  private var ready = Ring()

  init(perHost: Int, total: Int) {
    self.perHost = perHost
    self.total = total
  }

  mutating func addHost() -> HostIndex {
    if let index = freeHosts.popLast() {
      hosts[Int(index)] = Host()
      return index
    }
    hosts.append(Host())
    return HostIndex(hosts.count - 1)
  }

  /// Forgets a host that nothing waits for or uses. False if it still has its place in the turns.
  mutating func removeHost(_ host: HostIndex) -> Bool {
    guard !hosts[Int(host)].isListed, hosts[Int(host)].inUse == 0, hosts[Int(host)].waiting == 0 else { return false }
    for owner in hosts[Int(host)].ownerNumbers.values { freeOwners.append(owner) }
    hosts[Int(host)] = Host()
    freeHosts.append(host)
    return true
  }

  func inUse(_ host: HostIndex) -> Int { hosts[Int(host)].inUse }
  func waiting(_ host: HostIndex) -> Int { hosts[Int(host)].waiting }

  /// Takes a slot at once, if one is free and nobody waits for it.
  mutating func take(_ host: HostIndex) -> Bool {
    let index = Int(host)
    guard hosts[index].inUse < perHost, inUse < total, ready.first < 0 else { return false }
    hosts[index].inUse += 1
    inUse += 1
    return true
  }

  /// Lines up for a slot.
  mutating func wait(_ id: UInt64, host: HostIndex, owner: String) -> Place {
    let ownerIndex = ownerNumber(owner, host)
    let node = freeNodes.popLast() ?? appendNode()
    let last = owners[Int(ownerIndex)].last
    nodes[Int(node)] = Node(id: id, owner: ownerIndex, previous: last, next: -1)
    if last >= 0 { nodes[Int(last)].next = node } else { owners[Int(ownerIndex)].first = node }
    owners[Int(ownerIndex)].last = node
    waiting += 1
    hosts[Int(host)].waiting += 1
    listOwner(ownerIndex)
    listHost(host)
    return Place(node: node)
  }

  /// Leaves the line.
  mutating func leave(_ place: Place) {
    let owner = Int(nodes[Int(place.node)].owner)
    unlink(place.node)
    hosts[Int(owners[owner].host)].waiting -= 1
    waiting -= 1
  }

  /// The request whose turn it is, which now has a slot; nil if none may go.
  mutating func next() -> UInt64? {
    while inUse < total, ready.first >= 0 {
      let host = ready.first
      let index = Int(host)
      ready.first = hosts[index].next
      if ready.first < 0 { ready.last = -1 }
      hosts[index].isListed = false
      hosts[index].next = -1
      guard hosts[index].inUse < perHost, let id = nextOf(host) else { continue }
      hosts[index].inUse += 1
      inUse += 1
      listHost(host)
      return id
    }
    return nil
  }

  /// Gives a slot back.
  mutating func release(_ host: HostIndex) {
    hosts[Int(host)].inUse -= 1
    inUse -= 1
    listHost(host)
  }

  private mutating func nextOf(_ host: HostIndex) -> UInt64? {
    let index = Int(host)
    while hosts[index].owners.first >= 0 {
      let owner = hosts[index].owners.first
      hosts[index].owners.first = owners[Int(owner)].next
      if hosts[index].owners.first < 0 { hosts[index].owners.last = -1 }
      owners[Int(owner)].isListed = false
      owners[Int(owner)].next = -1
      let node = owners[Int(owner)].first
      guard node >= 0 else {
        // Owners come and go: one without a waiting request costs nothing until it has one again.
        hosts[index].ownerNumbers[owners[Int(owner)].name] = nil
        freeOwners.append(owner)
        continue
      }
      let id = nodes[Int(node)].id
      unlink(node)
      hosts[index].waiting -= 1
      waiting -= 1
      listOwner(owner)
      return id
    }
    return nil
  }

  private mutating func listHost(_ host: HostIndex) {
    let index = Int(host)
    guard !hosts[index].isListed, hosts[index].waiting > 0, hosts[index].inUse < perHost else { return }
    hosts[index].isListed = true
    hosts[index].next = -1
    if ready.last >= 0 { hosts[Int(ready.last)].next = host } else { ready.first = host }
    ready.last = host
  }

  private mutating func listOwner(_ owner: Int32) {
    let index = Int(owner)
    let host = Int(owners[index].host)
    guard !owners[index].isListed else { return }
    owners[index].isListed = true
    owners[index].next = -1
    let last = hosts[host].owners.last
    if last >= 0 { owners[Int(last)].next = owner } else { hosts[host].owners.first = owner }
    hosts[host].owners.last = owner
  }

  private mutating func ownerNumber(_ name: String, _ host: HostIndex) -> Int32 {
    if let known = hosts[Int(host)].ownerNumbers[name] { return known }
    let owner = Owner(name: name, host: host)
    let index: Int32
    if let free = freeOwners.popLast() {
      index = free
      owners[Int(index)] = owner
    } else {
      index = Int32(owners.count)
      owners.append(owner)
    }
    hosts[Int(host)].ownerNumbers[name] = index
    return index
  }

  private mutating func unlink(_ node: Int32) {
    let gone = nodes[Int(node)]
    let owner = Int(gone.owner)
    if gone.previous >= 0 { nodes[Int(gone.previous)].next = gone.next } else { owners[owner].first = gone.next }
    if gone.next >= 0 { nodes[Int(gone.next)].previous = gone.previous } else { owners[owner].last = gone.previous }
    nodes[Int(node)] = Node()
    freeNodes.append(node)
  }

  private mutating func appendNode() -> Int32 {
    nodes.append(Node())
    return Int32(nodes.count - 1)
  }
}
