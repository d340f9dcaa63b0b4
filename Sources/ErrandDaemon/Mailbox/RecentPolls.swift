internal import EventLoop

/// The long polls answered a short while ago, by mailbox: whoever sent one is probably about to ask for what came next.
@LoopActor
struct RecentPolls {
  /// How long a poller is waited for.
  private static let patience = Duration.seconds(1)

  private var polls: [ObjectIdentifier: (mailbox: Mailbox, cursor: UInt64, at: Instant)] = [:]

  nonisolated init() {}

  mutating func answered(_ mailbox: Mailbox, through cursor: UInt64) {
    polls[ObjectIdentifier(mailbox)] = (mailbox, cursor, .now())
  }

  mutating func began(_ mailbox: Mailbox) {
    if !polls.isEmpty { polls[ObjectIdentifier(mailbox)] = nil }
  }

  mutating func forgetOld(_ now: Instant) {
    if !polls.isEmpty { polls = polls.filter { $0.value.at.duration(to: now) < RecentPolls.patience } }
  }

  /// The events that these pollers have not been given.
  var pending: Int { polls.values.reduce(0) { $0 + $1.mailbox.pendingCount(after: $1.cursor) } }

  /// Whether one of them may still come for its events.
  func isAwaiting(_ now: Instant) -> Bool {
    polls.values.contains {
      $0.at.duration(to: now) < RecentPolls.patience && $0.mailbox.pendingCount(after: $0.cursor) > 0
    }
  }
}
