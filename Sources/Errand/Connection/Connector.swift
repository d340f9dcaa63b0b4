internal import EventLoop

/// Makes one connection: resolves the host at the start of the route, races its addresses, and then agrees on the layers of the route, one
/// after the other.
@LoopActor
final class Connector: SocketTarget, HandshakeTarget {
  typealias Outcome = Result<Connected, ConnectFailure>

  private let route: Route
  private var done: (@LoopActor (Outcome) -> Void)?
  /// Called with the first addresses.
  private var resolved: (@LoopActor () -> Void)?
  private var resolution: ResolveID?
  private var resolvesDestination = false
  /// Why an address that was found is not connected to.
  private var refusal: String?
  private var hasAllAddresses = false
  /// Found, and not yet given to the race.
  private var addresses: [SocketAddress] = []
  private var race: AddressRace?
  private var agreement: Agreement?
  @Stamp private(set) var resolvedAt: Instant?
  @Stamp private(set) var connectedAt: Instant?

  /// What is agreed on over the connection. Apart, for most connections in the clear have none, and at times many are being made.
  private final class Agreement {
    /// Where a tunnel may lead, if that is resolved here: tried in order.
    var destinations: ArraySlice<SocketAddress> = []
    var layers: ArraySlice<any StreamLayer> = []
    /// Stands, while its layers are agreed on.
    var stream: ByteStream?
    var address: SocketAddress?
    var watch = WatchID.none
    var steps: [RequestTrace.Moment] = []
    var surplus: [UInt8] = []
    var tlsTime: Int64 = 0
    /// With a proxy that may ask for credentials.
    var auth: ConnectAuthentication?
    /// The pacer has given a turn.
    var hasPace = false
  }

  init(_ route: Route) {
    self.route = route
  }

