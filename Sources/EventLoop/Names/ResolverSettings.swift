/// What a resolver asks, and what it remembers.
public struct ResolverSettings: Sendable {
  /// The name servers as `address:port,…`; nil takes those of ``configurationFile``.
  public var servers: String?
  /// For one try at one server. Default 5 s.
  public var timeout = Duration.seconds(5)
  /// How often each server is tried. Default 2.
  public var tries = 2
  /// The longest that an answer is kept, whatever its time to live. Default 1 h.
  public var maxTimeToLive = Duration.seconds(3_600)
  /// How long it is remembered that a name does not exist or has no address. Default 5 s. Failures of servers are not remembered.
  public var negativeTimeToLive = Duration.seconds(5)
  /// How many answers are kept, of which a name has one for each family. Default 4,096; those not used for longest go first.
  public var maxAnswers = 4_096
  /// How many questions are with the name servers at a time; others wait for theirs. Default 4,096, at most 16,384.
  public var maxQuestions = 4_096
  /// The system's table of names, which goes before the name servers. Default `/etc/hosts`.
  public var hostsFile = "/etc/hosts"
  /// Search domains, options and name servers. Default `/etc/resolv.conf`.
  public var configurationFile = "/etc/resolv.conf"
  /// How old may be what is known of the two files when a name is resolved. Default 1 s.
  public var fileCheckInterval = Duration.seconds(1)

  public init() {}
}
