public import EventLoop
public import HttpWire

extension HttpClient {
  /// A client's limits and defaults.
  public struct Configuration: Sendable {
    /// Connections to one origin at a time, and with HTTP/1.1 requests in flight. Default 64.
    public var maxConnectionsPerHost = 64
    /// Requests in flight at one origin, though no more than ``maxConnectionsPerHost`` connections take: one each with HTTP/1.1, as many as the
    /// server allows with HTTP/2. Default 10,000.
    public var maxInFlightPerHost = 10_000
    /// Requests in flight in all, and connections, idle ones included. Default 4,096.
    public var maxConnections = 4_096
    /// Requests in flight of one owner, over all hosts. Default none. Requests without an owner are not counted.
    public var maxInFlightPerOwner: Int?
    /// The limits of named services (``HttpRequest/service``). Default none.
    public var services: [String: ServiceLimits] = [:]
    /// How often requests to a host may begin, by its name; origins of one name share the rate. Default none.
    public var rateLimits: [String: RateLimit] = [:]
    /// Requests that may wait for a slot. Default 1,000,000; one more fails with `queue_full`.
    public var maxQueued = 1_000_000
    /// The same for one origin. Default none but ``maxQueued``.
    public var maxQueuedPerHost: Int?
    /// The same for one owner. Default none but ``maxQueued``.
    public var maxQueuedPerOwner: Int?
    /// How many retries a host may get; nil does not limit them. Default ``RetryBudgetSettings``.
    public var retryBudget: RetryBudgetSettings? = RetryBudgetSettings()
    /// When requests to an origin that keeps failing are refused at once. Default nil: never.
    public var circuitBreaker: CircuitBreakerSettings?
    /// How long a connection without a request is kept. Default 60 s; zero keeps it until the server closes it.
    public var keepAlive = Duration.seconds(60)
    /// How old a connection may become: older ones are closed as soon as they are without a request. Default zero, no limit.
    public var maxConnectionAge = Duration.zero
    /// Whether idle connections are closed, and names forgotten, when a link, an address or a route of the machine comes or goes. Default true.
    public var followsNetworkChanges = true
    /// How dead peers are noticed.
    public var tcp = TcpSettings()
    /// How long one address of a host has to answer before the next is tried beside it (RFC 8305 section 5). Default 250 ms.
    public var attemptDelay = Duration.milliseconds(250)
    /// Addresses that stand in for those of names, for all requests.
    public var resolve: [ResolveOverride] = []
    /// How long a body waits for a server that says nothing to `Expect: 100-continue`. Default 1 s.
    public var expectContinueWait = Duration.seconds(1)
    /// The timers of requests that do not set their own. Zero is none. `total` is nil: 60 s, but none for requests whose response goes to a
    /// file, to a stream or to a delegate in pieces, which may go on for as long as something comes.
    public var timeouts = Timeouts(queue: .zero, connect: .seconds(10), firstByte: .seconds(30), idle: .seconds(30))
    /// Limit of a response body in memory, in bytes. Default 16 MiB.
    public var maxBodyBytes: Int64 = 16 * 1_048_576
    /// How many redirects a request follows. Default 10; one more fails with `too_many_redirects`.
    public var maxRedirects = 10
    /// The jar of requests that name none of their own (``RequestOptions/cookies``). Default nil: no cookies are sent or kept.
    public var cookies: CookieJar?
    /// Where responses are kept that may be used again (RFC 9111), each owner's apart. Default nil: nowhere. A cache may serve several clients.
    public var cache: HttpCache?
    /// How requests use the cache that do not say so (``RequestOptions/cache``). Default off.
    public var cachePolicy = CachePolicy.off
    /// How long a ``TokenSource`` may take for a token. Default 60 s; zero does not limit it.
    public var tokenTimeout = Duration.seconds(60)
    /// How many times its size a body with content codings may decode to, once that is above 1 MiB. Default 200; above it `too_large`.
    public var maxDecodedRatio = 200
    /// Limits on the other parts of a response.
    public var wireLimits = WireLimits()
    /// How HTTP/2 connections behave.
    public var http2 = Http2Settings()
    public var userAgent = "errand/1"
    /// Which proxy requests go through that do not say so themselves. Default: the one that the process's environment names, read
    /// once, when the client is made.
    public var proxy = ProxyChoice.environment
    /// How TLS connections to origins are made, by requests that do not say so themselves. Its files are looked at again once a second at
    /// most, and new connections are made with what they hold then.
    public var tls = TlsSettings()
    /// How TLS connections to proxies (`https://` in ``proxy``) are made.
    public var proxyTls = TlsSettings()
    /// Told of each TLS connection that was made without verification, as ``TlsSettings/verify`` allows: for a log that an operator
    /// reads. Called on the loop, which it may not block.
    public var onUnverifiedTls: (@Sendable (String) -> Void)?
    /// Where the services are that requests name instead of a URL. Their limits count as ``services`` does, where that says nothing: those that
    /// are known when the client is made. Default nil: none.
    public var catalog: CatalogStore?
    /// TLS settings that services name (``ServiceTls/named(_:)``).
    public var namedTls: [String: TlsSettings] = [:]
    /// Credentials that services name (``ServiceVersion/credentials``).
    public var namedCredentials: [String: HttpCredentials] = [:]
    /// The same as token sources: looked up first.
    public var namedTokenSources: [String: any TokenSource] = [:]
    /// Change each request as it is submitted, in their order. Default none.
    public var adapters: [any RequestAdapter] = []
    /// Told of each request's beginning and outcome. Default none.
    public var observers: [any OutcomeObserver] = []
    /// Told when a service says that the session is no longer valid (``EnvelopeProfile/sessionInvalidCodes``): once, until a request of the same
    /// service that was submitted later succeeds. Without a service, the same for an origin and envelope. Called on the client's delivery queue.
    public var onSessionInvalid: (@Sendable (SessionInvalid) -> Void)?
    /// Whether `file:` URLs read this machine's files. Default false: they are `denied`. `data:` URLs need no permission.
    public var allowsFileUrls = false
    /// The first handle's number. Default 1.
    public var firstHandle: UInt64 = 1
    /// Turns host names into addresses; nil takes the system's servers and hosts file through c-ares.
    public var resolver: (any NameResolver)?

    public init() {}
  }
}
