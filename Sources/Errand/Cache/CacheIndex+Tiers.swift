internal import HttpWire

/// How items come into the tiers and leave them. An item that is in neither is deleted.
extension CacheIndex {
  mutating func trimMemory() {
    while memoryUsed > memoryBytes, let slot = memory.last {
      leaveMemory(slot)
      evictedFromMemory += 1
    }
  }

  mutating func trimDisk(sparing kept: Int) {
    while diskUsed > diskBytes, let slot = disk.last, slot != kept {
      leaveDisk(slot, withFile: true)
      evictedFromDisk += 1
    }
  }

  mutating func leaveMemory(_ slot: Int) {
    guard memory.contains(slot), let item = items[slot] else { return }
    memory.remove(slot)
    memoryUsed -= item.cost
    if !item.isPending { items[slot]?.held = nil }
    if item.fileBytes == 0 { delete(slot) }
  }

  mutating func leaveDisk(_ slot: Int, withFile: Bool) {
    guard let item = items[slot], item.fileBytes > 0 else { return }
    if withFile { orders.append(.remove(item.name)) }
    setPending(slot, false)
    setFile(slot, 0)
    disk.remove(slot)
    if !memory.contains(slot) { delete(slot) }
  }

  mutating func setPending(_ slot: Int, _ isPending: Bool) {
    guard let item = items[slot], item.isPending != isPending else { return }
    items[slot]?.isPending = isPending
    backlog += isPending ? item.cost : -item.cost
    if !isPending, !memory.contains(slot) { items[slot]?.held = nil }
  }

  mutating func setFile(_ slot: Int, _ bytes: Int64) {
    diskUsed += bytes - (items[slot]?.fileBytes ?? 0)
    items[slot]?.fileBytes = bytes
  }

  mutating func add(_ item: Item) -> Int {
    let slot = free.popLast() ?? items.count
    if slot == items.count { items.append(nil) }
    items[slot] = item
    items[slot]?.next = first[item.key]
    first[item.key] = slot
    askers[item.key.resource, default: []].insert(item.key.asker)
    return slot
  }

  mutating func delete(_ slot: Int) {
    guard let item = items[slot] else { return }
    items[slot] = nil
    free.append(slot)
    if first[item.key] == slot {
      first[item.key] = item.next
    } else {
      for other in variants(of: item.key) where items[other]?.next == slot { items[other]?.next = item.next }
    }
    guard first[item.key] == nil else { return }
    askers[item.key.resource]?.remove(item.key.asker)
    if askers[item.key.resource]?.isEmpty == true { askers[item.key.resource] = nil }
  }

  /// An entry's cost is never less than its file's length.
  static func fileBytes(_ cost: Int) -> Int64 { rounded(Int64(cost)) }

  /// Files take whole blocks.
  static func rounded(_ bytes: Int64) -> Int64 { (max(bytes, 1) + 4_095) / 4_096 * 4_096 }
}
