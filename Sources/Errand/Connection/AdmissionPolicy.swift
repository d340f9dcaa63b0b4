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
    var previous: Int32 = -1
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
    var previous: Int32 = -1
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

  /// Forgets a host. False if something waits for it or uses it.
  mutating func removeHost(_ host: HostIndex) -> Bool {
    guard hosts[Int(host)].inUse == 0, hosts[Int(host)].waiting == 0 else { return false }
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
    let owner = nodes[Int(place.node)].owner
    let host = owners[Int(owner)].host
    unlink(place.node)
    hosts[Int(host)].waiting -= 1
    waiting -= 1
    if owners[Int(owner)].first < 0 { forget(owner) }
    if hosts[Int(host)].waiting == 0 { unlistHost(host) }
  }

  /// The request whose turn it is, which now has a slot; nil if none may go.
  mutating func next() -> UInt64? {
    guard inUse < total, ready.first >= 0 else { return nil }
    let host = ready.first
    let index = Int(host)
    let owner = hosts[index].owners.first
    let node = owners[Int(owner)].first
    let id = nodes[Int(node)].id
    unlistHost(host)
    unlistOwner(owner)
    unlink(node)
    hosts[index].waiting -= 1
    waiting -= 1
    if owners[Int(owner)].first < 0 { forget(owner) } else { listOwner(owner) }
    hosts[index].inUse += 1
    inUse += 1
    listHost(host)
    return id
  }

  /// Gives a slot back. `isLent`: its place under the total limit was lent before.
  mutating func release(_ host: HostIndex, isLent: Bool = false) {
    hosts[Int(host)].inUse -= 1
    if !isLent { inUse -= 1 }
    listHost(host)
  }

  /// Lets others use a slot's place under the total limit for as long as its request needs no connection. Its place at its host stays taken.
  mutating func lend() {
    inUse -= 1
  }

  /// Takes a lent place back; false if none is free.
  mutating func reclaim() -> Bool {
    guard inUse < total else { return false }
    inUse += 1
    return true
  }

  private mutating func listHost(_ host: HostIndex) {
    let index = Int(host)
    guard !hosts[index].isListed, hosts[index].waiting > 0, hosts[index].inUse < perHost else { return }
    hosts[index].isListed = true
    hosts[index].previous = ready.last
    hosts[index].next = -1
    if ready.last >= 0 { hosts[Int(ready.last)].next = host } else { ready.first = host }
    ready.last = host
  }

  private mutating func unlistHost(_ host: HostIndex) {
    guard hosts[Int(host)].isListed else { return }
    let (previous, next) = (hosts[Int(host)].previous, hosts[Int(host)].next)
    if previous >= 0 { hosts[Int(previous)].next = next } else { ready.first = next }
    if next >= 0 { hosts[Int(next)].previous = previous } else { ready.last = previous }
    hosts[Int(host)].isListed = false
  }

  private mutating func listOwner(_ owner: Int32) {
    let index = Int(owner)
    let host = Int(owners[index].host)
    guard !owners[index].isListed else { return }
    let last = hosts[host].owners.last
    owners[index].isListed = true
    owners[index].previous = last
    owners[index].next = -1
    if last >= 0 { owners[Int(last)].next = owner } else { hosts[host].owners.first = owner }
    hosts[host].owners.last = owner
  }

  private mutating func unlistOwner(_ owner: Int32) {
    guard owners[Int(owner)].isListed else { return }
    let (previous, next, host) = (owners[Int(owner)].previous, owners[Int(owner)].next, Int(owners[Int(owner)].host))
    if previous >= 0 { owners[Int(previous)].next = next } else { hosts[host].owners.first = next }
    if next >= 0 { owners[Int(next)].previous = previous } else { hosts[host].owners.last = previous }
    owners[Int(owner)].isListed = false
  }

  /// Owners come and go: one without a waiting request costs nothing until it has one again.
  private mutating func forget(_ owner: Int32) {
    unlistOwner(owner)
    hosts[Int(owners[Int(owner)].host)].ownerNumbers[owners[Int(owner)].name] = nil
    freeOwners.append(owner)
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
