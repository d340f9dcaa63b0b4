extension HttpClient.Configuration {
  /// With the limits of the catalogue's services where none are set for them.
  var withCatalogLimits: HttpClient.Configuration {
    guard let catalog else { return self }
    var configuration = self
    for (name, service) in catalog.current.services {
      if let limits = service.limits, configuration.services[name] == nil { configuration.services[name] = limits }
    }
    return configuration
  }
}
