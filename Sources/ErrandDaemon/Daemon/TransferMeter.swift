internal import Errand
internal import EventLoop

/// Says what there is to tell of a request's progress, each time that it is looked at. Pure.
struct TransferMeter {
  struct Move: Equatable {
    /// Bytes per second, both ways, since it was looked at before; nil if the request was begun anew meanwhile.
    let rate: Int64?
  }

  private var last = RequestProgress.none
  private var lastAt: Instant

  /// Nothing has been sent yet.
  init(at now: Instant) {
    lastAt = now
  }

  /// nil if nothing has moved.
  mutating func looked(_ progress: RequestProgress, at now: Instant) -> Move? {
    let (up, down) = (progress.uploaded - last.uploaded, progress.downloaded - last.downloaded)
    let seconds = Double(max(1_000, now.microseconds(since: lastAt))) / 1_000_000
    (last, lastAt) = (progress, now)
    guard up != 0 || down != 0 else { return nil }
    return Move(rate: up < 0 || down < 0 ? nil : Int64((Double(up) + Double(down)) / seconds))
  }
}
