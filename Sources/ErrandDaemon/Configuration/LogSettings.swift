/// How the log is written.
public struct LogSettings: Codable, Sendable, Equatable {
  public var format = "logfmt"
  public var level = "info"
  /// An absolute path; nil: standard error.
  public var file: String?
  /// Lines that may wait to be written.
  public var queueLines = 10_000

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case format, level, file
    case queueLines = "queue_lines"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.choice(.format, &format, LogFormat.allCases.map(\.rawValue))
    try reader.choice(.level, &level, LogLevel.allCases.map(\.name))
    try reader.read(.file, &file)
    if let file, !file.hasPrefix("/") { throw reader.failure(.file, "must be an absolute path, or null for standard error") }
    try reader.integer(.queueLines, &queueLines, 1...10_000_000)
  }
}
