internal import Dispatch
internal import EventLoop
internal import HttpWire

/// What happens on the disk's queues.
extension HttpCache {
  /// How long nothing is written after a write that failed.
  static let pause = Duration.seconds(60)
  /// Files that are taken into the index under one lock.
  private static let batch = 256

  /// Changes the state, and sees to what that leaves to do on disk, in the order of the changes.
  func change<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state)
      let orders = state.index.takeOrders()
      if !orders.isEmpty, state.disk != .none {
        writing.async { for order in orders { self.carryOut(order) } }
      }
      return result
    }
  }

  /// An entry's file is no longer than the entry's cost.
  private var longestFile: Int64 { Int64(settings.largestEntry) }

  // MARK: On the queue for writing

  func open(_ path: String) {
    do throws(CacheDirectory.Failure) {
      let directory = try CacheDirectory(path)
      let files = try directory.list()
      state.withLock { $0.directory = directory }
      var start = 0
      while start < files.count {
        adopt(files[start..<min(start + Self.batch, files.count)], of: directory)
        start += Self.batch
      }
      state.withLock { state in
        state.disk = .on
        state.early = State.Early()
      }
    } catch {
      change { state in
        state.failed(error)
        state.disk = .off(error.reason)
        state.early = State.Early()
      }
    }
  }

  func letGoOfDirectory() {
    change { state in
      guard state.directory != nil else { return }
      state.directory = nil
      state.retryAt = nil
      state.disk = .off("closed")
      state.index.forgetFiles()
    }
  }

  private func adopt(_ files: ArraySlice<CacheDirectory.Listed>, of directory: CacheDirectory) {
    let known = files.map { ($0, $0.bytes <= longestFile ? directory.fields(of: $0.name) : nil) }
    change { state in
      for (file, fields) in known {
        if let fields, !state.early.outdates(file.name.key) {
          state.index.adopt(file.name, fields: fields, bytes: file.bytes)
        } else {
          state.index.reject(file.name)
          if fields == nil, file.bytes <= longestFile { state.counts.damaged += 1 }
        }
      }
    }
  }

  private func carryOut(_ order: CacheIndex.Order) {
    switch order {
    case .write(let slot, let stamp): write(slot, stamp)
    case .remove(let name): remove(name)
    case .removeAll(let items):
      for case let item? in items where item.fileBytes > 0 { remove(item.name) }
    }
  }

  private func remove(_ name: CacheFileName) {
    guard let directory = state.withLock({ $0.directory }) else { return }
    do throws(CacheDirectory.Failure) {
      try directory.remove(name)
    } catch {
      state.withLock { $0.failed(error) }
    }
  }

  private func write(_ slot: Int, _ stamp: UInt64) {
    var work: (CacheDirectory, CacheIndex.Item, CacheEntry)?
    change { state in
      guard let item = state.index.item(slot, stamp: stamp), item.isPending, let held = item.held else { return }
      if state.disk == .on, let directory = state.directory {
        work = (directory, item, held.entry)
      } else {
        state.index.lost(slot, stamp: stamp)
        state.counts.unwritten += 1
      }
    }
    guard let (directory, item, entry) = work else { return }
    guard let head = CacheRecord(key: item.key, entry: entry).encodedHead() else {
      // Fields of that length are the peer's doing, not the disk's.
      return change { state in
        state.index.lost(slot, stamp: stamp)
        state.counts.unwritten += 1
      }
    }
    do throws(CacheDirectory.Failure) {
      try directory.write(head, entry.body, as: item.name, number: stamp)
      state.withLock { $0.index.written(slot, stamp: stamp) }
    } catch {
      change { state in
        state.failed(error)
        state.disk = .off(error.reason)
        state.retryAt = .now() + Self.pause
        state.index.lost(slot, stamp: stamp)
        state.counts.unwritten += 1
      }
    }
  }

  // MARK: On the queue for reading

  func read(_ ticket: CacheTicket) -> CacheEntry? {
    let place = state.withLock { state -> (CacheDirectory?, CacheEntry?) in
      guard let item = state.index.item(ticket.slot, stamp: ticket.stamp) else { return (nil, nil) }
      return (state.directory, item.held?.entry)
    }
    var found = CacheDirectory.Found.missing
    var failure: CacheDirectory.Failure?
    if place.1 == nil, let directory = place.0 {
      do throws(CacheDirectory.Failure) {
        found = try directory.read(ticket.name, limit: longestFile)
      } catch {
        failure = error
      }
    }
    var result: CacheEntry?
    change { state in
      result = place.1
      switch found {
      case _ where place.1 != nil: break
      case .entry(let entry): result = state.index.loaded(ticket.slot, stamp: ticket.stamp, entry)
      case .missing, .damaged:
        if let failure { state.failed(failure) } else { state.index.lost(ticket.slot, stamp: ticket.stamp) }
        if case .damaged = found { state.counts.damaged += 1 }
      }
      if result == nil { state.counts.misses += 1 } else { state.counts.diskHits += 1 }
    }
    return result
  }
}
