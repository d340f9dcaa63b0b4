internal import Dispatch
internal import Errand
internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /metrics`: figures for Prometheus; docs/metrics.md has all families.
@LoopActor
final class MetricsRoute: ApiRoute {
  let methods = [HttpMethod.get, .head]
  let pattern: PathPattern = "/metrics"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    try call.query().finish()
    DispatchQueue.global(qos: .utility).async {
      let figures = ProcessFigures()
      EventLoop.shared.enqueue {
        call.responder.respond(status: 200, headers: ["Content-Type": MetricsText.mediaType], body: self.text(figures, for: call.owner))
      }
    }
  }

  private func text(_ process: ProcessFigures, for owner: Owner) -> [UInt8] {
    var text = MetricsText()
    text.family(.buildInfo)
    text.sample(.buildInfo, [Daemon.version], "1")
    text.single(.startTime, Double(WallTime(core.startedAt).microseconds) / 1_000_000)
    text.single(.draining, core.isDraining ? 1 : 0)
    writeRequests(&text, owner)
    writeConnections(&text)
    writeStore(&text)
    writeDelegates(&text)
    writeJournal(&text)
    text.family(.loopLag)
    text.histogram(.loopLag, [], core.metrics.loopLag)
    text.single(.openCalls, core.openCallCount)
    text.single(.logLinesDropped, core.log.droppedCount)
    text.single(.residentMemory, process.residentBytes)
    text.single(.openDescriptors, process.descriptors)
    text.single(.cpuSeconds, process.cpuSeconds)
    return text.bytes
  }

  private func writeRequests(_ text: inout MetricsText, _ owner: Owner) {
    let stats = core.client.statsOnLoop
    let metrics = core.metrics
    text.single(.requestsSubmitted, stats.submitted)
    text.family(.requestsEnded)
    MetricsRoute.write(metrics.ends, .requestsEnded, [], &text)
    text.family(.requestsEndedByOwner)
    let seesAll = owner.isRoot || owner == core.ownOwner
    for (each, ends) in metrics.byOwner.sorted(by: { $0.key.uid < $1.key.uid }) where seesAll || each == owner {
      MetricsRoute.write(ends, .requestsEndedByOwner, [each.description], &text)
    }
    if seesAll { MetricsRoute.write(metrics.otherOwners, .requestsEndedByOwner, ["other"], &text) }
    text.family(.requestsEndedByReach)
    for reach in RequestTrace.Reach.allCases { text.sample(.requestsEndedByReach, ["\(reach)"], "\(metrics.reaches[reach.rawValue])") }
    text.family(.failures)
    for (code, count) in metrics.failures.sorted(by: { $0.key < $1.key }) { text.sample(.failures, [code], "\(count)") }
    text.single(.inFlight, stats.inFlight)
    text.single(.queued, stats.queued)
    text.single(.retries, stats.retried)
    text.single(.retriesWithheld, stats.retriesWithheld)
    text.single(.redirects, stats.redirected)
    text.single(.cacheHits, stats.cacheHits)
    text.single(.bodyBytes, stats.bodyBytesReceived)
    text.single(.breakersOpen, stats.openBreakers)
    text.single(.breakerRefusals, stats.refusedByBreaker)
    text.family(.phaseSeconds)
    for (phase, histogram) in zip(RequestMetrics.phases, metrics.phases) { text.histogram(.phaseSeconds, [phase], histogram) }
  }

  private static func write(_ ends: RequestMetrics.Ends, _ metric: Metric, _ labels: [String], _ text: inout MetricsText) {
    for (outcome, count) in [("finished", ends.finished), ("failed", ends.failed), ("cancelled", ends.cancelled)] {
      text.sample(metric, labels + [outcome], "\(count)")
    }
  }

  private func writeConnections(_ text: inout MetricsText) {
    let stats = core.client.statsOnLoop
    text.family(.connections)
    text.sample(.connections, ["busy"], "\(stats.openConnections - stats.idleConnections)")
    text.sample(.connections, ["idle"], "\(stats.idleConnections)")
    text.single(.connectionsOpened, stats.connectionsOpened)
    text.single(.connectionsReused, stats.connectionsReused)
    text.family(.tlsHandshakes)
    text.sample(.tlsHandshakes, ["false"], "\(core.metrics.fullHandshakes)")
    text.sample(.tlsHandshakes, ["true"], "\(core.metrics.resumedHandshakes)")
  }

  private func writeStore(_ text: inout MetricsText) {
    let figures = core.store.figures
    text.single(.results, figures.results)
    text.single(.resultBytes, figures.resultBytes)
    text.single(.resultsDropped, figures.resultsDropped)
    text.single(.delegates, figures.delegates)
    text.single(.events, figures.events)
    text.single(.eventBytes, figures.eventBytes)
    text.single(.eventsAppended, figures.eventsAppended)
    text.single(.eventsDropped, figures.eventsDropped)
    text.single(.followers, figures.followers)
  }

  private func writeDelegates(_ text: inout MetricsText) {
    var states: [WebhookSender.State: Int] = [:]
    var (delivered, givenUp): (UInt64, UInt64) = (0, 0)
    for sender in core.webhooks.all {
      states[sender.state, default: 0] += 1
      delivered += sender.delivered
      givenUp += sender.givenUp
    }
    text.family(.webhooks)
    for state in [WebhookSender.State.active, .retrying, .disabled] { text.sample(.webhooks, [state.rawValue], "\(states[state] ?? 0)") }
    text.family(.webhookEvents)
    text.sample(.webhookEvents, ["delivered"], "\(delivered)")
    text.sample(.webhookEvents, ["given_up"], "\(givenUp)")
  }

  private func writeJournal(_ text: inout MetricsText) {
    text.single(.journalUp, core.journal.refusal == nil ? 1 : 0)
    text.single(.journalBytes, core.journal.byteCount)
    text.single(.journalWaiting, core.journal.backlog)
    text.single(.journalCommits, core.journal.commits)
    text.single(.journalFailures, core.journal.failures)
    text.single(.idempotencyKeys, core.keys.count)
  }
}
