internal import EventLoop

/// How far a download is.
public struct TransferProgress: Sendable, Hashable {
  /// In the file by now, those that an earlier request left included.
  public let bytes: Int64
  /// Of the whole file; nil if the server does not say.
  public let total: Int64?
  /// Bytes per second over the last seconds.
  public let rate: Double
}

/// Says when progress is to be told, and how fast it is. Pure.
struct ProgressMeter {
  /// Between two events.
  static let interval = Duration.milliseconds(100)
  /// What the rate is reckoned over.
  static let window = Duration.seconds(3)

  private var samples: [(at: Instant, bytes: Int64)]
  private let total: Int64?
  private var last: Instant

  init(from bytes: Int64, total: Int64?, at now: Instant) {
    samples = [(now, bytes)]
    self.total = total
    last = now
  }

  /// `bytes` are there; nil if it is too soon to tell it.
  mutating func reached(_ bytes: Int64, at now: Instant, isLast: Bool = false) -> TransferProgress? {
    guard isLast || last.duration(to: now) >= ProgressMeter.interval else { return nil }
    last = now
    // One sample from before the window stays, to reckon from.
    while samples.count > 1, samples[1].at.duration(to: now) >= ProgressMeter.window { samples.removeFirst() }
    let from = samples[0]
    samples.append((now, bytes))
    let seconds = Double(max(1, now.microseconds(since: from.at))) / 1_000_000
    return TransferProgress(bytes: bytes, total: total, rate: Double(max(0, bytes - from.bytes)) / seconds)
  }
}
