internal import Errand
internal import EventLoop
internal import HttpServer

/// The daemon's own course: new settings, old results, the end.
extension DaemonCore {
  private static let sweepInterval = Duration.seconds(1)

  func apply(_ configuration: DaemonConfiguration) {
    store.limits = configuration.storeLimits
    webhooks.egress = rules.egress
    webhooks.settings = configuration.webhooks
    keys.window = .milliseconds(configuration.limits.idempotencyWindowMs)
    keys.limit = configuration.limits.idempotencyKeysPerOwner
    journal.maxBytes = Int64(configuration.journal.maxBytes)
    let connecting = rules.connecting
    rules = configuration.submissionRules
    rules.connecting = connecting
    limits = configuration.apiLimits
    events.inlineBodyBytes = configuration.limits.eventBodyBytes
  }

  func startSweeping() {
    sweepDue = .now() + DaemonCore.sweepInterval
    sweeper = EventLoop.shared.schedule(after: DaemonCore.sweepInterval, self, kind: 0)
  }

  /// Returns when every request has had its outcome, and every follower its last event or the grace is over.
  func drain(grace: Duration) async {
    isDraining = true
    let deadline = Instant.now() + grace
    await client.shutdown(grace: grace)
    EventLoop.shared.cancel(sweeper)
    // Their events are seen once they are on disk.
    await journal.settle()
    // Requests that were cancelled at the end of the grace have just had their outcome.
    await delivery.run(until: max(deadline, .now() + min(grace, .seconds(1))))
    finishOpenCalls()
    await webhooks.stop()
  }
}

extension DaemonCore: TimerTarget {
  func timerFired(_ kind: UInt8) {
    metrics.lagged(Instant.now().microseconds(since: sweepDue))
    store.sweep(.now())
    tellProgress(at: .now())
    recentPolls.forgetOld(.now())
    keys.sweep()
    reserve.retry()
    journal.lookAfter()
    memory.look(at: client.statsOnLoop, resultsGone: store.resultsGone, isJournalAtRest: journal.isAtRest)
    startSweeping()
  }
}
