internal import Errand
internal import EventLoop
import Glibc
internal import HttpServer
internal import HttpWire

/// What the calls of the API work with. All of it lives on the loop.
@LoopActor
final class DaemonCore {
  let client: HttpClient
  let store: any RequestStore
  let reserve: HandleReserve
  let log: Log
  let startedAt = Instant.now()
  /// Who runs the daemon.
  let ownOwner = Owner(uid: geteuid())
  var access: AccessGuard
  var limits: ApiLimits
  var rules: SubmissionRules
  var events: EventWriter
  /// No new requests are taken any more.
  var isDraining = false
  var sweeper = TimerID.none
  var memory = MemoryReturn()
  /// Streams and calls that wait; ended when the daemon ends.
  private var openCalls: [ObjectIdentifier: any OpenCall] = [:]
  var recentPolls = RecentPolls()
  /// TLS settings of requests that are known to be ready for use.
  var knownTls: Set<TlsSettings> = []
  /// Of the requests under way whose progress is asked for.
  var meters: [RequestHandle: TransferMeter] = [:]
  /// Who is told that a service's session is over, in the mailbox of the owner whose request was told so.
  let sessionDelegate: String?
  let jars: OwnerJars
  let catalog: CatalogStore
  let cache: HttpCache
  private(set) var catalogSource: CatalogSource?
  private(set) lazy var delivery = FinalDelivery(self)

  /// The request that is being submitted, and the error with which the client refused it at once.
  var submitting: RequestRecord?
  var refusal: HttpClientError?
  let journal: Journal
  let keys: IdempotencyKeys
  let webhooks: Webhooks
  var metrics = RequestMetrics()
  var sweepDue = Instant.now()
  /// A caller's cancel is being carried out.
  var isCancelling = false

  init(
    _ configuration: DaemonConfiguration, token: [UInt8]?, connecting: ConnectionRules, content: ContentParts, journal: Journal,
    store: any RequestStore, reserve: HandleReserve, log: Log
  ) {
    var settings = configuration.clientConfiguration
    settings.firstHandle = reserve.first
    settings.tls = connecting.tls
    settings.proxyTls = connecting.proxyTls
    let notice = UnverifiedNotice(log)
    settings.onUnverifiedTls = { notice.tell($0) }
    let sessions = SessionNotice(log)
    settings.onSessionInvalid = { sessions.tell($0) }
    settings.cache = content.cache
    settings.catalog = content.catalog
    settings.namedTokenSources = connecting.secrets.reduce(into: [:]) { $0["secret:" + $1.key] = $1.value }
    settings.namedTls = connecting.services.compactMapValues(\.tls)
    jars = content.jars
    catalog = content.catalog
    cache = content.cache
    client = HttpClient(settings)
    self.journal = journal
    keys = IdempotencyKeys(
      journal, window: .milliseconds(configuration.limits.idempotencyWindowMs), limit: configuration.limits.idempotencyKeysPerOwner)
    self.store = store
    self.reserve = reserve
    var hookSettings = settings
    hookSettings.maxConnections = configuration.webhooks.maxConnections
    hookSettings.maxConnectionsPerHost = configuration.webhooks.maxConnections
    hookSettings.cache = nil
    hookSettings.catalog = nil
    webhooks = Webhooks(
      HttpClient(hookSettings), configuration.webhooks, WebhookReader(secrets: connecting.secrets), journal, store, reserve, log)
    self.log = log
    access = AccessGuard(ownOwner: ownOwner, token: token)
    limits = configuration.apiLimits
    rules = configuration.submissionRules
    rules.connecting = connecting
    catalogSource = content.source(client, log)
    events = EventWriter(inlineBodyBytes: configuration.limits.eventBodyBytes)
    sessionDelegate = configuration.client.sessionDelegate
    sessions.core = self
    webhooks.egress = rules.egress
    journal.onChange = { log.write(of: $0) }
    reserve.onFailure = { log.write(.error, "can't write the handle file", [("reason", "\($0)")]) }
    reserve.onRecovery = { log.write(.info, "the handle file can be written again") }
  }

  // MARK: Requests

  /// The record of a handle, if the owner may see it.
  func record(_ text: String, for owner: Owner) throws(Problem) -> RequestRecord {
    guard let handle = RequestHandle(text), let record = store.record(handle), record.isBegun, owner.sees(record.owner) else {
      throw .unknownHandle(text, first: reserve.first)
    }
    return record
  }

  // MARK: Calls that stay open

  func opened(_ call: any OpenCall) { openCalls[ObjectIdentifier(call)] = call }
  func closed(_ call: any OpenCall) { openCalls[ObjectIdentifier(call)] = nil }
  var openCallCount: Int { openCalls.count }

  /// Every request has ended: what waited for more has its answer.
  func noMoreComes() {
    for call in openCalls.values { call.noMoreComes() }
  }

  /// Whether somebody who is there, or was a moment ago, has not been given all that is for it.
  var owesAnything: Bool { openCalls.values.contains { $0.isOwing } || recentPolls.isAwaiting(.now()) }

  /// Ends what is still open, and says what could not be delivered.
  func finishOpenCalls() {
    var cut = 0
    var events = recentPolls.pending
    for call in openCalls.values {
      guard let lost = call.finish() else { continue }
      cut += 1
      events += lost
    }
    recentPolls = RecentPolls()
    guard cut > 0 || events > 0 else { return }
    log.write(.warning, "events were not delivered", [("events", "\(events)"), ("streams_cut", "\(cut)")])
  }
}

/// A stream, or a call that waits: told to come to an end when the daemon ends.
@LoopActor
protocol OpenCall: AnyObject {
  /// Whether something is on its way to the peer, or waits for it.
  var isOwing: Bool { get }
  /// Every request has ended.
  func noMoreComes()
  /// Comes to its end. If the peer has not taken all, its connection is cut, and the number of events it misses is given.
  func finish() -> Int?
}
