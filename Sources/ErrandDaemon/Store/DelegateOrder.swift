/// The delegates there are, by owner and name, so that a part of them can be looked at without looking at all. Kept in pieces of bounded
/// size: adding one moves few others.
struct DelegateOrder {
  private static let pieceSize = 512

  /// None is empty.
  private var pieces: [[DelegateID]] = []

  mutating func insert(_ id: DelegateID) {
    guard !pieces.isEmpty else { return pieces.append([id]) }
    let piece = min(DelegateOrder.index(pieces) { $0[$0.count - 1] < id }, pieces.count - 1)
    let index = DelegateOrder.index(pieces[piece]) { $0 < id }
    pieces[piece].insert(id, at: index)
    guard pieces[piece].count > DelegateOrder.pieceSize else { return }
    let half = DelegateOrder.pieceSize / 2
    pieces.insert(Array(pieces[piece][half...]), at: piece + 1)
    pieces[piece].removeLast(pieces[piece].count - half)
  }

  mutating func remove(_ id: DelegateID) {
    let piece = DelegateOrder.index(pieces) { $0[$0.count - 1] < id }
    guard piece < pieces.count else { return }
    let index = DelegateOrder.index(pieces[piece]) { $0 < id }
    guard index < pieces[piece].count, pieces[piece][index] == id else { return }
    pieces[piece].remove(at: index)
    if pieces[piece].isEmpty { pieces.remove(at: piece) }
  }

  /// At most `limit` of those after `id` (nil: from the first).
  func page(after id: DelegateID?, limit: Int) -> [DelegateID] {
    var found: [DelegateID] = []
    var piece = id.map { id in DelegateOrder.index(pieces) { $0[$0.count - 1] <= id } } ?? 0
    while piece < pieces.count, found.count < limit {
      let start = id.map { id in DelegateOrder.index(pieces[piece]) { $0 <= id } } ?? 0
      found.append(contentsOf: pieces[piece][start...].prefix(limit - found.count))
      piece += 1
    }
    return found
  }

  /// The first index at which `isBefore` does not hold, of elements of which only a front part is before.
  private static func index<Element>(_ elements: [Element], _ isBefore: (Element) -> Bool) -> Int {
    var low = 0
    var high = elements.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(elements[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension DelegateID: Comparable {
  static func < (left: DelegateID, right: DelegateID) -> Bool {
    left.owner.uid == right.owner.uid ? left.name < right.name : left.owner.uid < right.owner.uid
  }
}
