/// How a client behaves on HTTP/2 connections. Memory for what was received and not yet taken is bounded by `streamWindow` for each stream.
struct Http2Settings: Sendable {
  /// Bytes of a response's body that may come before its consumer has taken them, for each stream (SETTINGS_INITIAL_WINDOW_SIZE).
  var streamWindow: Int32 = 1_048_576
  /// The same for a connection as a whole. Given back as bytes come, for a stream whose consumer is slow must not stop the others.
  var connectionWindow: Int32 = 16 * 1_048_576
  /// Bytes of the HPACK table of either side (SETTINGS_HEADER_TABLE_SIZE, and the most that is used of the peer's).
  var headerTableBytes: UInt32 = 4_096
  /// Streams on one connection at a time, whatever the peer allows (its SETTINGS_MAX_CONCURRENT_STREAMS; 100 until that has come).
  var maxStreams = 1_000
  /// Bytes of a request's header section.
  var requestHeadBytes = 65_536
  /// CONTINUATION frames after one HEADERS frame.
  var maxContinuations = 8
  /// Settings in one SETTINGS frame.
  var maxSettingsEntries = 32
  /// PING and SETTINGS frames whose acknowledgements the peer does not read.
  var maxPendingAcks = 1_000
  /// Frames of one kind that carry nothing of a response (RFC 9113 section 10.5), in one `floodPeriod`, besides two for each useful frame.
  var floodFrames = 1_000
  var floodPeriod = Duration.seconds(10)
}
