internal import EventLoop

/// Which services have said that their session is over, so that each end is told once. Pure: the time is an argument.
struct SessionWatch: Sendable {
  /// Whose sessions are alike.
  enum Scope: Hashable, Sendable {
    case service(String)
    /// Requests without a service, by origin and envelope.
    case origin(Origin, envelope: String)
  }

  private struct Standing: Sendable, Forgettable {
    var isOver = false
    /// When that became so: of requests that were submitted before, some may yet bring news of how it was.
    var since = Instant(nanoseconds: .min)

    /// Forgotten after a day: no request is that old.
    func isAtRest(at now: Instant) -> Bool { since + .seconds(86_400) < now }
  }

  private var standings = HostMemory<Scope, Standing>()

  /// A request that was submitted then was told that the session is over. True if that is news.
  mutating func ended(_ scope: Scope, submitted: Instant, at now: Instant) -> Bool {
    standings.with(scope, else: Standing(), at: now) { standing in
      guard !standing.isOver, submitted >= standing.since else { return false }
      standing = Standing(isOver: true, since: now)
      return true
    }
  }

  /// A request that was submitted then succeeded. One from before the session's end proves nothing.
  mutating func succeeded(_ scope: Scope, submitted: Instant, at now: Instant) {
    guard let standing = standings[scope], standing.isOver, submitted >= standing.since else { return }
    standings.with(scope, else: Standing(), at: now) { $0 = Standing(isOver: false, since: now) }
  }
}
