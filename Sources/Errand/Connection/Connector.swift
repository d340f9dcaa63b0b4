internal import EventLoop

/// Makes one connection: resolves the host, races its addresses, and then agrees on the layers that the origin asks for, one after the other.
@LoopActor
final class Connector: SocketTarget {
  typealias Outcome = Result<Connected, ConnectFailure>

  private let origin: Origin
  private let resolver: any NameResolver
  private let race: AddressRace
  private let override: [SocketAddress]?
  private var done: (@LoopActor (Outcome) -> Void)?
  /// Called with the first addresses.
  private var resolved: (@LoopActor () -> Void)?
  private var resolution: ResolveID?
  /// Found, and not yet given to the race.
  private var addresses: [SocketAddress] = []
  private var hasAllAddresses = false
  private var isRacing = false
  private var address: SocketAddress?
  private var watch = WatchID.none
  private var layers: ArraySlice<any StreamLayer>
  /// Stands, while its layers are agreed on.
  private var stream: ByteStream?
  private(set) var resolvedAt: Instant?

  /// `override`: stands in for what the resolver would say.
  init(
    _ origin: Origin, _ resolver: any NameResolver, race: AddressRace, override: [SocketAddress]? = nil, layers: [any StreamLayer] = []
  ) {
    self.origin = origin
    self.resolver = resolver
    self.race = race
    self.override = override
    self.layers = layers[...]
  }

  /// Resolves the host and calls `resolved` when there are addresses, for ``connect()`` to try. `done` is called once with the end. Both may
  /// be called before this returns, and neither after ``cancel()``.
  func start(resolved: @escaping @LoopActor () -> Void, done: @escaping @LoopActor (Outcome) -> Void) {
    self.done = done
    self.resolved = resolved
    if let path = origin.unixSocket {
      do throws(SystemError) {
        found([try .unix(path)], isLast: true)
      } catch {
        fail(.connect, .connect, "\(origin): \(error.reason)")
      }
    } else if let override {
      resolvedAt = EventLoop.shared.now
      found(override, isLast: true)
    } else {
      resolve()
    }
  }

  private func resolve() {
    let id = resolver.resolveParts(origin.host) { [self] result in
      guard done != nil, !hasAllAddresses else { return }
      if resolvedAt == nil { resolvedAt = EventLoop.shared.now }
      switch result {
      case .success(let part):
        if part.isLast { resolution = nil }
        found(part.addresses.map { $0.with(port: origin.port) }, isLast: part.isLast)
      case .failure(let error):
        resolution = nil
        fail(.dns, .dns, error.description, mayPass: error.isTemporary)
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

  /// Waits for the first addresses.
  var isResolving: Bool { resolution != nil && resolved != nil }

  /// Tries the addresses that were found, and those that are yet to come.
  func connect() {
    guard done != nil, !isRacing else { return }
    isRacing = true
    race.start(addresses, isLast: hasAllAddresses) { [self] result in
      switch result {
      case .success(let (descriptor, address)):
        stands(descriptor, address)
      case .failure(let failure):
        fail(.connect, .connect, "can't connect to \(failure.problems.isEmpty ? "\(origin): it has no address" : failure.description)")
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
      race.explanation
    } else if isResolving {
      "resolving \(origin.host)"
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
        layers.removeFirst()
      case .failed(let failure):
        return finish(.failure(failure))
      }
    }
    guard let stream, let address else { return }
    self.stream = nil
    EventLoop.shared.unwatch(watch)
    watch = .none
    finish(.success(Connected(stream: stream, address: address)))
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
