/// Limits of the control API; each has a setting of the same name.
struct ApiLimits: Sendable, Equatable {
  var batchLines = 10_000
  var lineBytes = 1 << 20
  var waitSeconds = 3_600
  var keepAlive = Duration.seconds(15)
  /// Records that one list call looks at before it answers with what it has and a cursor.
  static let listScan = 100_000
}
