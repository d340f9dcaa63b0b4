internal import EventLoop
import Glibc

/// Microseconds since 1970, UTC: what instants are on disk, since their own clock ends with the machine's run.
struct WallTime: Sendable, Hashable {
  let microseconds: Int64

  private static let offset: Int64 = {
    var spec = timespec()
    clock_gettime(CLOCK_REALTIME, &spec)
    let wall = Int64(spec.tv_sec) &* 1_000_000 &+ Int64(spec.tv_nsec) / 1_000
    return wall &- Instant.now().nanoseconds / 1_000
  }()

  static func now() -> WallTime {
    var spec = timespec()
    clock_gettime(CLOCK_REALTIME, &spec)
    return WallTime(microseconds: Int64(spec.tv_sec) &* 1_000_000 &+ Int64(spec.tv_nsec) / 1_000)
  }

  /// The time from this one to `later`; negative if that is before it.
  func duration(to later: WallTime) -> Duration { .microseconds(later.microseconds &- microseconds) }

  init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// The wall clock is looked at once in a process: what it is set to later moves nothing.
  init(_ instant: Instant) {
    microseconds = instant.nanoseconds / 1_000 &+ WallTime.offset
  }

  var instant: Instant { Instant(nanoseconds: (microseconds &- WallTime.offset) &* 1_000) }
}
