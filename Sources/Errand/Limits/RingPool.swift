/// A first-in-first-out list through the links of places in a ``RingPool``.
struct Ring: Sendable {
  fileprivate(set) var first: Int32 = -1
  fileprivate(set) var last: Int32 = -1

  var isEmpty: Bool { first < 0 }
}

/// Values in numbered places, each of which stands in one ring at the most. Every step is O(1), but for ``insert(_:into:where:)``.
struct RingPool<Value: Sendable>: Sendable {
  private struct Node {
    var value: Value
    var previous: Int32 = -1
    var next: Int32 = -1
  }

  private var nodes: [Node] = []
  private var free: [Int32] = []

  /// Places in use and free ones.
  var capacity: Int { nodes.count }

  subscript(_ index: Int32) -> Value {
    _read { yield nodes[Int(index)].value }
    _modify { yield &nodes[Int(index)].value }
  }

  mutating func add(_ value: Value) -> Int32 {
    if let index = free.popLast() {
      nodes[Int(index)] = Node(value: value)
      return index
    }
    nodes.append(Node(value: value))
    return Int32(nodes.count - 1)
  }

  /// Gives a place back, which must be out of its ring. `value` takes the old one's memory.
  mutating func giveBack(_ index: Int32, _ value: Value) {
    nodes[Int(index)] = Node(value: value)
    free.append(index)
  }

  func next(_ index: Int32) -> Int32 { nodes[Int(index)].next }

  mutating func append(_ index: Int32, to ring: inout Ring) {
    nodes[Int(index)].previous = ring.last
    nodes[Int(index)].next = -1
    if ring.last >= 0 { nodes[Int(ring.last)].next = index } else { ring.first = index }
    ring.last = index
  }

  mutating func prepend(_ index: Int32, to ring: inout Ring) {
    nodes[Int(index)].previous = -1
    nodes[Int(index)].next = ring.first
    if ring.first >= 0 { nodes[Int(ring.first)].previous = index } else { ring.last = index }
    ring.first = index
  }

  /// Puts a place before the last of those at the end for which `isLater` holds.
  mutating func insert(_ index: Int32, into ring: inout Ring, where isLater: (Value) -> Bool) {
    var after = ring.last
    while after >= 0, isLater(nodes[Int(after)].value) { after = nodes[Int(after)].previous }
    guard after >= 0 else { return prepend(index, to: &ring) }
    let before = nodes[Int(after)].next
    guard before >= 0 else { return append(index, to: &ring) }
    nodes[Int(index)].previous = after
    nodes[Int(index)].next = before
    nodes[Int(after)].next = index
    nodes[Int(before)].previous = index
  }

  mutating func remove(_ index: Int32, from ring: inout Ring) {
    let (previous, next) = (nodes[Int(index)].previous, nodes[Int(index)].next)
    if previous >= 0 { nodes[Int(previous)].next = next } else { ring.first = next }
    if next >= 0 { nodes[Int(next)].previous = previous } else { ring.last = previous }
    nodes[Int(index)].previous = -1
    nodes[Int(index)].next = -1
  }
}