  private var policy: ConnectPolicy { route.policy }

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
      if let proxy = route.connectProxy, proxy.credentials != nil, agreement?.auth == nil {
        let agreement = self.agreement ?? Agreement()
        self.agreement = agreement
        agreement.auth = ConnectAuthentication(proxy, route.origin, policy.authenticator)
      }
      let layers = try route.layers(to: agreement?.destinations.first, authorization: agreement?.auth?.authorization())
      if !layers.isEmpty {
        let agreement = self.agreement ?? Agreement()
        self.agreement = agreement
        agreement.layers = layers[...]
      }
    } catch {
      return finish(.failure(error))
    }
    let race = AddressRace(policy.race)
    self.race = race
    let first = addresses
    addresses = []
    race.start(first, isLast: hasAllAddresses) { [self] result in
      switch result {
      case .success(let (descriptor, address)):
        stands(descriptor, address)
      case .failure(let failure):
        if failure.problems.isEmpty, let refusal { return denied(refusal) }
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
    if let agreement, agreement.stream != nil, let layer = agreement.layers.first {
      layer.explanation
    } else if let race {
      race.explanation + route.suffix
    } else if isResolving {
      "resolving \(resolvesDestination ? route.origin.host : route.prefix + route.host)"
    } else {
      "waiting for a free connection"
    }
  }

  func socketReady(_ ready: Interest) {
    advance()
  }

  // MARK: Names

  private func resolveDestination(_ name: String) {
    resolvesDestination = true
    let agreement = Agreement()
    self.agreement = agreement
    if let override = policy.override(name, port: route.origin.port, of: route.origin) {
      return destinationsFound(override, agreement)
    }
    var isAnswered = false
    let id = policy.resolver.resolve(name) { [self] result in
      guard done != nil else { return }
      isAnswered = true
      resolution = nil
      switch result {
      case .success(let addresses):
        destinationsFound(addresses, agreement)
      case .failure(let error):
        fail(.dns, .dns, error.description, mayPass: error.isTemporary)
      }
    }
    if !isAnswered { resolution = id }
  }

  private func destinationsFound(_ addresses: [SocketAddress], _ agreement: Agreement) {
    var refusal: String?
    let allowed = addresses.filter { address in
      refusal = route.refusal(destination: address) ?? refusal
      return route.refusal(destination: address) == nil
    }
    if allowed.isEmpty, let refusal { return denied(refusal) }
    agreement.destinations = allowed[...]
    resolveHost()
  }

  private func denied(_ words: String) {
    fail(.denied, .connect, words, mayPass: false)
  }

  private func resolveHost() {
    let (host, port) = (route.host, route.port)
    resolvesDestination = false
    if let override = policy.override(host, port: port, of: route.origin) {
      resolvedAt = EventLoop.shared.now
      return found(override, isLast: true)
    }
    let id = policy.resolver.resolveParts(host) { [self] result in
      guard done != nil, !hasAllAddresses else { return }
      switch result {
      case .success(let part):
        if resolvedAt == nil { resolvedAt = EventLoop.shared.now }
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

  private func found(_ all: [SocketAddress], isLast: Bool) {
    var found = all
    if route.origin.options?.egress != nil {
      found.removeAll { address in
        guard let words = route.refusal(address) else { return false }
        refusal = words
        return true
      }
    }
    hasAllAddresses = isLast
    // None of its addresses may be connected to.
    if isLast, found.isEmpty, addresses.isEmpty, race == nil, let refusal { return denied(refusal) }
    if let race { return race.add(found, isLast: isLast) }
    addresses += found
    guard isLast || !addresses.isEmpty, let resolved else { return }
    self.resolved = nil
    resolved()
  }

  // MARK: Layers

  private func stands(_ descriptor: Int32, _ address: SocketAddress) {
    forgetResolution()
    connectedAt = EventLoop.shared.now
    let stream = ByteStream(descriptor: descriptor)
    guard let agreement, !agreement.layers.isEmpty else { return finish(.success(Connected(stream: stream, address: address))) }
    agreement.address = address
    agreement.stream = stream
    agreement.watch = EventLoop.shared.watch(descriptor, self)
    advance()
  }

  private func advance() {
    guard let agreement else { return }
    while let stream = agreement.stream, let layer = agreement.layers.first {
      if layer.isPaced, !agreement.hasPace { return HandshakePacer.shared.submit(self) }
      switch layer.advance(over: stream) {
      case .wants(let interest):
        return EventLoop.shared.update(agreement.watch, interest)
      case .done(let next):
        agreement.stream = next
        agreement.steps.append(layer.step)
        agreement.surplus = layer.surplus
        agreement.tlsTime += layer.tlsTime
        agreement.layers.removeFirst()
      case .failed(let failure):
        return layerFailed(failure)
      }
    }
    guard let stream = agreement.stream, let address = agreement.address else { return }
    agreement.stream = nil
    EventLoop.shared.unwatch(agreement.watch)
    agreement.watch = .none
    finish(
      .success(
        Connected(
          stream: stream, address: address, tlsTime: agreement.tlsTime, steps: agreement.steps, surplus: agreement.surplus)))
  }

  func handshakeStep() {
    // It may have ended while it waited for its turn.
    guard let agreement, agreement.stream != nil else { return }
    agreement.hasPace = true
    advance()
    agreement.hasPace = false
  }

  /// A tunnel that does not reach one address of the origin may reach another, and a proxy that asks for credentials may take an answer to its challenge.
  private func layerFailed(_ failure: ConnectFailure) {
    guard let agreement, let address = agreement.address else { return finish(.failure(failure)) }
    if failure.isOfDestination, agreement.destinations.count > 1 {
      agreement.destinations.removeFirst()
    } else if agreement.auth?.answers(failure.challenges) != true {
      return finish(.failure(failure))
    }
    agreement.steps = []
    agreement.tlsTime = 0
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
    guard let agreement else { return }
    EventLoop.shared.unwatch(agreement.watch)
    agreement.watch = .none
    agreement.stream?.close()
    agreement.stream = nil
  }

  private func finish(_ outcome: Outcome) {
    close()
    let done = done
    self.done = nil
    resolved = nil
    done?(outcome)
  }
}
