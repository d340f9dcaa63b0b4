internal import HttpWire

/// The catalogue as a document:
/// ```json
/// {"services": {"stockQuote": {
///   "limits": {"max_in_flight": 20, "rate": {"per_second": 5, "burst": 10}},
///   "versions": {"2": {"url": "https://stock.example.com/v2", "headers": {"X-Client": "errand"}, "timeouts": {"total_ms": 5000},
///     "envelope": "code-msg-data", "credentials": "secret:stock", "tls": "internal"}}}}}
/// ```
/// `null` stands for a field that is absent; a field of another name is refused.
extension ServiceCatalog {
  /// How many services and versions a document may have; more are refused.
  public static let maximumEntries = 10_000

  /// Reads a document. `envelopes`: those that it may name, beside the ones that it brings itself.
  public init(json: [UInt8], envelopes: [EnvelopeProfile] = EnvelopeProfile.shipped) throws(CatalogError) {
    let document: JsonValue
    do throws(JsonError) {
      document = try JsonValue.parse(json)
    } catch {
      throw CatalogError("", "is not JSON: \(error)")
    }
    let reader = try CatalogReader(document, "", of: ["services"])
    let path = reader.path("services")
    let known = Dictionary(envelopes.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    self.init()
    var entries = 0
    for member in try CatalogReader.object(try reader.needed("services"), path) {
      let servicePath = CatalogReader.join(path, member.key)
      guard ServiceCatalog.isName(member.key) else {
        throw CatalogError(servicePath, "is not a name: 1 to 128 printable characters without a space")
      }
      let service = try ServiceCatalog.readService(member.value, servicePath, known)
      entries += 1 + service.versions.count
      guard entries <= ServiceCatalog.maximumEntries else {
        throw CatalogError(path, "holds more than \(ServiceCatalog.maximumEntries) services and versions")
      }
      services[member.key] = service
    }
  }

  static func isName(_ name: String) -> Bool {
    (1...128).contains(name.utf8.count) && !name.contains(where: \.isWhitespace) && PeerText.line(name) == name
  }

  private static func readService(
    _ value: JsonValue, _ path: String, _ envelopes: [String: EnvelopeProfile]
  ) throws(CatalogError) -> Service {
    let reader = try CatalogReader(value, path, of: ["versions", "limits"])
    var service = Service([:])
    let versionsPath = reader.path("versions")
    for member in try CatalogReader.object(try reader.needed("versions"), versionsPath) {
      let versionPath = CatalogReader.join(versionsPath, member.key)
      guard let number = Int(member.key), number >= 0, String(number) == member.key else {
        throw CatalogError(versionPath, "is not a version: a whole number from 0")
      }
      service.versions[number] = try readVersion(member.value, versionPath, envelopes)
    }
    guard !service.versions.isEmpty else { throw CatalogError(versionsPath, "has no version") }
    if let limits = reader.value("limits") { service.limits = try readLimits(limits, reader.path("limits")) }
    return service
  }

  private static func readVersion(
    _ value: JsonValue, _ path: String, _ envelopes: [String: EnvelopeProfile]
  ) throws(CatalogError) -> ServiceVersion {
    let reader = try CatalogReader(value, path, of: ["url", "headers", "timeouts", "envelope", "credentials", "tls"])
    var version = ServiceVersion()
    version.urls = try reader.texts("url", orOne: true) ?? []
    guard !version.urls.isEmpty else { throw reader.failure("url", "is missing") }
    for url in version.urls {
      if let fault = BaseUrl.fault(url) { throw reader.failure("url", fault) }
    }
    if let headers = reader.value("headers") { version.headers = try readHeaders(headers, reader.path("headers")) }
    if let timeouts = reader.value("timeouts") { version.timeouts = try readTimeouts(timeouts, reader.path("timeouts")) }
    if let envelope = reader.value("envelope") { version.envelope = try .read(envelope, reader.path("envelope"), among: envelopes) }
    version.credentials = try reader.text("credentials")
    if let name = reader.value("tls")?.string {
      version.tls = .named(name)
    } else if let tls = reader.value("tls") {
      version.tls = .settings(try TlsSettings(tls, reader.path("tls")))
    }
    return version
  }

  /// `{"name": "value"}`, or an array of values for a name that comes several times.
  private static func readHeaders(_ value: JsonValue, _ path: String) throws(CatalogError) -> HttpHeaders {
    var headers = HttpHeaders()
    for member in try CatalogReader.object(value, path) {
      let headerPath = CatalogReader.join(path, member.key)
      for element in member.value.array ?? [member.value] {
        let text = try CatalogReader.text(element, headerPath)
        do throws(WireError) {
          try HttpHeaders(dictionaryLiteral: (member.key, text)).validate()
        } catch {
          throw CatalogError(headerPath, "can't be sent: \(error.message)")
        }
        headers.append(member.key, text)
      }
    }
    return headers
  }

  private static func readTimeouts(_ value: JsonValue, _ path: String) throws(CatalogError) -> Timeouts {
    let reader = try CatalogReader(value, path, of: ["queue_ms", "connect_ms", "first_byte_ms", "idle_ms", "total_ms"])
    func duration(_ field: String) throws(CatalogError) -> Duration? {
      // A week.
      try reader.integer(field, 0...604_800_000).map { .milliseconds($0) }
    }
    return Timeouts(
      queue: try duration("queue_ms"), connect: try duration("connect_ms"), firstByte: try duration("first_byte_ms"),
      idle: try duration("idle_ms"), total: try duration("total_ms"))
  }

  private static func readLimits(_ value: JsonValue, _ path: String) throws(CatalogError) -> ServiceLimits {
    let reader = try CatalogReader(value, path, of: ["max_in_flight", "rate"])
    var limits = ServiceLimits()
    limits.maxInFlight = try reader.integer("max_in_flight", 1...1_000_000).map { Int($0) }
    if let rate = reader.value("rate") {
      let rateReader = try CatalogReader(rate, reader.path("rate"), of: ["per_second", "burst"])
      guard let perSecond = try rateReader.needed("per_second").double, perSecond > 0, perSecond <= 1_000_000 else {
        throw rateReader.failure("per_second", "must be a number above 0 and at most 1000000")
      }
      limits.rate = RateLimit(perSecond: perSecond, burst: Int(try rateReader.integer("burst", 1...1_000_000) ?? 1))
    }
    return limits
  }
}
