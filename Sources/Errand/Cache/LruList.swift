/// Slots in the order of their last use. Every step takes the same time, however many there are.
struct LruList {
  private struct Link {
    var newer: Int32
    var older: Int32
    var isIn: Bool
  }

  private static let none: Int32 = -1

  private var links: [Link] = []
  private var newest = none
  private var oldest = none
  private(set) var count = 0

  /// The slot that was not used for longest.
  var last: Int? { oldest == Self.none ? nil : Int(oldest) }

  func contains(_ slot: Int) -> Bool { slot < links.count && links[slot].isIn }

  /// Makes a slot the one used last; adds it if it is not in the list.
  mutating func use(_ slot: Int) {
    if newest == Int32(slot) { return }
    remove(slot)
    makeRoom(for: slot)
    links[slot] = Link(newer: Self.none, older: newest, isIn: true)
    if newest == Self.none { oldest = Int32(slot) } else { links[Int(newest)].newer = Int32(slot) }
    newest = Int32(slot)
    count += 1
  }

  /// Adds a slot behind all others.
  mutating func addLast(_ slot: Int) {
    remove(slot)
    makeRoom(for: slot)
    links[slot] = Link(newer: oldest, older: Self.none, isIn: true)
    if oldest == Self.none { newest = Int32(slot) } else { links[Int(oldest)].older = Int32(slot) }
    oldest = Int32(slot)
    count += 1
  }

  /// Takes a slot out, if it is in.
  mutating func remove(_ slot: Int) {
    guard contains(slot) else { return }
    let link = links[slot]
    if link.newer == Self.none { newest = link.older } else { links[Int(link.newer)].older = link.older }
    if link.older == Self.none { oldest = link.newer } else { links[Int(link.older)].newer = link.newer }
    links[slot].isIn = false
    count -= 1
  }

  private mutating func makeRoom(for slot: Int) {
    while links.count <= slot { links.append(Link(newer: Self.none, older: Self.none, isIn: false)) }
  }
}
