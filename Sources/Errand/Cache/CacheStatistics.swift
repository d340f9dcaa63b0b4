/// What an ``HttpCache`` holds and has done since it was made.
public struct CacheStatistics: Sendable, Hashable {
  /// How the disk tier stands.
  public enum Disk: Sendable, Hashable {
    /// No directory was given.
    case none
    /// The directory is being read. What it holds is not found yet.
    case opening
    case on
    /// Entries are not written, for this reason. After a failed write it is tried again a minute later; a directory that can't be used,
    /// or that another process uses, is left alone.
    case off(String)
  }

  public var disk = Disk.none
  public var memoryEntries = 0
  public var memoryBytes = 0
  public var diskEntries = 0
  public var diskBytes: Int64 = 0
  /// Look-ups that were answered from memory.
  public var memoryHits = 0
  /// Look-ups that were answered from disk.
  public var diskHits = 0
  /// Look-ups that were not answered.
  public var misses = 0
  /// Entries that were stored, updates included.
  public var stored = 0
  /// Entries that were too large to be stored.
  public var tooLarge = 0
  /// Entries that did not come to disk: it was off, slower than they came, or too small. Memory has them while there is room.
  public var unwritten = 0
  /// Entries that went for newer ones.
  public var evictedFromMemory = 0
  public var evictedFromDisk = 0
  /// Files that did not hold what was written to them. They were removed.
  public var damaged = 0
  /// What went wrong with the disk, and how often.
  public var failures: [String: Int] = [:]

  public init() {}
}
