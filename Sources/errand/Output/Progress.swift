internal import EventLoop

/// A line on standard error that tells how far a large body has come.
struct Progress: Sendable {
  private(set) var done: Int64 = 0
  private let isShown: Bool
  private let threshold: Int64
  private var total: Int64?
  private var began = Instant.now()
  private var lastDrawn: Instant?

  init(isShown: Bool, from threshold: Int64) {
    self.isShown = isShown
    self.threshold = threshold
  }

  mutating func start(total: Int64?) {
    done = 0
    self.total = total
    began = .now()
  }

  mutating func advance(_ count: Int64) {
    done += count
    guard isShown, max(done, total ?? 0) > threshold else { return }
    let now = Instant.now()
    if let lastDrawn, now.microseconds(since: lastDrawn) < 200_000, done != total { return }
    lastDrawn = now
    Output.raw("\r\u{1B}[K" + text(at: now))
  }

  mutating func finish() {
    if lastDrawn != nil { Output.raw("\n") }
    lastDrawn = nil
  }

  private func text(at now: Instant) -> String {
    let passed = max(1, now.microseconds(since: began))
    let rate = Text.bytes(Int64(Double(done) / Double(passed) * 1_000_000)) + "/s"
    guard let total, total > 0 else { return "\(Text.bytes(done))  \(rate)" }
    return "\(Text.bytes(done)) of \(Text.bytes(total))  \(min(100, done * 100 / total)) %  \(rate)"
  }
}
