/// Every family of `GET /metrics`: what is not in this table is not written, and docs/metrics.md is made from it.
public enum Metric: String, CaseIterable, Sendable {
  case buildInfo = "errand_build_info"
  case startTime = "errand_start_time_seconds"
  case draining = "errand_draining"
  case requestsSubmitted = "errand_requests_submitted_total"
  case requestsEnded = "errand_requests_ended_total"
  case requestsEndedByOwner = "errand_requests_ended_by_owner_total"
  case requestsEndedByReach = "errand_requests_ended_by_reach_total"
  case failures = "errand_request_failures_total"
  case inFlight = "errand_requests_in_flight"
  case queued = "errand_requests_queued"
  case retries = "errand_retries_total"
  case retriesWithheld = "errand_retries_withheld_total"
  case redirects = "errand_redirects_total"
  case cacheHits = "errand_cache_hits_total"
  case bodyBytes = "errand_response_body_bytes_total"
  case breakersOpen = "errand_circuit_breakers_open"
  case breakerRefusals = "errand_circuit_breaker_refusals_total"
  case phaseSeconds = "errand_request_phase_seconds"
  case connections = "errand_connections"
  case connectionsOpened = "errand_connections_opened_total"
  case connectionsReused = "errand_connections_reused_total"
  case tlsHandshakes = "errand_tls_handshakes_total"
  case results = "errand_results"
  case resultBytes = "errand_result_bytes"
  case resultsDropped = "errand_results_dropped_total"
  case delegates = "errand_delegates"
  case events = "errand_mailbox_events"
  case eventBytes = "errand_mailbox_bytes"
  case eventsAppended = "errand_mailbox_events_appended_total"
  case eventsDropped = "errand_mailbox_events_dropped_total"
  case followers = "errand_followers"
  case webhooks = "errand_webhooks"
  case webhookEvents = "errand_webhook_events_total"
  case journalUp = "errand_journal_up"
  case journalBytes = "errand_journal_bytes"
  case journalWaiting = "errand_journal_waiting"
  case journalCommits = "errand_journal_commits_total"
  case journalFailures = "errand_journal_failures_total"
  case idempotencyKeys = "errand_idempotency_keys"
  case loopLag = "errand_loop_lag_seconds"
  case openCalls = "errand_open_calls"
  case logLinesDropped = "errand_log_lines_dropped_total"
  case residentMemory = "process_resident_memory_bytes"
  case openDescriptors = "process_open_fds"
  case cpuSeconds = "process_cpu_seconds_total"

  enum Kind: String {
    case counter, gauge, histogram
  }

  var kind: Kind {
    switch self {
    case .phaseSeconds, .loopLag: .histogram
    default: rawValue.hasSuffix("_total") ? .counter : .gauge
    }
  }

  var labels: [String] {
    switch self {
    case .buildInfo: ["version"]
    case .requestsEnded, .webhookEvents: ["outcome"]
    case .requestsEndedByOwner: ["owner", "outcome"]
    case .requestsEndedByReach: ["reach"]
    case .failures: ["code"]
    case .phaseSeconds: ["phase"]
    case .connections, .webhooks: ["state"]
    case .tlsHandshakes: ["resumed"]
    default: []
    }
  }

  var help: String {
    switch self {
    case .buildInfo: "1, with the version as its label."
    case .startTime: "When the daemon started, in seconds since 1970."
    case .draining: "1 while the daemon ends."
    case .requestsSubmitted: "Requests that were taken."
    case .requestsEnded: "Requests that have ended: finished, failed or cancelled."
    case .requestsEndedByOwner:
      "The same by owner: the first \(RequestMetrics.ownerLimit), the others together. Callers who are neither root nor the daemon's user see their own only."
    case .requestsEndedByReach: "The same by where they went: loopback, private, public, unix, or none where there was no connection."
    case .failures: "Failed requests by error code; codes that are not the daemon's own count as other."
    case .inFlight: "Requests that have not ended, waiting ones included."
    case .queued: "Requests that wait for a slot."
    case .retries: "Second and later tries."
    case .retriesWithheld: "Tries that a host's retry budget did not allow."
    case .redirects: "Redirects that were followed."
    case .cacheHits: "Answers that came from the cache."
    case .bodyBytes: "Bytes of response bodies."
    case .breakersOpen: "Origins whose circuit breaker is open or half-open."
    case .breakerRefusals: "Requests that a circuit breaker refused."
    case .phaseSeconds:
      "How long the phases of requests took: queue, dns, connect, tls; first_byte and total from the submission on. A phase that a request had not is not counted."
    case .connections: "Connections to servers: busy or idle."
    case .connectionsOpened: "Connections that were made."
    case .connectionsReused: "How often a connection was used again."
    case .tlsHandshakes: "TLS handshakes of requests that have ended, by whether they resumed a session."
    case .results: "Results that can be asked for."
    case .resultBytes: "Bytes of those results."
    case .resultsDropped: "Results dropped for want of room or for age, whose event nobody had acknowledged."
    case .delegates: "Delegates."
    case .events: "Events that wait in mailboxes."
    case .eventBytes: "Bytes of those events."
    case .eventsAppended: "Events put into mailboxes."
    case .eventsDropped: "Events dropped unread, for want of room or for age."
    case .followers: "Event streams that are open."
    case .webhooks: "Webhooks by state: active, retrying or disabled."
    case .webhookEvents: "Events of webhooks: delivered, or given up. Since they were declared or the daemon started."
    case .journalUp: "1 if journaled requests are taken, 0 if not, or if the journal is turned off."
    case .journalBytes: "Bytes that the journal takes."
    case .journalWaiting: "Changes that wait to be written."
    case .journalCommits: "Commits of the journal."
    case .journalFailures: "Commits that failed."
    case .idempotencyKeys: "Idempotency keys that are remembered."
    case .loopLag: "How late the loop was for a timer of one second."
    case .openCalls: "Calls to the API that wait, and streams."
    case .logLinesDropped: "Log lines dropped, for their reader was too slow."
    case .residentMemory: "Resident memory in bytes."
    case .openDescriptors: "Open file descriptors."
    case .cpuSeconds: "Time of the processor that was used, in seconds."
    }
  }

  /// The page docs/metrics.md.
  public static var page: String {
    var lines = [
      "# Metrics", "",
      "`GET /metrics` gives these families in the text format of Prometheus, version 0.0.4. This page is made by `errandd --describe-metrics`.",
      "",
      "| family | type | labels | what it is |", "|---|---|---|---|",
    ]
    for metric in allCases {
      let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
      lines.append("| `\(metric.rawValue)` | \(metric.kind.rawValue) | \(labels) | \(metric.help) |")
    }
    lines += ["", "Buckets of both histograms, in seconds: \(Histogram.bounds.map { "\($0)" }.joined(separator: ", ")).", ""]
    return lines.joined(separator: "\n")
  }
}
