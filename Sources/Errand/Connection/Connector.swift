internal import EventLoop

/// Makes one connection: resolves the host at the start of the route, tries its addresses in order until one stands, and then agrees on the
/// layers of the route, one after the other.
@LoopActor
final class Connector: SocketTarget, HandshakeTarget {
  typealias Outcome = Result<Connected, ConnectFailure>

  private let route: Route
  private let resolver: any NameResolver
  private var done: (@LoopActor (Outcome) -> Void)?
  private var addresses: ArraySlice<SocketAddress> = []
  private var current: SocketAddress?
  private var resolution: ResolveID?
  /// The name that is being resolved, for people.
  private var resolving: String?
  private var descriptor: Int32 = -1
  private var watch = WatchID.none
  private var problems: [String] = []
  private var layers: ArraySlice<any StreamLayer> = []
  /// Where a tunnel may lead, if that is resolved here: tried in order.
  private var destinations: ArraySlice<SocketAddress> = []
  private var found: [SocketAddress] = []
  /// Stands, while its layers are agreed on.
  private var stream: ByteStream?
  private(set) var resolvedAt: Instant?
  private(set) var connectedAt: Instant?
  private var steps: [RequestTrace.Moment] = []
  private var surplus: [UInt8] = []
  private var tlsTime: Int64 = 0
  /// The pacer has given a turn.
  private var hasPace = false

  init(_ route: Route, _ resolver: any NameResolver) {
    self.route = route
    self.resolver = resolver
  }

  /// Resolves the host and calls `resolved` when there are addresses, for ``connect()`` to try. `done` is called once with the end. Both may
  /// be called before this returns, and neither after ``cancel()``.
  func start(resolved: @escaping @LoopActor () -> Void, done: @escaping @LoopActor (Outcome) -> Void) {
    self.done = done
    if let path = route.origin.unixSocket {
      do throws(SystemError) {
        found = [try .unix(path)]
        resolved()
      } catch {
        fail(.connect, .connect, "\(route.origin): \(error.reason)")
      }
      return
    }
    guard let name = route.resolvedDestination else { return resolveHost(resolved) }
    resolve(name, "") { [self] in
      destinations = $0[...]
      resolveHost(resolved)
    }
  }

  private func resolveHost(_ resolved: @escaping @LoopActor () -> Void) {
    resolve(route.host, route.prefix) { [self] in
      found = $0.map { $0.with(port: route.port) }
      resolvedAt = EventLoop.shared.now
      resolved()
    }
  }

  /// `prefix` is put before what goes wrong.
  private func resolve(_ name: String, _ prefix: String, _ then: @escaping @LoopActor ([SocketAddress]) -> Void) {
    let words = prefix + name
    resolving = words
    let id = resolver.resolve(name) { [self] result in
      guard done != nil else { return }
      resolution = nil
      resolving = nil
      switch result {
      case .success(let addresses): then(addresses)
      case .failure(let error):
        resolvedAt = EventLoop.shared.now
        fail(.dns, .dns, prefix + error.description, mayPass: error.isTemporary)
      }
    }
    // It may have answered at once, and another name be asked for by now.
    if resolving == words, done != nil, resolution == nil { resolution = id }
  }

  /// Waits for an answer of the resolver.
  var isResolving: Bool { resolution != nil }

  /// Tries the addresses that were found.
  func connect() {
    do throws(ConnectFailure) {
      layers = try route.layers(to: destinations.first)[...]
    } catch {
      return finish(.failure(error))
    }
    addresses = found[...]
    tryNext()
  }

  func cancel() {
    done = nil
    if let resolution { resolver.cancel(resolution) }
    resolution = nil
    closeAttempt()
  }

  /// What it is doing, for people.
  var explanation: String {
    if stream != nil, let layer = layers.first {
      layer.explanation
    } else if let current {
      "connecting to \(route.prefix)\(current)"
    } else if let resolving {
      "resolving \(resolving)"
    } else {
      "waiting for a free connection"
    }
  }

  func socketReady(_ ready: Interest) {
    if stream != nil { return advance() }
    guard descriptor >= 0, let current else { return }
    if let error = Socket.connectError(descriptor) {
      problems.append("\(current): \(error.reason)")
      closeAttempt()
      tryNext()
    } else {
      stands()
    }
  }

  // MARK: Addresses

  private func tryNext() {
    while let address = addresses.popFirst() {
      current = address
      do throws(SystemError) {
        descriptor = try Socket.open(for: address)
        watch = EventLoop.shared.watch(descriptor, self)
        if try Socket.connect(descriptor, to: address) { stands() } else { EventLoop.shared.update(watch, .write) }
        return
      } catch {
        problems.append("\(address): \(error.reason)")
        closeAttempt()
      }
    }
    let words = problems.isEmpty ? "\(route.origin) has no address" : problems.joined(separator: "; ")
    fail(.connect, .connect, "can't connect to \(route.prefix)\(words)")
  }

  private func stands() {
    stream = ByteStream(descriptor: descriptor)
    descriptor = -1
    EventLoop.shared.update(watch, [])
    connectedAt = EventLoop.shared.now
    advance()
  }

  // MARK: Layers

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
    guard let stream, let current else { return }
    self.stream = nil
    EventLoop.shared.unwatch(watch)
    watch = .none
    finish(.success(Connected(stream: stream, address: current, tlsTime: tlsTime, steps: steps, surplus: surplus)))
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
    guard failure.isOfDestination, destinations.count > 1 else { return finish(.failure(failure)) }
    destinations.removeFirst()
    steps = []
    tlsTime = 0
    closeAttempt()
    connect()
  }

  private func fail(_ code: HttpClientError.Code, _ phase: Phase, _ message: String, mayPass: Bool = true) {
    finish(.failure(ConnectFailure(code: code, phase: phase, message: message, mayPass: mayPass)))
  }

  private func closeAttempt() {
    EventLoop.shared.unwatch(watch)
    watch = .none
    if descriptor >= 0 { Socket.close(descriptor) }
    descriptor = -1
    stream?.close()
    stream = nil
  }

  private func finish(_ outcome: Outcome) {
    closeAttempt()
    let done = done
    self.done = nil
    done?(outcome)
  }
}
