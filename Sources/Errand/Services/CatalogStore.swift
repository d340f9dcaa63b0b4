internal import EventLoop

/// The catalogue that clients find services in (``HttpClient/Configuration/catalog``). It may be exchanged while they run: requests that are submitted
/// later see the new one. Any thread.
public final class CatalogStore: Sendable {
  private let catalog: Locked<ServiceCatalog>
  private let makers: [String: ServiceVersion.HeaderMaker]

  /// - Parameter headers: Makes headers for the requests of services whose versions have no ``ServiceVersion/makeHeaders`` of their own, by the
  ///   service's name: for those that come from a document.
  public init(_ catalog: ServiceCatalog = ServiceCatalog(), headers makers: [String: ServiceVersion.HeaderMaker] = [:]) {
    self.catalog = Locked(catalog)
    self.makers = makers
  }

  public var current: ServiceCatalog { catalog.withLock { $0 } }

  /// Requests that are submitted from now on see this one.
  public func replace(with catalog: ServiceCatalog) { self.catalog.withLock { $0 = catalog } }

  func maker(of service: String) -> ServiceVersion.HeaderMaker? { makers[service] }
}
