/// First in, first out, with access by position; each call is O(1) on average.
struct FifoQueue<Element> {
  private var slots: [Element?] = []
  private var head = 0

  var count: Int { slots.count - head }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : slots[head] }

  mutating func append(_ element: Element) { slots.append(element) }

  /// The element at `index`, counted from the oldest; nil outside.
  subscript(index: Int) -> Element? {
    index >= 0 && index < count ? slots[head + index] : nil
  }

  @discardableResult
  mutating func popFirst() -> Element? {
    guard head < slots.count else { return nil }
    let element = slots[head]
    slots[head] = nil
    head += 1
    if head == slots.count {
      slots.removeAll(keepingCapacity: slots.capacity <= 4_096)
      head = 0
    } else if head >= 1_024, head * 2 >= slots.count {
      slots.removeFirst(head)
      head = 0
    }
    return element
  }
}
