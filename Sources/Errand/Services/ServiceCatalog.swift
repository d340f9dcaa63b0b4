/// Services by name and version, so that a request needs to know neither their hosts nor their habits.
public struct ServiceCatalog: Sendable {
  /// A service.
  public struct Service: Sendable {
    /// By number, from 0. The newest is the one with the highest.
    public var versions: [Int: ServiceVersion]
    /// Of all versions together; counted for clients that are made after it is known.
    public var limits: ServiceLimits?

    public init(_ versions: [Int: ServiceVersion], limits: ServiceLimits? = nil) {
      self.versions = versions
      self.limits = limits
    }
  }

  /// A version that was asked for.
  public struct Resolved: Sendable {
    public let service: String
    public let version: Int
    /// Base URL and path.
    public let url: String
    public let defaults: ServiceVersion
  }

  public var services: [String: Service]

  public init(_ services: [String: Service] = [:]) {
    self.services = services
  }

  /// How many names are told in an error.
  private static let toldNames = 20

  /// Finds a service. Throws `invalid_request` with the field `service`, `service_version` or `path`: the message lists what there is.
  ///
  /// - Parameters:
  ///   - version: nil is the newest.
  ///   - path: Below the base URL, with or without a slash before it.
  public func resolve(service name: String, version: Int? = nil, path: String = "") throws(HttpClientError) -> Resolved {
    guard let service = services[name] else {
      let known = ServiceCatalog.list(services.keys.sorted())
      throw .invalid("service", "service \(PeerText.line(name, limit: 100)) is not known; \(known)")
    }
    guard let number = version ?? service.versions.keys.max(), let found = service.versions[number] else {
      let asked = version.map { "version \($0)" } ?? "version"
      throw .invalid("service_version", "\(name) has no \(asked); \(ServiceCatalog.list(service.versions.keys.sorted().map(String.init)))")
    }
    if let fault = found.fault { throw .invalid("service", "\(name), version \(number), can't be used: \(fault)") }
    return Resolved(service: name, version: number, url: try BaseUrl.join(found.urls[0], path), defaults: found)
  }

  /// This catalogue with the other's services added; where both have a version, or limits, the other's count.
  public func merging(_ other: ServiceCatalog) -> ServiceCatalog {
    var merged = self
    for (name, service) in other.services {
      var all = merged.services[name] ?? Service([:])
      all.versions.merge(service.versions) { $1 }
      all.limits = service.limits ?? all.limits
      merged.services[name] = all
    }
    return merged
  }

  private static func list(_ names: [String]) -> String {
    guard !names.isEmpty else { return "there are none" }
    let rest = names.count - toldNames
    return "there are: " + names.prefix(toldNames).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
