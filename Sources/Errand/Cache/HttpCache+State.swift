internal import EventLoop
internal import HttpWire

extension HttpCache {
  /// What the threads share. Under its lock nothing waits.
  struct State {
    /// What was changed before the directory was read: files that it outdates.
    struct Early {
      var resources: Set<CacheDigest> = []
      var isAll = false

      func outdates(_ key: CacheKey) -> Bool { isAll || resources.contains(key.resource) }
    }

    var index: CacheIndex
    var disk: CacheStatistics.Disk
    var directory: CacheDirectory?
    /// When writing is tried again.
    var retryAt: Instant?
    var early = Early()
    var refreshing: Set<CacheKey> = []
    var counts = CacheStatistics()

    /// Resources that are remembered before the directory is read; with more of them none of its files is taken.
    static let maximumEarlyResources = 100_000

    /// False: it is stored nowhere.
    mutating func put(_ entry: CacheEntry, for key: CacheKey, limit: Int) -> Bool {
      touch(key)
      guard entry.cost <= limit else {
        counts.tooLarge += 1
        if let slot = index.find(key, entry.variant) { index.remove(slot) }
        return false
      }
      let toDisk = takesWrites()
      if !toDisk, disk != .none { counts.unwritten += 1 }
      let isStored = index.put(entry, for: key, toDisk: toDisk)
      if isStored { counts.stored += 1 } else { counts.tooLarge += 1 }
      return isStored
    }

    mutating func touch(_ key: CacheKey) {
      guard disk == .opening, !early.isAll else { return }
      early.resources.insert(key.resource)
      if early.resources.count > Self.maximumEarlyResources { early = Early(resources: [], isAll: true) }
    }

    private mutating func takesWrites() -> Bool {
      switch disk {
      case .none: return false
      case .opening, .on: return true
      case .off:
        guard let retryAt, retryAt <= .now() else { return false }
        self.retryAt = nil
        disk = .on
        return true
      }
    }

    mutating func failed(_ failure: CacheDirectory.Failure) { counts.failures[failure.reason, default: 0] += 1 }

    var statistics: CacheStatistics {
      var statistics = counts
      statistics.disk = disk
      statistics.memoryEntries = index.memoryCount
      statistics.memoryBytes = index.memoryUsed
      statistics.diskEntries = index.diskCount
      statistics.diskBytes = index.diskUsed
      statistics.unwritten += index.declined
      statistics.evictedFromMemory = index.evictedFromMemory
      statistics.evictedFromDisk = index.evictedFromDisk
      return statistics
    }
  }
}
