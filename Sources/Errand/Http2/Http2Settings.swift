/// How a client behaves on HTTP/2 connections. Memory for what was received and not yet taken is bounded by `streamWindow` for each stream.
public struct Http2Settings: Sendable {
  /// Bytes of a response's body that may come before its consumer has taken them, for each stream (SETTINGS_INITIAL_WINDOW_SIZE).
  public var streamWindow: Int32 = 1_048_576
  /// The same for a connection as a whole. Given back as bytes come, for a stream whose consumer is slow must not stop the others.
  public var connectionWindow: Int32 = 16 * 1_048_576
  /// Bytes of the HPACK table of either side (SETTINGS_HEADER_TABLE_SIZE, and the most that is used of the peer's).
  public var headerTableBytes: UInt32 = 4_096
  /// Streams on one connection at a time, whatever the peer allows (its SETTINGS_MAX_CONCURRENT_STREAMS; 100 until that has come).
  public var maxStreams = 1_000
  /// Bytes of a request's header section.
  public var requestHeadBytes = 65_536
  /// CONTINUATION frames after one HEADERS frame.
  public var maxContinuations = 8
  /// Settings in one SETTINGS frame.
  public var maxSettingsEntries = 32
  /// PING and SETTINGS frames whose acknowledgements the peer does not read.
  public var maxPendingAcks = 1_000
  /// Frames of one kind that carry nothing of a response (RFC 9113 section 10.5), in one `floodPeriod`, besides two for each useful frame.
  public var floodFrames = 1_000
  public var floodPeriod = Duration.seconds(10)
  /// With requests under way and nothing heard for so long, the server is asked for a sign of life. Zero: never.
  public var pingAfter = Duration.seconds(30)
  /// How long such a ping waits for anything to come, until the connection counts as lost.
  public var pingTimeout = Duration.seconds(10)

  public init() {}
}
