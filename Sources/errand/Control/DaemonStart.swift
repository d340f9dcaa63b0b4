internal import Errand
internal import EventLoop
internal import HttpWire

/// When the daemon was started, as far as its answer tells: the span of monotonic time in which that was.
struct DaemonStart: Sendable {
  private let earliest: Int64
  private let latest: Int64

  /// Microseconds of a clock that goes on while daemons come and go.
  init(asked: Int64, answered: Int64, uptime: Int64) {
    earliest = asked &- uptime
    latest = answered &- uptime
  }

  /// nil if the daemon does not tell. Throws if it can't be reached.
  static func ask(_ control: ControlClient, since epoch: Instant) throws(Failure) -> DaemonStart? {
    let asked = Instant.now().microseconds(since: epoch)
    let response = try control.send(control.request(.get, "/v1/stats"))
    let answered = Instant.now().microseconds(since: epoch)
    guard response.status < 400, let uptime = (try? ControlClient.parse(response.body))?["uptime_us"]?.int else { return nil }
    return DaemonStart(asked: asked, answered: answered, uptime: uptime)
  }

  /// Certainly another, later start.
  func isLater(than other: DaemonStart) -> Bool { earliest > other.latest }
}
