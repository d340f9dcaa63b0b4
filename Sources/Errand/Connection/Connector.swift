internal import EventLoop

/// Makes one connection: resolves the host, tries its addresses in order until one stands, and then agrees on the layers that the origin asks
/// for, one after the other.
@LoopActor
final class Connector: SocketTarget {
  typealias Outcome = Result<Connected, ConnectFailure>

  private let origin: Origin
  private let resolver: any NameResolver
  private var done: (@LoopActor (Outcome) -> Void)?
  private var addresses: ArraySlice<SocketAddress> = []
  private var current: SocketAddress?
  private var resolution: ResolveID?
  private var descriptor: Int32 = -1
  private var watch = WatchID.none
  private var problems: [String] = []
  private var layers: ArraySlice<any StreamLayer>
  /// Stands, while its layers are agreed on.
  private var stream: ByteStream?
  private(set) var resolvedAt: Instant?

  init(_ origin: Origin, _ resolver: any NameResolver, layers: [any StreamLayer] = []) {
    self.origin = origin
    self.resolver = resolver
    self.layers = layers[...]
  }

  /// Resolves the host and calls `resolved` when there are addresses, for ``connect()`` to try. `done` is called once with the end. Both may
  /// be called before this returns, and neither after ``cancel()``.
  func start(resolved: @escaping @LoopActor () -> Void, done: @escaping @LoopActor (Outcome) -> Void) {
    self.done = done
    if let path = origin.unixSocket {
      do throws(SystemError) {
        addresses = [try .unix(path)]
        resolved()
      } catch {
        fail(.connect, .connect, "\(origin): \(error.reason)")
      }
      return
    }
    let id = resolver.resolve(origin.host) { [self] result in
      guard self.done != nil else { return }
      resolution = nil
      resolvedAt = EventLoop.shared.now
      switch result {
      case .success(let found):
        addresses = found.map { $0.with(port: origin.port) }[...]
        resolved()
      case .failure(let error):
        fail(.dns, .dns, error.description, mayPass: error.isTemporary)
      }
    }
    if resolvedAt == nil { resolution = id }
  }

  /// Waits for an answer of the resolver.
  var isResolving: Bool { resolution != nil }

  /// Tries the addresses that were found.
  func connect() {
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
      "connecting to \(current)"
    } else if isResolving {
      "resolving \(origin.host)"
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
    let words = problems.isEmpty ? "\(origin) has no address" : problems.joined(separator: "; ")
    fail(.connect, .connect, "can't connect to \(words)")
  }

  private func stands() {
    stream = ByteStream(descriptor: descriptor)
    descriptor = -1
    EventLoop.shared.update(watch, [])
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
    guard let stream, let current else { return }
    self.stream = nil
    EventLoop.shared.unwatch(watch)
    watch = .none
    finish(.success(Connected(stream: stream, address: current)))
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
