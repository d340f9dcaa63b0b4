internal import Dispatch
internal import EventLoop
internal import Glibc
internal import Hashing
internal import HttpWire

/// Keeps a ``CatalogStore`` filled from a document on a server (its form: ``ServiceCatalog/init(json:envelopes:)``).
///
/// It is fetched at the start and then at an interval, by conditional requests. Where it can't be fetched, or can't be used, the one before stays,
/// from memory or from a file; the report says why.
public actor CatalogSource {
  /// How it is fetched and kept.
  public struct Settings: Sendable {
    /// The time between two looks at the document, a tenth more or less. Default 5 minutes; zero looks at the start only.
    public var interval = Duration.seconds(300)
    /// Where the document is kept for the next start. Default none.
    public var file: String?
    /// What the document is added to; where both have a version, the document's counts.
    public var base = ServiceCatalog()
    /// The envelopes that the document may name.
    public var envelopes = EnvelopeProfile.shipped
    /// Limit of the document, in bytes. Default 4 MiB.
    public var maxDocumentBytes = 4 * 1_048_576
    /// Told of each look that was not in vain, and of each failure. Called on a task of the source's own, in order.
    public var onReport: (@Sendable (CatalogReport) -> Void)?

    public init() {}
  }

  private let request: HttpRequest
  private let client: HttpClient
  private let store: CatalogStore
  private let settings: Settings
  private var etag: String?
  private var lastModified: String?
  private var hash: [UInt8]?
  private var look: Task<CatalogReport, Never>?
  private var timer: Task<Void, Never>?

  /// - Parameters:
  ///   - request: What to ask for, with the headers and TLS settings that it needs.
  ///   - client: Asks for it; it may be one that uses `store`.
  public init(_ request: HttpRequest, client: HttpClient, store: CatalogStore, settings: Settings = Settings()) {
    self.request = request
    self.client = client
    self.store = store
    self.settings = settings
    store.replace(with: settings.base)
  }

  deinit {
    timer?.cancel()
  }

  /// Reads the file, fetches the document, and goes on to look at it at the interval, for as long as this object is held. Returns after the first
  /// look, with what came of it.
  @discardableResult
  public func start() async -> CatalogReport {
    await readFile()
    let report = await refresh()
    if settings.interval > .zero, timer == nil {
      let interval = settings.interval
      timer = Task { [weak self] in
        // Clients that were started together are not to ask together for ever.
        while (try? await Task.sleep(for: interval * Double.random(in: 0.9...1.1))) != nil, await self?.refresh() != nil {}
      }
    }
    return report
  }

  /// No more looks at the interval.
  public func stop() {
    timer?.cancel()
    timer = nil
  }

  /// Looks at the document now, or waits for the look that is under way.
  @discardableResult
  public func refresh() async -> CatalogReport {
    if let look { return await look.value }
    let look = Task { await fetch() }
    self.look = look
    let report = await look.value
    self.look = nil
    return report
  }

  private func readFile() async {
    guard let file = settings.file, hash == nil else { return }
    let limit = settings.maxDocumentBytes
    switch await CatalogSource.onDisk({ () throws(SystemError) in try WholeFile.read(file, limit: limit) }) {
    case .failure(let error):
      if error.errno != ENOENT { report(.file("\(file) can't be read: \(error)")) }
    case .success(let bytes):
      do throws(CatalogError) {
        report(.loaded(services: try use(bytes)))
      } catch {
        report(.file("\(file) can't be used: \(error)"))
      }
    }
  }

  private func fetch() async -> CatalogReport {
    var request = request
    if let etag { request.headers.set("If-None-Match", etag) }
    if let lastModified { request.headers.set("If-Modified-Since", lastModified) }
    request.maxBodyBytes = request.maxBodyBytes ?? Int64(settings.maxDocumentBytes)
    do throws(HttpClientError) {
      let response = try await client.send(request)
      if response.status == 304, etag != nil || lastModified != nil { return .unchanged }
      guard response.status == 200 else {
        throw HttpClientError(
          .httpStatus, phase: .response, message: "answered \(response.status) instead of 200", sent: .sent, response: response)
      }
      return await take(response)
    } catch {
      return report(.failed(error))
    }
  }

  private func take(_ response: HttpResponse) async -> CatalogReport {
    let isNew = hash != HashAlgorithm.sha256.hash(response.body)
    do throws(CatalogError) {
      let count = isNew ? try use(response.body) : 0
      // Those of a document that can't be used would keep its correction from being fetched where a server takes them for the same.
      etag = response.headers["ETag"]
      lastModified = response.headers["Last-Modified"]
      guard isNew else { return .unchanged }
      if let file = settings.file, case .failure(let error) = await CatalogSource.write(response.body, to: file) {
        report(.file("\(file) can't be written: \(error)"))
      }
      return report(.updated(services: count))
    } catch {
      return report(.refused(error))
    }
  }

  /// How many services there are now.
  private func use(_ document: [UInt8]) throws(CatalogError) -> Int {
    let catalog = settings.base.merging(try ServiceCatalog(json: document, envelopes: settings.envelopes))
    store.replace(with: catalog)
    hash = HashAlgorithm.sha256.hash(document)
    return catalog.services.count
  }

  private static func write(_ document: [UInt8], to file: String) async -> Result<Void, SystemError> {
    await onDisk { () throws(SystemError) in try WholeFile.write(document, to: file) }
  }

  private static let disk = DispatchQueue(label: "errand.catalog.file")

  private static func onDisk<T: Sendable>(_ body: @escaping @Sendable () throws(SystemError) -> T) async -> Result<T, SystemError> {
    await withCheckedContinuation { continuation in
      disk.async { continuation.resume(returning: Result { () throws(SystemError) in try body() }) }
    }
  }

  @discardableResult
  private func report(_ report: CatalogReport) -> CatalogReport {
    settings.onReport?(report)
    return report
  }
}
