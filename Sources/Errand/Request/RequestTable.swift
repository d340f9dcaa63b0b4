internal import EventLoop

/// The requests that have not ended yet, or whose end is still on its way to the delegate, by handle.
@LoopActor
struct RequestTable {
  private var items: [UInt64: RequestItem] = [:]

  nonisolated init() {}

  var count: Int { items.count }
  var all: [RequestItem] { Array(items.values) }

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
