internal import HttpWire

/// What is stored, in which tier, and what goes when there is too much. Pure: what is to be done on disk it leaves in ``orders``.
///
/// Every step takes the same time, but for what is let go of and for the variants of one key, which are few.
struct CacheIndex {
  /// The bytes of an entry, shared between the tiers.
  final class Held: Sendable {
    let entry: CacheEntry
    init(_ entry: CacheEntry) { self.entry = entry }
  }

  struct Item {
    let key: CacheKey
    let variant: CacheVariant
    let stamp: UInt64
    /// In the memory tier, or on its way to disk, or both.
    var held: Held?
    var cost: Int
    var isPending = false
    /// What its file takes, or will take; 0 if it has none.
    var fileBytes: Int64 = 0
    /// The next of the same key.
    var next: Int?

    var name: CacheFileName { CacheFileName(key: key, variant: variant) }
  }

  enum Order {
    /// Write the item, if it still is the same one.
    case write(slot: Int, stamp: UInt64)
    case remove(CacheFileName)
    /// Remove the files of all these.
    case removeAll([Item?])
  }

  /// The most variants of one key; the one that was stored first goes for one more.
  static let maximumVariants = 16
  /// The most bytes that wait for the disk. What comes while it is slower than that stays in memory only.
  static let maximumBacklog = 32 * 1_048_576

  let memoryBytes: Int
  let diskBytes: Int64
  private var lastStamp: UInt64 = 0

  var items: [Item?] = []
  var free: [Int] = []
  var first: [CacheKey: Int] = [:]
  /// Who has something stored of a resource.
  var askers: [CacheDigest: Set<CacheDigest>] = [:]
  var memory = LruList()
  var disk = LruList()
  var memoryUsed = 0
  var diskUsed: Int64 = 0
  var backlog = 0
  var orders: [Order] = []
  var evictedFromMemory = 0
  var evictedFromDisk = 0
  /// Entries that were meant for the disk, but were too many at once or too large.
  private(set) var declined = 0

  init(memoryBytes: Int, diskBytes: Int64) {
    self.memoryBytes = memoryBytes
    self.diskBytes = diskBytes
  }

  var memoryCount: Int { memory.count }
  var diskCount: Int { disk.count }

  /// What is to be done on disk, in this order.
  mutating func takeOrders() -> [Order] {
    defer { orders = [] }
    return orders
  }

  // MARK: Finding

  /// The entry that answers a request, which counts as used.
  mutating func find(_ key: CacheKey, _ request: HttpHeaders) -> (slot: Int?, isKeyKnown: Bool) {
    guard let head = first[key], let fields = items[head]?.variant.fields else { return (nil, false) }
    // All of one key vary by the same fields.
    let slot = find(key, CacheVariant(fields: fields, request: request))
    if let slot { use(slot) }
    return (slot, true)
  }

  func find(_ key: CacheKey, _ variant: CacheVariant) -> Int? {
    variants(of: key).first { items[$0]?.variant == variant }
  }

  func find(_ key: CacheKey, stamp: UInt64) -> Int? {
    variants(of: key).first { items[$0]?.stamp == stamp }
  }

  /// The item, if it is still the one with this stamp.
  func item(_ slot: Int, stamp: UInt64) -> Item? {
    guard items.indices.contains(slot), let item = items[slot], item.stamp == stamp else { return nil }
    return item
  }

  func variants(of key: CacheKey) -> [Int] {
    var slots: [Int] = []
    var slot = first[key]
    while let found = slot {
      slots.append(found)
      slot = items[found]?.next
    }
    return slots
  }

  private mutating func use(_ slot: Int) {
    if memory.contains(slot) { memory.use(slot) }
    if disk.contains(slot) { disk.use(slot) }
  }

  // MARK: Changing

