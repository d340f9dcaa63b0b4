internal import EventLoop

/// Requests that wait, in order, to take their place under the total limit back. Each step is O(1) on average.
@LoopActor
struct ResolvedLine {
  private var items: [RequestItem?] = []
  private var head = 0

  nonisolated init() {}

  var isEmpty: Bool { items.isEmpty }

  mutating func append(_ item: RequestItem) {
    items.append(item)
  }

  /// The first that still waits: those that ended meanwhile are passed over.
  mutating func first() -> RequestItem? {
    while head < items.count {
      if let item = items[head], item.isLent { return item }
      removeFirst()
    }
    return nil
  }

  mutating func removeFirst() {
    items[head] = nil
    head += 1
    if head == items.count {
      items = []
      head = 0
    } else if head >= 1_024, head * 2 >= items.count {
      items.removeFirst(head)
      head = 0
    }
  }
}
