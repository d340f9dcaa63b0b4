internal import Errand
internal import HttpWire

/// The cache of responses.
public struct CacheFileSettings: Codable, Sendable, Equatable {
  /// How requests use it that do not say so.
  public var policy = CachePolicy.off.rawValue
  public var memoryBytes = 16 << 20
  /// 0: nothing is kept on disk.
  public var diskBytes = 256 << 20
  public var largestEntryBytes = 8 << 20

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case policy
    case memoryBytes = "memory_bytes"
    case diskBytes = "disk_bytes"
    case largestEntryBytes = "largest_entry_bytes"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.choice(.policy, &policy, CachePolicy.allCases.map(\.rawValue))
    try reader.integer(.memoryBytes, &memoryBytes, 0...(1 << 40))
    try reader.integer(.diskBytes, &diskBytes, 0...(1 << 50))
    try reader.integer(.largestEntryBytes, &largestEntryBytes, 0...(1 << 40))
  }

  /// `stateDirectory`: where its directory is.
  func cache(in stateDirectory: String) -> HttpCache {
    var settings = HttpCache.Settings()
    settings.memoryBytes = memoryBytes
    settings.largestEntry = largestEntryBytes
    settings.diskBytes = Int64(diskBytes)
    if diskBytes > 0 { settings.directory = stateDirectory + "/cache" }
    return HttpCache(settings)
  }
}
