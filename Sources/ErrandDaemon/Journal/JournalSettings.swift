/// How requests are kept over the end of the process.
public struct JournalSettings: Codable, Sendable, Equatable {
  public var enabled = true
  /// What holds for requests that do not say it themselves: `journaled` or `volatile`.
  public var durability = Durability.journaled.rawValue
  /// `full`: a commit is on the disk before it counts, whatever happens to the machine. `normal`: it is with the system, which a power cut may take
  /// along, a killed process not.
  public var synchronous = "full"
  /// Of the database and the files beside it.
  public var maxBytes = 4 << 30
  /// Larger requests, events and bodies are files of their own.
  public var inlineBytes = 64 << 10

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case enabled, durability, synchronous
    case maxBytes = "max_bytes"
    case inlineBytes = "inline_bytes"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.read(.enabled, &enabled)
    try reader.read(.durability, &durability)
    if Durability(rawValue: durability) == nil { throw reader.failure(.durability, "must be journaled or volatile") }
    try reader.read(.synchronous, &synchronous)
    if !["full", "normal"].contains(synchronous) { throw reader.failure(.synchronous, "must be full or normal") }
    try reader.integer(.maxBytes, &maxBytes, (1 << 20)...(1 << 50))
    try reader.integer(.inlineBytes, &inlineBytes, 0...(1 << 30))
  }

  /// What holds for requests that do not say it themselves.
  var usual: Durability { enabled ? Durability(rawValue: durability) ?? .journaled : .volatile }
}
