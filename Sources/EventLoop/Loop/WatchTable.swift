internal import CLibevent

/// Readiness of a socket.
public struct Interest: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let read = Interest(rawValue: 1)
  public static let write = Interest(rawValue: 2)
}

/// What a watched socket tells. Level-triggered: told again while it stays ready.
public protocol SocketTarget: AnyObject {
  @LoopActor func socketReady(_ ready: Interest)
}

/// Names one watch; never used again for another.
public struct WatchID: Sendable, Hashable {
  let slot: UInt32
  let generation: UInt32

  /// No watch: updating or ending it does nothing.
  public static let none = WatchID(slot: .max, generation: 0)
}

extension EventLoop {
  /// Begins to watch `descriptor` for `target`, with nothing armed yet. The descriptor stays the caller's; the loop holds
  /// `target` until ``unwatch(_:)``.
  @LoopActor public func watch(_ descriptor: Int32, _ target: any SocketTarget) -> WatchID {
    watches.add(descriptor, target)
  }

  /// Arms the watch for `interest` and nothing else.
  @LoopActor public func update(_ watch: WatchID, _ interest: Interest) {
    watches.update(watch, interest, base: base)
  }

  /// Ends the watch. To be called before the descriptor is closed.
  @LoopActor public func unwatch(_ watch: WatchID) {
    // Let go of only after the table, for its deinit may come back to it.
    letGo(watches.remove(watch))
  }

  /// Makes libevent allocate at once what it keeps for each of the descriptor numbers below `count`: some 32 bytes each. It keeps that for good,
  /// and allocated one by one among the objects of a burst it would hold their pages in memory long after they are freed. For processes that run
  /// for long, at their start.
  @LoopActor public func prepare(descriptors count: Int32) {
    watches.prepare(descriptors: count, base: base)
  }

  /// How many descriptors are watched.
  @LoopActor public var watchCount: Int { watches.count }
}

/// Watched descriptors by slot. libevent gets the slot and its generation as an integer, so a callback that comes late finds nothing.
struct WatchTable {
  private struct Entry {
    var generation: UInt32 = 0
    var descriptor: Int32 = -1
    var interest: Interest = []
    var event: OpaquePointer?
    var target: (any SocketTarget)?
  }

  private var entries: [Entry] = []
  private var free: [UInt32] = []
  private(set) var count = 0

  mutating func add(_ descriptor: Int32, _ target: any SocketTarget) -> WatchID {
    let slot = free.popLast() ?? UInt32(entries.count)
    if Int(slot) == entries.count { entries.append(Entry()) }
    entries[Int(slot)].descriptor = descriptor
    entries[Int(slot)].target = target
    count += 1
    return WatchID(slot: slot, generation: entries[Int(slot)].generation)
  }

  mutating func update(_ watch: WatchID, _ interest: Interest, base: OpaquePointer?) {
    guard let index = index(of: watch), entries[index].interest != interest else { return }
    var flags = EV_PERSIST
    if interest.contains(.read) { flags |= EV_READ }
    if interest.contains(.write) { flags |= EV_WRITE }
    let argument = UnsafeMutableRawPointer(bitPattern: UInt(watch.generation) << 32 | UInt(watch.slot) + 1)
    let descriptor = entries[index].descriptor
    if let event = entries[index].event {
      event_del(event)
      event_assign(event, base, descriptor, Int16(flags), { _, what, argument in descriptorIsReady(what, argument) }, argument)
    } else {
      entries[index].event = event_new(
        base, descriptor, Int16(flags), { _, what, argument in descriptorIsReady(what, argument) }, argument)
    }
    entries[index].interest = interest
    if !interest.isEmpty { event_add(entries[index].event, nil) }
  }

  func prepare(descriptors count: Int32, base: OpaquePointer?) {
    event_set_log_callback { _, _ in }
    defer { event_set_log_callback(nil) }
    guard let probe = event_new(base, 0, Int16(EV_READ), { _, _, _ in }, nil) else { return }
    for number in 0..<count {
      // Fails for a number that is not open, after libevent has made its entry.
      event_assign(probe, base, number, Int16(EV_READ), { _, _, _ in }, nil)
      if event_add(probe, nil) == 0 { event_del(probe) }
    }
    event_free(probe)
  }

  mutating func remove(_ watch: WatchID) -> (any SocketTarget)? {
    guard let index = index(of: watch) else { return nil }
    let target = entries[index].target
    if let event = entries[index].event { event_free(event) }
    entries[index] = Entry(generation: entries[index].generation &+ 1)
    free.append(watch.slot)
    count -= 1
    return target
  }

  func target(_ watch: WatchID) -> (any SocketTarget)? {
    index(of: watch).flatMap { entries[$0].target }
  }

  mutating func freeAll() {
    for entry in entries { if let event = entry.event { event_free(event) } }
    self = WatchTable()
  }

  private func index(of watch: WatchID) -> Int? {
    let index = Int(watch.slot)
    guard index < entries.count, entries[index].generation == watch.generation, entries[index].target != nil else { return nil }
    return index
  }
}

private func descriptorIsReady(_ what: Int16, _ argument: UnsafeMutableRawPointer?) {
  let bits = UInt(bitPattern: argument)
  let watch = WatchID(slot: UInt32(truncatingIfNeeded: bits &- 1), generation: UInt32(truncatingIfNeeded: (bits &- 1) >> 32))
  var ready: Interest = []
  if Int32(what) & EV_READ != 0 { ready.insert(.read) }
  if Int32(what) & EV_WRITE != 0 { ready.insert(.write) }
  EventLoop.assumeOnLoop {
    let loop = EventLoop.shared
    loop.forgetNow()
    loop.watches.target(watch)?.socketReady(ready)
  }
}
