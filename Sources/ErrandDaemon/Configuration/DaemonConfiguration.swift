/// All settings of the daemon, with their defaults. `config/errandd.json5` explains each of them.
public struct DaemonConfiguration: Codable, Sendable, Equatable {
  /// The Unix socket; nil takes the default of ``DefaultPaths``.
  public var socket: String?
  /// Its permission, in octal.
  public var socketMode = "0600"
  /// A loopback address and port to listen on, too.
  public var listen: String?
  /// The bearer token for `listen`, or the file that holds it.
  public var token: String?
  public var tokenFile: String?
  /// What outlives the daemon; nil takes the default of ``DefaultPaths``.
  public var stateDir: String?
  /// How long requests under way may go on when the daemon is told to end.
  public var graceMs = 10_000
  public var log = LogSettings()
  public var client = ClientSettings()
  public var limits = LimitSettings()
  public var results = ResultSettings()
  public var mailbox = MailboxSettings()
  public var journal = JournalSettings()
  public var webhooks = WebhookSettings()
  public var egress = EgressSettings()
  public var envelopes = EnvelopeSettings.shipped

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case socket, listen, token, log, client, limits, results, mailbox, journal, webhooks, egress, envelopes
    case socketMode = "socket_mode"
    case tokenFile = "token_file"
    case stateDir = "state_dir"
    case graceMs = "grace_ms"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.read(.socket, &socket)
    try reader.read(.socketMode, &socketMode)
    if permission == nil { throw reader.failure(.socketMode, "must be a permission in octal, such as \"0600\"") }
    try reader.read(.listen, &listen)
    try reader.read(.token, &token)
    try reader.read(.tokenFile, &tokenFile)
    if token != nil, tokenFile != nil { throw reader.failure(.token, "can't stand beside token_file") }
    try reader.read(.stateDir, &stateDir)
    try reader.integer(.graceMs, &graceMs, 0...86_400_000)
    try reader.read(.log, &log)
    try reader.read(.client, &client)
    try reader.read(.limits, &limits)
    try reader.read(.results, &results)
    try reader.read(.mailbox, &mailbox)
    try reader.read(.journal, &journal)
    try reader.read(.webhooks, &webhooks)
    try reader.read(.egress, &egress)
    try reader.read(.envelopes, &envelopes)
    var names: Set<String> = []
    for envelope in envelopes where !names.insert(envelope.name).inserted {
      throw reader.failure(.envelopes, "has the name \(envelope.name) twice")
    }
  }

  /// `socketMode` as a number; nil if it is none.
  var permission: UInt32? {
    UInt32(socketMode, radix: 8).flatMap { $0 <= 0o777 ? $0 : nil }
  }
}
