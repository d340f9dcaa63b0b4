internal import Dispatch
internal import EventLoop
import Glibc
public import HttpWire

/// A private HTTP cache: entries in memory and, if a directory is given, on disk over restarts. It keeps what it is given; what may be
/// kept and used, ``CacheRules`` says.
///
/// All methods may be called from any thread, the loop's too: none waits for the disk. Of two that store under one key and variant at the
/// same time, the last one wins. Each file is checked whole when it is read, so that neither damage nor an end of the process in the
/// midst of writing makes a wrong body. What goes wrong with the disk is counted in ``statistics`` and is no error. Two processes may not
/// share a directory: the second one keeps its entries in memory only.
public final class HttpCache: Sendable {
  /// As they were given; a negative size is 0.
  public let settings: Settings
  let state: Locked<State>
  let writing = DispatchQueue(label: "errand.cache.writing")
  let reading = DispatchQueue(label: "errand.cache.reading")

  /// Begins to read the directory, if there is one. What it holds is not found before that is done.
  public init(_ settings: Settings = Settings()) {
    var settings = settings
    settings.memoryBytes = max(settings.memoryBytes, 0)
    settings.diskBytes = max(settings.diskBytes, 0)
    settings.largestEntry = max(settings.largestEntry, 0)
    self.settings = settings
    var clock = timespec()
    clock_gettime(CLOCK_REALTIME, &clock)
    let index = CacheIndex(memoryBytes: settings.memoryBytes, diskBytes: settings.diskBytes)
    state = Locked(State(index: index, disk: settings.directory == nil ? .none : .opening))
    if let directory = settings.directory { writing.async { self.open(directory) } }
  }

  /// What is stored for a request with these header fields, as they are sent. It counts as used.
  public func lookup(_ key: CacheKey, _ headers: HttpHeaders) -> CacheLookup {
    state.withLock { state in
      let (slot, isKeyKnown) = state.index.find(key, headers)
      guard let slot, let item = state.index.items[slot] else {
        state.counts.misses += 1
        return .none(isKeyKnown ? .varyMiss : .uriMiss)
      }
      guard let held = item.held else { return .onDisk(CacheTicket(name: item.name, slot: slot, stamp: item.stamp)) }
      state.counts.memoryHits += 1
      return .memory(held.entry)
    }
  }

  /// Reads an entry and calls `completion` with it, never before this returns; nil if it is not to be had any more.
  public func load(_ ticket: CacheTicket, completion: @escaping @LoopActor @Sendable (CacheEntry?) -> Void) {
    reading.async {
      let entry = self.read(ticket)
      EventLoop.shared.enqueue { completion(entry) }
    }
  }

  /// Stores an entry in place of the one with its variant. What is larger than ``Settings/largestEntry`` is not stored, and the other one
  /// goes. False if it is stored nowhere; what the disk alone has room for may yet fail to be written.
  @discardableResult
  public func store(_ entry: CacheEntry, for key: CacheKey) -> Bool {
    change { $0.put(entry, for: key, limit: settings.largestEntry) }
  }

  /// Stores an entry that was brought up to date in place of the one it was made from; does nothing if that one was replaced or removed
  /// meanwhile. False if it is not stored.
  @discardableResult
  public func update(_ entry: CacheEntry, for key: CacheKey) -> Bool {
    change { state in
      guard let slot = state.index.find(key, stamp: entry.stamp) else { return false }
      // Its Vary may have changed, so that it would not be replaced by itself.
      if state.index.items[slot]?.variant != entry.variant { state.index.remove(slot) }
      return state.put(entry, for: key, limit: settings.largestEntry)
    }
  }

  /// Removes an entry that was looked up; does nothing if it was replaced meanwhile.
  public func remove(_ entry: CacheEntry, for key: CacheKey) {
    change { state in
      if let slot = state.index.find(key, stamp: entry.stamp) { state.index.remove(slot) }
    }
  }

  /// Removes all that is stored of a key's resource, for any request of whomever.
  public func invalidate(_ key: CacheKey) {
    change { state in
      state.touch(key)
      state.index.remove(key.resource)
    }
  }

  /// Removes everything.
  public func clear() {
    change { state in
      state.early.isAll = true
      state.index.removeAll()
    }
  }

  /// Whether the caller is to validate what is stored under a key in the background: no for all but the first, until ``endRefresh(_:)``.
  public func beginRefresh(_ key: CacheKey) -> Bool { state.withLock { $0.refreshing.insert(key).inserted } }

  /// The validation in the background has ended, however.
  public func endRefresh(_ key: CacheKey) { _ = state.withLock { $0.refreshing.remove(key) } }

  /// What the cache holds and has done.
  public var statistics: CacheStatistics { state.withLock { $0.statistics } }

  /// Returns when the directory has been read and what was stored or removed before this call is on disk.
  public func settle() async {
    await withCheckedContinuation { continuation in writing.async { continuation.resume() } }
  }

  /// Settles, and lets the directory go, so that another cache can use it. What is stored afterwards stays in memory.
  public func close() async {
    await settle()
    await withCheckedContinuation { continuation in reading.async { continuation.resume() } }
    letGoOfDirectory()
  }
}
