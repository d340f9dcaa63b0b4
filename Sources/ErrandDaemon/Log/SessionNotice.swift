internal import Errand
internal import EventLoop

/// Tells of services that say that their session is over: in the log, and to the daemon.
@LoopActor
final class SessionNotice {
  private let log: Log
  weak var core: DaemonCore?

  init(_ log: Log) {
    self.log = log
  }

  nonisolated func tell(_ session: SessionInvalid) {
    EventLoop.shared.enqueue { self.told(session) }
  }

  private func told(_ session: SessionInvalid) {
    log.write(
      .warning, "a service says that its session is no longer valid",
      [("service", session.service ?? session.origin), ("envelope", session.envelope), ("code", session.code)])
    core?.sessionEnded(session)
  }
}
