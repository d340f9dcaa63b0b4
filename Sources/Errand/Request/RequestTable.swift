internal import EventLoop

/// The requests that have not ended yet, or whose end is still on its way to the delegate, by handle.
@LoopActor
struct RequestTable {
  private var items: [UInt64: RequestItem] = [:]

  nonisolated init() {}

  var count: Int { items.count }

  /// In the order of submission.
  var all: [RequestItem] { items.keys.sorted().compactMap { items[$0] } }

  /// Those of the items that match, in the order of submission.
  func handles(where matches: (RequestItem) -> Bool) -> [RequestHandle] {
    var ids: [UInt64] = []
    for (id, item) in items where matches(item) { ids.append(id) }
    ids.sort()
    return ids.map { RequestHandle(id: $0) }
  }

  subscript(_ handle: RequestHandle) -> RequestItem? { items[handle.id] }

  mutating func insert(_ item: RequestItem) {
    items[item.info.handle.id] = item
  }

  mutating func remove(_ handle: RequestHandle) {
    items[handle.id] = nil
    // A burst's table would otherwise stay as large as the burst.
    if items.isEmpty, items.capacity > 4_096 { items = [:] }
  }
}
