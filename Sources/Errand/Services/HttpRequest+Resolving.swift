internal import EventLoop
internal import HttpWire

extension RequestPreparer {
  /// Its service, the adapters or its URL may add something to a request.
  func mayComplete(_ request: HttpRequest) -> Bool {
    if let box = request.optionBox, box.value.service != nil || box.value.path != nil || box.value.envelope?.fault != nil { return true }
    return !configuration.adapters.isEmpty || request.mayHoldUser
  }

  /// A request as it is sent, with what its service and the adapters add. Throws what is wrong with it.
  func completed(_ request: HttpRequest) throws(HttpClientError) -> HttpRequest { try configuration.completed(request) }
}

extension HttpRequest {
  fileprivate var mayHoldUser: Bool { url.utf8.span.bytes.withUnsafeBytes { $0.contains(UInt8(ascii: "@")) } }
}

extension HttpClient.Configuration {
  func completed(_ request: HttpRequest) throws(HttpClientError) -> HttpRequest {
    var request = request
    let mayHoldUser = request.mayHoldUser
    try resolve(&request)
    if mayHoldUser { try request.takeUserFromUrl() }
    try request.adapt(by: adapters)
    if let fault = request.envelope?.fault { throw .invalid("envelope", fault) }
    return request
  }

  /// Fills in what the service of a request without a URL says, where the request itself says nothing.
  private func resolve(_ request: inout HttpRequest) throws(HttpClientError) {
    var options = request.options
    guard request.url.isEmpty, let service = options.service else {
      if options.path != nil { throw .invalid("path", "a request has either a URL, or a service and a path below it") }
      return
    }
    guard let catalog else {
      throw .invalid("service", "service \(PeerText.line(service, limit: 100)) is not known: the client has no catalogue of services")
    }
    let resolved = try catalog.current.resolve(service: service, version: options.serviceVersion, path: options.path ?? "")
    let defaults = resolved.defaults
    request.url = resolved.url
    options.serviceVersion = resolved.version
    options.timeouts.fill(from: defaults.timeouts)
    options.envelope = options.envelope ?? defaults.envelope
    if options.tls == nil, let tls = defaults.tls { options.tls = try settings(tls, of: service) }
    let saysWhoItIs = options.credentials != nil || options.tokenSource != nil || request.headers.contains("Authorization")
    if !saysWhoItIs, let name = defaults.credentials {
      options.tokenSource = namedTokenSources[name]
      if options.tokenSource == nil {
        options.credentials = try named(name, namedCredentials, "credentials", service, besides: Array(namedTokenSources.keys))
      }
    }
    request.options = options
    let added = try fields(for: request, of: resolved, from: catalog)
    for (name, value) in added { request.headers.append(name, value) }
    if !added.isEmpty { request.options.serviceFields = added.map(\.name) }
  }

  /// The service's fields that the request has none of: those that are made for it, then the fixed ones.
  private func fields(
    for request: HttpRequest, of resolved: ServiceCatalog.Resolved, from catalog: CatalogStore
  ) throws(HttpClientError) -> HttpHeaders {
    var fields = HttpHeaders()
    do {
      for (name, value) in try (resolved.defaults.makeHeaders ?? catalog.maker(of: resolved.service))?(request) ?? [:]
      where !request.headers.contains(name) { fields.append(name, value) }
    } catch let error as HttpClientError {
      throw error
    } catch {
      throw .invalid("service", "the headers of \(resolved.service) can't be made: \(PeerText.line("\(error)"))")
    }
    let made = fields
    for (name, value) in resolved.defaults.headers where !request.headers.contains(name) && !made.contains(name) {
      fields.append(name, value)
    }
    return fields
  }

  private func settings(_ tls: ServiceTls, of service: String) throws(HttpClientError) -> TlsSettings {
    switch tls {
    case .settings(let settings): settings
    case .named(let name): try named(name, namedTls, "tls", service)
    }
  }

  private func named<Value>(
    _ name: String, _ values: [String: Value], _ field: String, _ service: String, besides others: [String] = []
  ) throws(HttpClientError) -> Value {
    guard let value = values[name] else {
      let names = (values.keys + others).sorted().joined(separator: ", ")
      let what = field == "tls" ? "TLS settings" : field
      throw .invalid(
        field,
        "service \(service) wants the \(what) \(PeerText.line(name, limit: 100)), which are not known; there are: \(names.isEmpty ? "none" : names)"
      )
    }
    return value
  }
}

extension Timeouts {
  mutating func fill(from other: Timeouts) {
    queue = queue ?? other.queue
    connect = connect ?? other.connect
    firstByte = firstByte ?? other.firstByte
    idle = idle ?? other.idle
    total = total ?? other.total
  }
}
