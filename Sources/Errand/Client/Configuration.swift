public import EventLoop
public import HttpWire

extension HttpClient {
  /// A client's limits and defaults.
  public struct Configuration: Sendable {
    /// Connections to one origin at a time. Default 64.
    public var maxConnectionsPerHost = 64
    /// Connections in all, idle ones included. Default 4,096.
    public var maxConnections = 4_096
    /// Requests that may wait for a connection slot. Default 1,000,000; one more fails with `queue_full`.
    public var maxQueued = 1_000_000
    /// How long a connection without a request is kept. Default 60 s; zero keeps it until the server closes it.
    public var keepAlive = Duration.seconds(60)
    /// How old a connection may become: older ones are closed as soon as they are without a request. Default zero, no limit.
    public var maxConnectionAge = Duration.zero
    /// How dead peers are noticed.
    public var tcp = TcpSettings()
    /// How long one address of a host has to answer before the next is tried beside it (RFC 8305 section 5). Default 250 ms.
    public var attemptDelay = Duration.milliseconds(250)
    /// Addresses that stand in for those of names, for all requests.
    public var resolve: [ResolveOverride] = []
    /// How long a body waits for a server that says nothing to `Expect: 100-continue`. Default 1 s.
    public var expectContinueWait = Duration.seconds(1)
    /// The timers of requests that do not set their own. Zero is none.
    public var timeouts = Timeouts(
      queue: .zero, connect: .seconds(10), firstByte: .seconds(30), idle: .seconds(30), total: .seconds(60))
    /// Limit of a response body in memory, in bytes. Default 16 MiB.
    public var maxBodyBytes: Int64 = 16 * 1_048_576
    /// Limits on the other parts of a response.
    public var wireLimits = WireLimits()
    /// How HTTP/2 connections behave.
    public var http2 = Http2Settings()
    public var userAgent = "errand/1"
    /// The first handle's number. Default 1.
    public var firstHandle: UInt64 = 1
    /// Turns host names into addresses; nil takes the system's servers and hosts file through c-ares.
    public var resolver: (any NameResolver)?

    public init() {}
  }
}
