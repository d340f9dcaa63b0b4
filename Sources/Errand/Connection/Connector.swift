internal import EventLoop

/// Makes one connection: resolves the host at the start of the route, races its addresses, and then agrees on the layers of the route, one
/// after the other.
@LoopActor
final class Connector: SocketTarget {
  typealias Outcome = Result<Connected, ConnectFailure>

  private let route: Route
  private let resolver: any NameResolver
  private var race: AddressRace
  private var done: (@LoopActor (Outcome) -> Void)?
  /// Called with the first addresses.
  private var resolved: (@LoopActor () -> Void)?
  private var resolution: ResolveID?
  /// Found, and not yet given to the race.
  private var addresses: [SocketAddress] = []
  private var hasAllAddresses = false
  private var isRacing = false
  private var address: SocketAddress?
  /// Where a tunnel may lead, if that is resolved here: tried in order.
  private var destinations: ArraySlice<SocketAddress> = []
  private var watch = WatchID.none
  private var layers: ArraySlice<any StreamLayer> = []
  /// Stands, while its layers are agreed on.
  private var stream: ByteStream?
  private(set) var resolvedAt: Instant?
  private(set) var connectedAt: Instant?
  private var steps: [RequestTrace.Moment] = []
  private var surplus: [UInt8] = []

  init(_ route: Route, _ resolver: any NameResolver) {
    self.route = route
    self.resolver = resolver
    race = route.makeRace()
  }

  /// Resolves the host and calls `resolved` when there are addresses, for ``connect()`` to try. `done` is called once with the end. Both may
  /// be called before this returns, and neither after ``cancel()``.
  func start(resolved: @escaping @LoopActor () -> Void, done: @escaping @LoopActor (Outcome) -> Void) {
    self.done = done
    self.resolved = resolved
    if let path = route.origin.unixSocket {
      do throws(SystemError) {
        found([try .unix(path)], isLast: true)
      } catch {
        fail(.connect, .connect, "\(route.origin): \(error.reason)")
      }
    } else if let name = route.resolvedDestination {
      resolveDestination(name)
    } else {
      resolve()
    }
  }

  private func resolveDestination(_ name: String) {
    if let override = route.overrides(name, route.origin.port) {
      destinations = override[...]
      return resolve()
    }
    let id = resolver.resolve(name) { [self] result in
      guard done != nil, destinations.isEmpty else { return }
      resolution = nil
      switch result {
      case .success(let addresses) where !addresses.isEmpty:
        destinations = addresses[...]
        resolve()
      case .success: fail(.dns, .dns, "\(name) has no address")
      case .failure(let error): fail(.dns, .dns, error.description, mayPass: error.isTemporary)
      }
    }
    if destinations.isEmpty, done != nil { resolution = id }
  }

  private func resolve() {
    if let override = route.overrides(route.host, route.port) {
      resolvedAt = EventLoop.shared.now
      return found(override, isLast: true)
    }
    let id = resolver.resolveParts(route.host) { [self] result in
      guard done != nil, !hasAllAddresses else { return }
      if resolvedAt == nil { resolvedAt = EventLoop.shared.now }
      switch result {
      case .success(let part):
        if part.isLast { resolution = nil }
        found(part.addresses.map { $0.with(port: route.port) }, isLast: part.isLast)
      case .failure(let error):
        resolution = nil
        fail(.dns, .dns, route.prefix + error.description, mayPass: error.isTemporary)
      }
    }
    if hasAllAddresses { return }
    // What was told at once may have ended this already.
    if done == nil { resolver.cancel(id) } else { resolution = id }
  }

  private func found(_ found: [SocketAddress], isLast: Bool) {
    hasAllAddresses = isLast
    if isRacing { return race.add(found, isLast: isLast) }
    addresses += found
    guard isLast || !addresses.isEmpty, let resolved else { return }
    self.resolved = nil
    resolved()
  }

  private var isResolvingDestination: Bool { destinations.isEmpty && route.resolvedDestination != nil }

  /// Waits for the first addresses.
  var isResolving: Bool { resolution != nil && resolved != nil }

  /// Tries the addresses that were found, and those that are yet to come.
  func connect() {
    guard done != nil, !isRacing else { return }
    isRacing = true
    do throws(ConnectFailure) {
      layers = try route.layers(to: destinations.first)[...]
    } catch {
      return finish(.failure(error))
    }
    race.start(addresses, isLast: hasAllAddresses) { [self] result in
      switch result {
      case .success(let (descriptor, address)):
        stands(descriptor, address)
      case .failure(let failure):
        let words = failure.problems.isEmpty ? "\(route.host): it has no address" : failure.description
        fail(.connect, .connect, "can't connect to \(route.prefix)\(words)")
      }
    }
    addresses = []
  }

  func cancel() {
    done = nil
    resolved = nil
    close()
  }

  /// What it is doing, for people.
  var explanation: String {
    if stream != nil, let layer = layers.first {
      layer.explanation
    } else if isRacing {
      race.explanation + route.suffix
    } else if isResolving {
      "resolving \(isResolvingDestination ? route.origin.host : route.prefix + route.host)"
    } else {
      "waiting for a free connection"
    }
  }

  func socketReady(_ ready: Interest) {
    advance()
  }

  private func stands(_ descriptor: Int32, _ address: SocketAddress) {
    forgetResolution()
    self.address = address
    connectedAt = EventLoop.shared.now
    stream = ByteStream(descriptor: descriptor)
    watch = EventLoop.shared.watch(descriptor, self)
    advance()
  }

  // MARK: Layers

  private func advance() {
    while let stream, let layer = layers.first {
      switch layer.advance(over: stream) {
      case .wants(let interest):
        return EventLoop.shared.update(watch, interest)
      case .done(let next):
        self.stream = next
        steps.append(layer.step)
        surplus = layer.surplus
        layers.removeFirst()
      case .failed(let failure):
        return layerFailed(failure)
      }
    }
    guard let stream, let address else { return }
    self.stream = nil
    EventLoop.shared.unwatch(watch)
    watch = .none
    finish(.success(Connected(stream: stream, address: address, steps: steps, surplus: surplus)))
  }

  /// A tunnel that does not reach one address of the origin may reach another.
  private func layerFailed(_ failure: ConnectFailure) {
    guard failure.isOfDestination, destinations.count > 1, let address else { return finish(.failure(failure)) }
    destinations.removeFirst()
    steps = []
    close()
    race = route.makeRace()
    (addresses, isRacing) = ([address], false)
    connect()
  }

  private func fail(_ code: HttpClientError.Code, _ phase: Phase, _ message: String, mayPass: Bool = true) {
    finish(.failure(ConnectFailure(code: code, phase: phase, message: message, mayPass: mayPass)))
  }

  private func forgetResolution() {
    if let resolution { resolver.cancel(resolution) }
    resolution = nil
  }

  private func close() {
    forgetResolution()
    race.cancel()
    EventLoop.shared.unwatch(watch)
    watch = .none
    stream?.close()
    stream = nil
  }

  private func finish(_ outcome: Outcome) {
    close()
    let done = done
    self.done = nil
    resolved = nil
    done?(outcome)
  }
}
