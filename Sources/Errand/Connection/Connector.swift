internal import EventLoop

/// Makes one connection: resolves the host at the start of the route, races its addresses, and then agrees on the layers of the route, one
/// after the other.
@LoopActor
final class Connector: SocketTarget, HandshakeTarget {
  typealias Outcome = Result<Connected, ConnectFailure>

  private let route: Route
  private let policy: ConnectPolicy
  private var done: (@LoopActor (Outcome) -> Void)?
  /// Called with the first addresses.
  private var resolved: (@LoopActor () -> Void)?
  private var resolution: ResolveID?
  /// The name that is being resolved, for people.
  private var resolving = ""
  /// Found, and not yet given to the race.
  private var addresses: [SocketAddress] = []
  private var hasAllAddresses = false
  /// Where a tunnel may lead, if that is resolved here: tried in order.
  private var destinations: ArraySlice<SocketAddress> = []
  private var race: AddressRace?
  private var address: SocketAddress?
  private var watch = WatchID.none
  private var layers: ArraySlice<any StreamLayer> = []
  /// Stands, while its layers are agreed on.
  private var stream: ByteStream?
  private(set) var resolvedAt: Instant?
  private(set) var connectedAt: Instant?
  private var steps: [RequestTrace.Moment] = []
  private var surplus: [UInt8] = []
  private var tlsTime: Int64 = 0
  /// The pacer has given a turn.
  private var hasPace = false

  init(_ route: Route, _ policy: ConnectPolicy) {
    self.route = route
    self.policy = policy
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
      resolveHost()
    }
  }

  /// Waits for the first addresses.
  var isResolving: Bool { resolution != nil && resolved != nil }

  /// Tries the addresses that were found, and those that are yet to come.
  func connect() {
    guard done != nil, race == nil else { return }
    do throws(ConnectFailure) {
      layers = try route.layers(to: destinations.first)[...]
    } catch {
      return finish(.failure(error))
    }
    let race = AddressRace(attemptDelay: policy.attemptDelay, tcp: policy.tcp)
    self.race = race
    let first = addresses
    addresses = []
    race.start(first, isLast: hasAllAddresses) { [self] result in
      switch result {
      case .success(let (descriptor, address)):
        stands(descriptor, address)
      case .failure(let failure):
        let words = failure.problems.isEmpty ? "\(route.host): it has no address" : failure.description
        fail(.connect, .connect, "can't connect to \(route.prefix)\(words)")
      }
    }
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
    } else if let race {
      race.explanation + route.suffix
    } else if isResolving {
      "resolving \(resolving)"
    } else {
      "waiting for a free connection"
    }
  }

  func socketReady(_ ready: Interest) {
    advance()
  }

  // MARK: Names

  private func resolveDestination(_ name: String) {
    resolving = name
    if let override = policy.override(name, port: route.origin.port, of: route.origin) {
      destinations = override[...]
      return resolveHost()
    }
    var isAnswered = false
    let id = policy.resolver.resolve(name) { [self] result in
      guard done != nil else { return }
      isAnswered = true
      resolution = nil
      switch result {
      case .success(let addresses):
        destinations = addresses[...]
        resolveHost()
      case .failure(let error):
        resolvedAt = EventLoop.shared.now
        fail(.dns, .dns, error.description, mayPass: error.isTemporary)
      }
    }
    if !isAnswered { resolution = id }
  }

  private func resolveHost() {
    let (host, port) = (route.host, route.port)
    resolving = route.prefix + host
    if let override = policy.override(host, port: port, of: route.origin) {
      resolvedAt = EventLoop.shared.now
      return found(override, isLast: true)
    }
    let id = policy.resolver.resolveParts(host) { [self] result in
      guard done != nil, !hasAllAddresses else { return }
      if resolvedAt == nil { resolvedAt = EventLoop.shared.now }
      switch result {
      case .success(let part):
        if part.isLast { resolution = nil }
        found(part.addresses.map { $0.with(port: port) }, isLast: part.isLast)
      case .failure(let error):
        resolution = nil
        fail(.dns, .dns, route.prefix + error.description, mayPass: error.isTemporary)
      }
    }
    if hasAllAddresses { return }
    // What was told at once may have ended this already.
    if done == nil { policy.resolver.cancel(id) } else { resolution = id }
  }

  private func found(_ found: [SocketAddress], isLast: Bool) {
    hasAllAddresses = isLast
    if let race { return race.add(found, isLast: isLast) }
    addresses += found
    guard isLast || !addresses.isEmpty, let resolved else { return }
    self.resolved = nil
    resolved()
  }

  // MARK: Layers

  private func stands(_ descriptor: Int32, _ address: SocketAddress) {
    forgetResolution()
    self.address = address
    connectedAt = EventLoop.shared.now
    stream = ByteStream(descriptor: descriptor)
    watch = EventLoop.shared.watch(descriptor, self)
    advance()
  }

  private func advance() {
    while let stream, let layer = layers.first {
      if layer.isPaced, !hasPace { return HandshakePacer.shared.submit(self) }
      switch layer.advance(over: stream) {
      case .wants(let interest):
        return EventLoop.shared.update(watch, interest)
      case .done(let next):
        self.stream = next
        steps.append(layer.step)
        surplus = layer.surplus
        tlsTime += layer.tlsTime
        layers.removeFirst()
      case .failed(let failure):
        return layerFailed(failure)
      }
    }
    guard let stream, let address else { return }
    self.stream = nil
    EventLoop.shared.unwatch(watch)
    watch = .none
    finish(.success(Connected(stream: stream, address: address, tlsTime: tlsTime, steps: steps, surplus: surplus)))
  }

  func handshakeStep() {
    // It may have ended while it waited for its turn.
    guard stream != nil else { return }
    hasPace = true
    advance()
    hasPace = false
  }

  /// A tunnel that does not reach one address of the origin may reach another.
  private func layerFailed(_ failure: ConnectFailure) {
    guard failure.isOfDestination, destinations.count > 1, let address else { return finish(.failure(failure)) }
    destinations.removeFirst()
    steps = []
    tlsTime = 0
    close()
    race = nil
    (addresses, hasAllAddresses) = ([address], true)
    connect()
  }

  private func fail(_ code: HttpClientError.Code, _ phase: Phase, _ message: String, mayPass: Bool = true) {
    finish(.failure(ConnectFailure(code: code, phase: phase, message: message, mayPass: mayPass)))
  }

  private func forgetResolution() {
    if let resolution { policy.resolver.cancel(resolution) }
    resolution = nil
  }

  private func close() {
    forgetResolution()
    race?.cancel()
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
