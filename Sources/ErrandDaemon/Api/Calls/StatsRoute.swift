internal import Errand
internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /v1/stats`: figures of the daemon as a whole.
@LoopActor
final class StatsRoute: ApiRoute {
  let methods = [HttpMethod.get, .head]
  let pattern: PathPattern = "/v1/stats"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    try call.query().finish()
    let stats = core.client.statsOnLoop
    call.responder.json { writer in
      writer.beginObject()
      writer.member("version", Daemon.version)
      writer.member("uptime_us", Instant.now().microseconds(since: core.startedAt))
      writer.member("draining", core.isDraining)
      StatsRoute.writeRequests(stats, &writer)
      StatsRoute.writeConnections(stats, &writer)
      StatsRoute.writeStore(core.store.figures, &writer)
      StatsRoute.writeJournal(core.journal, &writer)
      writer.member("open_calls", core.openCallCount)
      writer.member("log_lines_dropped", core.log.droppedCount)
      writer.endObject()
    }
  }

  private static func writeRequests(_ stats: ClientStats, _ writer: inout JsonWriter) {
    writer.key("requests")
    writer.beginObject()
    writer.member("submitted", stats.submitted)
    writer.member("finished", stats.finished)
    writer.member("failed", stats.failed)
    writer.member("cancelled", stats.cancelled)
    writer.member("retried", stats.retried)
    writer.member("retries_withheld", stats.retriesWithheld)
    writer.member("refused_by_breaker", stats.refusedByBreaker)
    writer.member("in_flight", stats.inFlight)
    writer.member("queued", stats.queued)
    writer.member("body_bytes_received", stats.bodyBytesReceived)
    writer.endObject()
  }

  private static func writeConnections(_ stats: ClientStats, _ writer: inout JsonWriter) {
    writer.key("connections")
    writer.beginObject()
    writer.member("open", stats.openConnections)
    writer.member("idle", stats.idleConnections)
    writer.member("opened", stats.connectionsOpened)
    writer.member("reused", stats.connectionsReused)
    writer.member("open_breakers", stats.openBreakers)
    writer.endObject()
  }

  private static func writeJournal(_ journal: Journal, _ writer: inout JsonWriter) {
    writer.key("journal")
    writer.beginObject()
    switch journal.state {
    case .sound: writer.member("state", "sound")
    case .off: writer.member("state", "off")
    case .failing(let fault):
      writer.member("state", "failing")
      writer.member("reason", fault.description)
    case .damaged(let fault):
      writer.member("state", "damaged")
      writer.member("reason", fault.description)
    }
    writer.member("bytes", journal.byteCount)
    writer.member("waiting", journal.backlog)
    writer.member("commits", journal.commits)
    writer.member("failures", journal.failures)
    writer.endObject()
  }

  private static func writeStore(_ figures: StoreFigures, _ writer: inout JsonWriter) {
    writer.key("results")
    writer.beginObject()
    writer.member("kept", figures.results)
    writer.member("bytes", figures.resultBytes)
    writer.member("dropped", figures.resultsDropped)
    writer.member("released", figures.resultsReleased)
    writer.endObject()
    writer.key("events")
    writer.beginObject()
    writer.member("delegates", figures.delegates)
    writer.member("pending", figures.events)
    writer.member("bytes", figures.eventBytes)
    writer.member("appended", figures.eventsAppended)
    writer.member("dropped", figures.eventsDropped)
    writer.member("followers", figures.followers)
    writer.endObject()
  }
}
