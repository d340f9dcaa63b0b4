internal import EventLoop

/// What the machine's network has to do with connections and names.
extension RequestEngine {
  var resolver: any NameResolver { configuration.resolver ?? CaresResolver.shared }

  /// From the first connection on, for as long as there may be any.
  func watchNetwork() {
    guard configuration.followsNetworkChanges, networkObserver == nil, !isShutDown else { return }
    networkObserver = NetworkMonitor.shared.observe { [weak self] in self?.networkChanged() }
  }

  func stopWatchingNetwork() {
    if let networkObserver { NetworkMonitor.shared.stopObserving(networkObserver) }
    networkObserver = nil
  }

  /// Connections that wait may lead nowhere now, and names may have other addresses. Those that carry requests show by themselves whether they
  /// still work.
  func networkChanged() {
    dropIdleConnections()
    resolver.flush()
  }

  func dropIdleConnections() {
    for connection in pool.idleConnections { pool.close(connection) }
  }

  /// Takes no more requests.
  func isTooOld(_ facts: ConnectionFacts) -> Bool {
    configuration.maxConnectionAge > .zero && facts.openedAt.duration(to: EventLoop.shared.now) >= configuration.maxConnectionAge
  }

  /// How long a connection without a request is kept: nil until the server closes it, zero not at all.
  func idleTime(of facts: ConnectionFacts) -> Duration? {
    let keepAlive = configuration.keepAlive > .zero ? configuration.keepAlive : nil
    guard configuration.maxConnectionAge > .zero else { return keepAlive }
    let remaining = configuration.maxConnectionAge - facts.openedAt.duration(to: EventLoop.shared.now)
    guard remaining > .zero else { return .zero }
    // Rounded up, for timers of equal length share one.
    let unit: Int64 = remaining > .seconds(1) ? 1_000_000_000 : 10_000_000
    let rounded = Duration.nanoseconds((remaining.wholeNanoseconds - 1) / unit * unit + unit)
    return min(keepAlive ?? rounded, rounded)
  }
}

extension HttpClient {
  /// Closes the connections that carry no request. Those that do are not touched.
  public func dropIdleConnections() {
    EventLoop.shared.enqueue { [engine] in engine.dropIdleConnections() }
  }
}
