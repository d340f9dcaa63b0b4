internal import CLibevent

/// What a timer tells. `kind` is the number given to ``EventLoop/schedule(after:_:kind:)``.
public protocol TimerTarget: AnyObject {
  @LoopActor func timerFired(_ kind: UInt8)
}

/// Names one scheduled timer; never used again for another.
public struct TimerID: Sendable, Hashable {
  let slot: Int32
  let generation: UInt32

  /// No timer: cancelling it does nothing.
  public static let none = TimerID(slot: -1, generation: 0)
}

extension EventLoop {
  /// Tells `target` once, `after` from now. O(1): timers of equal length share one first-in-first-out list and one libevent timer.
  /// The loop holds `target` until the timer fires or is cancelled.
  @LoopActor public func schedule(after: Duration, _ target: any TimerTarget, kind: UInt8) -> TimerID {
    schedule(afterNanoseconds: after.wholeNanoseconds, target, kind: kind)
  }

  /// The same in nanoseconds, for lengths that are reckoned once and used often.
  @LoopActor public func schedule(afterNanoseconds length: Int64, _ target: any TimerTarget, kind: UInt8) -> TimerID {
    timers.schedule(after: max(length, 0), from: now.nanoseconds, target, kind: kind, base: base)
  }

  /// Forgets a timer. O(1). A timer that has fired or was cancelled is no error.
  @LoopActor public func cancel(_ timer: TimerID) {
    guard timer != .none else { return }
    // Let go of only after the wheel, for its deinit may come back to it.
    letGo(timers.cancel(timer))
  }

  /// How many timers are waiting.
  @LoopActor public var timerCount: Int { timers.count }
}

/// Timers by length: each length is a list in order of deadline, since later additions are due later.
struct TimerWheel {
  private struct Node {
    var generation: UInt32 = 0
    var previous: Int32 = -1
    var next: Int32 = -1
    var list: Int32 = -1
    var kind: UInt8 = 0
    var deadline: Int64 = 0
    var target: (any TimerTarget)?
  }

  private struct List {
    let length: Int64
    /// nil: it was given back.
    var event: OpaquePointer?
    var head: Int32 = -1
    var tail: Int32 = -1
    var isArmed = false
  }

  private var nodes: [Node] = []
  private var freeNodes: [Int32] = []
  private var lists: [List] = []
  private var freeLists: [Int32] = []
  private var listOfLength: [Int64: Int32] = [:]
  private(set) var count = 0
  /// Counts all timers ever, not those of one slot: slots are given back, and an id from before must not name a later timer.
  private var nextGeneration: UInt32 = 1
  /// Lists kept though empty, since lengths repeat; above this an empty one is given back.
  private let keptLists = 64

  mutating func schedule(
    after length: Int64, from now: Int64, _ target: any TimerTarget, kind: UInt8, base: OpaquePointer?
  ) -> TimerID {
    let list = list(of: length) ?? makeList(length, base: base)
    let slot = freeNodes.popLast() ?? appendNode()
    let (deadline, overflow) = now.addingReportingOverflow(length)
    let index = Int(slot)
    nodes[index].generation = nextGeneration
    nextGeneration &+= 1
    nodes[index].list = list
    nodes[index].kind = kind
    nodes[index].deadline = overflow ? .max : deadline
    nodes[index].target = target
    append(slot, to: list, now: now)
    count += 1
    return TimerID(slot: slot, generation: nodes[index].generation)
  }

  @discardableResult
  mutating func cancel(_ timer: TimerID) -> (any TimerTarget)? {
    let index = Int(timer.slot)
    guard nodes.indices.contains(index), nodes[index].generation == timer.generation, nodes[index].list >= 0 else { return nil }
    return remove(timer.slot)
  }

