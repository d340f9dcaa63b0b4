internal import EventLoop

/// How names are looked up and sockets are opened: the same for all connections of a client.
struct ConnectPolicy: Sendable {
  let resolver: any NameResolver
  let overrides: [ResolveOverride]
  let attemptDelay: Duration
  let tcp: TcpSettings

  init(_ configuration: HttpClient.Configuration, _ resolver: any NameResolver) {
    self.resolver = resolver
    overrides = configuration.resolve
    attemptDelay = configuration.attemptDelay
    tcp = configuration.tcp
  }

  /// What stands in for the resolver's answer: the origin's own overrides go before the client's.
  func override(_ host: String, port: UInt16, of origin: Origin) -> [SocketAddress]? {
    (origin.options?.resolve ?? []).addresses(host: host, port: port) ?? overrides.addresses(host: host, port: port)
  }
}