  /// Stores an entry in place of the one with its variant, and of those that vary by other fields. `toDisk`: the disk takes it, too.
  /// False: there is no room for it anywhere.
  @discardableResult
  mutating func put(_ entry: CacheEntry, for key: CacheKey, toDisk: Bool) -> Bool {
    for slot in variants(of: key) {
      if items[slot]?.variant == entry.variant {
        // A write replaces the file: taking it away first would cost a file that is there for one that may not come to be.
        remove(slot, withFile: !toDisk)
      } else if items[slot]?.variant.fields != entry.variant.fields {
        remove(slot)
      }
    }
    let others = variants(of: key)
    if others.count >= Self.maximumVariants, let oldest = others.last { remove(oldest) }

    let cost = entry.cost
    let inMemory = cost <= memoryBytes
    let onDisk = toDisk && Self.fileBytes(cost) <= diskBytes && backlog + cost <= max(Self.maximumBacklog, cost)
    if toDisk, !onDisk {
      orders.append(.remove(CacheFileName(key: key, variant: entry.variant)))
      declined += 1
    }
    guard inMemory || onDisk else { return false }
    lastStamp += 1
    var stamped = entry
    stamped.stamp = lastStamp
    let slot = add(Item(key: key, variant: entry.variant, stamp: lastStamp, held: Held(stamped), cost: cost))
    if onDisk {
      setPending(slot, true)
      setFile(slot, Self.fileBytes(cost))
      disk.use(slot)
      orders.append(.write(slot: slot, stamp: lastStamp))
      trimDisk(sparing: slot)
    }
    if inMemory {
      memory.use(slot)
      memoryUsed += cost
      trimMemory()
    }
    return true
  }

  /// Adds what the directory held when the cache was opened, as used longer ago than all else. What there is no room for is removed.
  mutating func adopt(_ name: CacheFileName, fields: [String], bytes: Int64) {
    let fileBytes = Self.rounded(bytes)
    let others = variants(of: name.key)
    let fits = others.allSatisfy { items[$0]?.variant.fields == fields } && others.count < Self.maximumVariants
    guard fits, diskUsed + fileBytes <= diskBytes else { return orders.append(.remove(name)) }
    lastStamp += 1
    let variant = CacheVariant(fields: fields, digest: name.variant)
    let slot = add(Item(key: name.key, variant: variant, stamp: lastStamp, held: nil, cost: 0))
    setFile(slot, fileBytes)
    disk.addLast(slot)
  }

  /// Removes a file that the directory held when the cache was opened, unless a newer one is to take its place.
  mutating func reject(_ name: CacheFileName) {
    let isReplaced = variants(of: name.key).contains { items[$0]?.name == name && items[$0]?.fileBytes != 0 }
    if !isReplaced { orders.append(.remove(name)) }
  }

  /// An entry came from disk: the memory tier takes it. The entry as it is known here; nil if it is not wanted any more.
  mutating func loaded(_ slot: Int, stamp: UInt64, _ entry: CacheEntry) -> CacheEntry? {
    guard let item = item(slot, stamp: stamp) else { return nil }
    if let held = item.held { return held.entry }
    var stamped = entry
    stamped.stamp = stamp
    let cost = entry.cost
    if cost <= memoryBytes {
      items[slot]?.held = Held(stamped)
      items[slot]?.cost = cost
      memory.use(slot)
      memoryUsed += cost
      trimMemory()
    }
    return stamped
  }

  /// The item is on disk.
  mutating func written(_ slot: Int, stamp: UInt64) {
    guard item(slot, stamp: stamp) != nil else { return }
    setPending(slot, false)
  }

  /// The item could not be written, or its file is no good.
  mutating func lost(_ slot: Int, stamp: UInt64) {
    guard item(slot, stamp: stamp) != nil else { return }
    leaveDisk(slot, withFile: true)
  }

  /// The directory is gone, with all files in it as they are.
  mutating func forgetFiles() {
    for slot in items.indices { leaveDisk(slot, withFile: false) }
  }

  /// Removes all variants of a resource, whoever asked for them.
  mutating func remove(_ resource: CacheDigest) {
    for asker in askers[resource] ?? [] {
      for slot in variants(of: CacheKey(resource: resource, asker: asker)) { remove(slot) }
    }
  }

  /// Removes everything, at once however much it is: what there was is let go of where the order is carried out.
  mutating func removeAll() {
    orders.append(.removeAll(items))
    items = []
    free = []
    first = [:]
    askers = [:]
    memory = LruList()
    disk = LruList()
    memoryUsed = 0
    diskUsed = 0
    backlog = 0
  }

  /// Removes an item from both tiers. `withFile`: its file, too.
  mutating func remove(_ slot: Int, withFile: Bool = true) {
    leaveDisk(slot, withFile: withFile)
    if items[slot] != nil { leaveMemory(slot) }
  }
}