  /// The next timer of `list` that is due, taken off it; nil arms the list for its next deadline.
  mutating func takeDue(of list: Int32, at now: Int64) -> (target: any TimerTarget, kind: UInt8)? {
    guard lists[Int(list)].event != nil else { return nil }
    let slot = lists[Int(list)].head
    guard slot >= 0 else {
      lists[Int(list)].isArmed = false
      giveBackIfMany(list)
      return nil
    }
    let kind = nodes[Int(slot)].kind
    guard nodes[Int(slot)].deadline <= now else {
      arm(list, at: nodes[Int(slot)].deadline, now: now)
      return nil
    }
    guard let target = remove(slot) else { return nil }
    return (target, kind)
  }

  mutating func freeAll() {
    for list in lists { if let event = list.event { event_free(event) } }
    self = TimerWheel()
  }

  private func list(of length: Int64) -> Int32? {
    // Lengths that come with each request are few and came first: to look at those is cheaper than to hash.
    for index in 0..<min(lists.count, 6) where lists[index].length == length && lists[index].event != nil { return Int32(index) }
    return listOfLength[length]
  }

  private mutating func appendNode() -> Int32 {
    nodes.append(Node())
    return Int32(nodes.count - 1)
  }

  private mutating func makeList(_ length: Int64, base: OpaquePointer?) -> Int32 {
    let index = freeLists.popLast() ?? Int32(lists.count)
    let argument = UnsafeMutableRawPointer(bitPattern: UInt(index) + 1)
    guard let event = event_new(base, -1, 0, { _, _, argument in listIsDue(argument) }, argument) else {
      preconditionFailure("libevent: no memory for a timer")
    }
    let list = List(length: length, event: event)
    if Int(index) == lists.count { lists.append(list) } else { lists[Int(index)] = list }
    listOfLength[length] = index
    return index
  }

  private mutating func append(_ slot: Int32, to list: Int32, now: Int64) {
    let tail = lists[Int(list)].tail
    nodes[Int(slot)].previous = tail
    nodes[Int(slot)].next = -1
    if tail >= 0 { nodes[Int(tail)].next = slot } else { lists[Int(list)].head = slot }
    lists[Int(list)].tail = slot
    if lists[Int(list)].isArmed == false { arm(list, at: nodes[Int(slot)].deadline, now: now) }
  }

  /// Takes a node off its list, field by field: a copy of a node would hold its target once more.
  private mutating func remove(_ slot: Int32) -> (any TimerTarget)? {
    let index = Int(slot)
    let (list, previous, next) = (nodes[index].list, nodes[index].previous, nodes[index].next)
    let target = nodes[index].target.take()
    nodes[index].list = -1
    if previous >= 0 { nodes[Int(previous)].next = next } else { lists[Int(list)].head = next }
    if next >= 0 { nodes[Int(next)].previous = previous } else { lists[Int(list)].tail = previous }
    freeNodes.append(slot)
    count -= 1
    if lists[Int(list)].head == -1 { giveBackIfMany(list) }
    // The list stays armed for a deadline that may be gone: firing early and arming anew costs less than two system calls a request.
    if count == 0, nodes.count > 4_096 {
      freeNodes = []
      nodes.removeAll()
    }
    return target
  }

  private mutating func arm(_ list: Int32, at deadline: Int64, now: Int64) {
    guard let event = lists[Int(list)].event else { return }
    // Rounded up to the next microsecond, so that it never fires before the deadline.
    let microseconds = deadline <= now ? 0 : (deadline - now - 1) / 1_000 + 1
    var interval = timeval(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
    event_add(event, &interval)
    lists[Int(list)].isArmed = true
  }

  private mutating func giveBackIfMany(_ list: Int32) {
    guard listOfLength.count > keptLists, let event = lists[Int(list)].event else { return }
    event_free(event)
    lists[Int(list)].event = nil
    listOfLength[lists[Int(list)].length] = nil
    freeLists.append(list)
  }
}

private func listIsDue(_ argument: UnsafeMutableRawPointer?) {
  let list = Int32(truncatingIfNeeded: Int(bitPattern: argument) - 1)
  EventLoop.assumeOnLoop {
    let loop = EventLoop.shared
    let now = Instant.now().nanoseconds
    while let due = loop.timers.takeDue(of: list, at: now) {
      loop.forgetNow()
      due.target.timerFired(due.kind)
    }
  }
}
