internal import EventLoop
internal import HttpWire

extension HttpCache {
  /// What the threads share. Under its lock nothing waits.
  struct State {
    /// What was changed before the directory was read: files that it outdates.
    struct Early {
      var keys: Set<CacheKey> = []
      var isAll = false

      func outdates(_ key: CacheKey) -> Bool { isAll || keys.contains(key) }
    }

    var index: CacheIndex
    var disk: CacheStatistics.Disk
    var directory: CacheDirectory?
    /// When writing is tried again.
    var retryAt: Instant?
    var early = Early()
    var refreshing: Set<CacheKey> = []
    var counts = CacheStatistics()

    /// Keys that are remembered before the directory is read; with more of them none of its files is taken.
    static let maximumEarlyKeys = 100_000

    mutating func put(_ entry: CacheEntry, for key: CacheKey, limit: Int) {
      touch(key)
      guard entry.cost <= limit else {
        counts.tooLarge += 1
        if let slot = index.find(key, entry.variant) { index.remove(slot) }
        return
      }
      counts.stored += 1
      let toDisk = takesWrites()
      if !toDisk, disk != .none { counts.unwritten += 1 }
      index.put(entry, for: key, toDisk: toDisk)
    }

    mutating func touch(_ key: CacheKey) {
      guard disk == .opening, !early.isAll else { return }
      early.keys.insert(key)
      if early.keys.count > Self.maximumEarlyKeys { early = Early(keys: [], isAll: true) }
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
