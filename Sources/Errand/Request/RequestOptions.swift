public import EventLoop
public import HttpWire

/// What few requests need; each member has the default that fits the others.
public struct RequestOptions: Sendable {
  /// The named service it belongs to, whose limits hold for it (``HttpClient/Configuration/services``). Where the request's URL is empty, the client's
  /// catalogue says where the service is and what its requests have in common (``HttpClient/Configuration/catalog``); what the request says stands
  /// above that.
  public var service: String?
  /// The service's version in the catalogue; nil is the newest.
  public var serviceVersion: Int?
  /// Where it goes, below the service's base URL; may have a query. Only beside `service`, and without a URL.
  public var path: String?
  /// Names of the header fields that the service gave: they are for it alone.
  var serviceFields: [String] = []
  /// -128 to 127, default 0: an owner's requests at a host that wait for a slot go by priority, higher first, then by age. It takes no turn of
  /// another owner.
  public var priority = 0
  /// How long after its submission it begins at the earliest. Default: at once.
  public var startDelay = Duration.zero
  public var timeouts = Timeouts()
  public var retry = RetryPolicy()
  /// How to read the service's own success and failure out of its JSON.
  public var envelope: EnvelopeProfile?
  /// Statuses of 400 and above that count as success.
  public var acceptStatus: [Int] = []
  /// Limit of the response body in bytes, decoded; `nil` takes the client's, 16 MiB by default. A longer one fails with `too_large`.
  public var maxBodyBytes: Int64?
  /// Whether the body may come compressed (`Accept-Encoding` says so, unless the request's headers have one) and is decoded by its
  /// Content-Encoding. Default true.
  public var decodes = true
  /// Puts a successful response's body into a file. Default nil: it is held in memory.
  public var download: Download?

  /// What becomes of a response that sends elsewhere (RFC 9110 section 15.4). Default: followed.
  public var redirects = RedirectPolicy.follow
  /// How many redirects are followed; one more fails with `too_many_redirects`. `nil` takes the client's, 10 by default.
  public var maxRedirects: Int?
  /// Whether a redirect may lead from `https` to `http`. Default false: it fails with `denied`.
  public var allowsInsecureRedirects = false
  /// Who is asking, for servers that want to know (RFC 9110 section 11). Sent to the URL's own origin only.
  public var credentials: HttpCredentials?
  /// Where its cookies come from, and where those of its answers go. Default: the client's jar, if it has one.
  public var cookies = CookieUse.client
  /// How it uses the client's cache (``HttpClient/Configuration/cache``); nil takes the client's own policy.
  public var cache: CachePolicy?
  /// A redirect of another site's led here (RFC 6265bis section 5.2).
  var isCrossSite = false
  /// Where the request's bearer token comes from, for its URL's own origin only. Not asked where there are `credentials`, or an Authorization
  /// field among the headers.
  public var tokenSource: (any TokenSource)?

  /// Where it may go. Default: anywhere.
  public var egress: EgressPolicy?
  /// Connect to this Unix socket instead of the URL's host, which is still sent as Host.
  public var unixSocket: String?
  /// How its TLS connection is made; `nil` takes the client's settings. Files are read when the request is submitted, on the caller's
  /// thread; what can't be used is `invalid_request`. Requests with equal settings share connections and sessions.
  public var tls: TlsSettings?
  /// Which proxy to go through; `nil` takes the client's choice, by default the environment's. One that can't be used, and one by URL beside
  /// `unixSocket`, is `invalid_request`. A proxy that says no, or can't be reached, is an error `connect`, before anything of the request was sent.
  public var proxy: ProxyChoice?
  public var httpVersion = HttpVersionChoice.auto
  /// Addresses that stand in for those of names, before the client's own overrides. Requests with different ones do not share connections.
  public var resolve: [ResolveOverride] = []

  public init() {}
}
