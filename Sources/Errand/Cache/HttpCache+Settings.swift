extension HttpCache {
  /// Where a cache keeps its entries, and how much of them.
  public struct Settings: Sendable, Hashable {
    /// What entries may take in memory, in bytes. Default 16 MiB.
    public var memoryBytes = 16 * 1_048_576
    /// The directory that the cache keeps entries in over restarts; made, with mode 0700, if there is none. It must be the user's own,
    /// and nobody else may write to it. Default nil: memory only.
    public var directory: String?
    /// What files may take there, in bytes, counted in blocks of 4 KiB. Default 256 MiB.
    public var diskBytes: Int64 = 256 * 1_048_576
    /// The largest entry, body and header fields, in bytes; what is larger is not stored. Default 8 MiB.
    public var largestEntry = 8 * 1_048_576

    public init() {}
  }
}
