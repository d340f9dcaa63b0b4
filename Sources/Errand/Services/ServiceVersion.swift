public import EventLoop
public import HttpWire

/// One version of a service: where it is, and what its requests have in common. What a request says itself stands above all of this.
public struct ServiceVersion: Sendable {
  /// Makes headers for one request, whose URL and own headers are there by then. Called on the thread that submits it, which on the loop
  /// it may not block. A throw ends the request with that error, or `invalid_request`.
  public typealias HeaderMaker = @Sendable (HttpRequest) throws -> HttpHeaders

  /// Where it is: absolute `http` or `https` URLs without a query. The first is used.
  public var urls: [String]
  /// Sent with each request that has none of that name.
  public var headers: HttpHeaders
  /// The same, made for each request. Stands above ``headers``.
  public var makeHeaders: HeaderMaker?
  /// For the timers that a request leaves open.
  public var timeouts: Timeouts
  /// For requests that have none.
  public var envelope: EnvelopeProfile?
  /// The name of credentials in ``HttpClient/Configuration/namedCredentials``, or of a source of tokens in
  /// ``HttpClient/Configuration/namedTokenSources``, for requests that do not say who is asking.
  public var credentials: String?
  /// For requests that have none.
  public var tls: ServiceTls?

  public init(
    _ urls: String..., headers: HttpHeaders = [:], timeouts: Timeouts = Timeouts(), envelope: EnvelopeProfile? = nil,
    credentials: String? = nil, tls: ServiceTls? = nil, makeHeaders: HeaderMaker? = nil
  ) {
    self.urls = urls
    self.headers = headers
    self.makeHeaders = makeHeaders
    self.timeouts = timeouts
    self.envelope = envelope
    self.credentials = credentials
    self.tls = tls
  }

  /// What is wrong with it, in words; nil if it can be used.
  public var fault: String? {
    if urls.isEmpty { return "has no base URL" }
    for url in urls {
      if let fault = BaseUrl.fault(url) { return "the base URL \(fault)" }
    }
    do throws(WireError) {
      try headers.validate()
    } catch {
      return error.message
    }
    return envelope?.fault
  }
}

/// The TLS settings of a service.
public enum ServiceTls: Sendable, Hashable {
  /// Those of that name in ``HttpClient/Configuration/namedTls``.
  case named(String)
  case settings(TlsSettings)
}
