public import HttpWire

/// What ``HttpCache/lookup(_:_:)`` found.
public enum CacheLookup: Sendable {
  case memory(CacheEntry)
  /// To be had with ``HttpCache/load(_:completion:)``.
  case onDisk(CacheTicket)
  /// Nothing, and why.
  case none(CacheForward)
}

/// An entry on disk.
public struct CacheTicket: Sendable {
  let name: CacheFileName
  let slot: Int
  let stamp: UInt64
}
