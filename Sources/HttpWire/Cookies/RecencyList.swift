/// Slots in the order of their last use: a doubly linked list over indices, so that taking the oldest and moving one to the end cost the
/// same however many there are.
struct RecencyList: Sendable {
  private struct Link: Sendable {
    var older = -1
    var newer = -1
  }

  private var links: [Link] = []
  private var first = -1
  private var last = -1

  /// The slot that was not used for the longest time.
  var oldest: Int? { first < 0 ? nil : first }

  /// Puts a slot that is not in the list at its end.
  mutating func append(_ slot: Int) {
    while links.count <= slot { links.append(Link()) }
    links[slot] = Link(older: last)
    if last >= 0 { links[last].newer = slot } else { first = slot }
    last = slot
  }

  /// Takes out a slot that is in the list.
  mutating func remove(_ slot: Int) {
    let link = links[slot]
    if link.older >= 0 { links[link.older].newer = link.newer } else { first = link.newer }
    if link.newer >= 0 { links[link.newer].older = link.older } else { last = link.older }
  }

  mutating func touch(_ slot: Int) {
    guard slot != last else { return }
    remove(slot)
    append(slot)
  }
}
