internal import Errand
internal import EventLoop

/// What outlives a daemon beside its handles: cookies, stored responses, and the services that were known last.
struct ContentParts: Sendable {
  let jars: OwnerJars
  let cache: HttpCache
  let catalog: CatalogStore
  private let base: ServiceCatalog
  private let settings: CatalogFileSettings
  private let envelopes: [EnvelopeProfile]
  private let file: String

  /// Reads files: not for the loop.
  init(_ configuration: DaemonConfiguration, stateDirectory: String, log: Log) throws(DaemonError) {
    envelopes = configuration.envelopes.map(\.profile)
    settings = configuration.client.catalog
    base = try settings.catalog(envelopes)
    catalog = CatalogStore(base)
    jars = OwnerJars(stateDirectory + "/cookies", log)
    cache = configuration.client.cache.cache(in: stateDirectory)
    file = stateDirectory + "/services.json"
  }

  /// Fetches the services from where the configuration says; nil if it says nothing.
  @LoopActor
  func source(_ client: HttpClient, _ log: Log) -> CatalogSource? {
    guard let url = settings.url else { return nil }
    var how = CatalogSource.Settings()
    how.interval = .milliseconds(settings.refreshMs)
    how.file = file
    how.base = base
    how.envelopes = envelopes
    how.onReport = { report in
      switch report {
      case .unchanged: break
      case .updated, .loaded: log.write(.info, "services", [("report", "\(report)")])
      case .failed, .refused, .file: log.write(.warning, "services", [("report", "\(report)")])
      }
    }
    let source = CatalogSource(HttpRequest(url), client: client, store: catalog, settings: how)
    Task { await source.start() }
    return source
  }
}
