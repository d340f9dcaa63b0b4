internal import EventLoop
internal import HttpWire

extension HttpRequest {
  /// Fills in what its service says, where the request itself says nothing.
  mutating func fill(from resolved: ServiceCatalog.Resolved, store: CatalogStore, namedTls: [String: TlsSettings]) throws(HttpClientError) {
    url = resolved.url
    let defaults = resolved.defaults
    let made: HttpHeaders
    do {
      made = try (defaults.makeHeaders ?? store.maker(of: resolved.service))?(self) ?? [:]
    } catch let error as HttpClientError {
      throw error
    } catch {
      throw .invalid("service", "the headers of \(resolved.service) can't be made: \(PeerText.line("\(error)"))")
    }
    let own = headers
    for (name, value) in made where !own.contains(name) { headers.append(name, value) }
    for (name, value) in defaults.headers where !own.contains(name) && !made.contains(name) { headers.append(name, value) }
    timeouts.fill(from: defaults.timeouts)
    envelope = envelope ?? defaults.envelope
    switch defaults.tls {
    case nil: break
    case .settings(let settings)?: tls = tls ?? settings
    case .named(let name)?:
      guard let settings = namedTls[name] else {
        let names = namedTls.keys.sorted().joined(separator: ", ")
        throw .invalid(
          "tls", "\(resolved.service) wants the TLS settings \(name), which are not known; there are: \(names.isEmpty ? "none" : names)")
      }
      tls = tls ?? settings
    }
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
