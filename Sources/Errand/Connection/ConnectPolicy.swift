internal import EventLoop
internal import HttpWire

/// How names are looked up, sockets are opened and peers are agreed with: one for all connections of a client.
final class ConnectPolicy: Sendable {
  let resolver: any NameResolver
  let race: AddressRace.Settings
  /// Sent to proxies that are asked for a tunnel.
  let userAgent: String
  let limits: WireLimits
  let tls: TlsContexts
  let authenticator: Authenticator
  private let overrides: [ResolveOverride]

  init(_ configuration: HttpClient.Configuration, _ resolver: any NameResolver, _ tls: TlsContexts, _ authenticator: Authenticator) {
    self.resolver = resolver
    self.tls = tls
    self.authenticator = authenticator
    race = AddressRace.Settings(attemptDelay: configuration.attemptDelay, tcp: configuration.tcp)
    userAgent = configuration.userAgent
    limits = configuration.wireLimits
    overrides = configuration.resolve
  }

  /// What stands in for the resolver's answer: the origin's own overrides go before the client's.
  func override(_ host: String, port: UInt16, of origin: Origin) -> [SocketAddress]? {
    (origin.options?.resolve ?? []).addresses(host: host, port: port) ?? overrides.addresses(host: host, port: port)
  }
}
