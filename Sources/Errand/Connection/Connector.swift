internal import EventLoop

/// Makes one connection: resolves the host and tries its addresses in order, until one stands.
@LoopActor
final class Connector: SocketTarget {
  enum Failure {
    case dns(String)
    case connect(String)
  }

  private let origin: Origin
  private let resolver: any NameResolver
  private var done: (@LoopActor (Result<(descriptor: Int32, address: SocketAddress), ConnectFailure>) -> Void)?
  private var addresses: ArraySlice<SocketAddress> = []
  private var current: SocketAddress?
  private var resolution: ResolveID?
  private var descriptor: Int32 = -1
  private var watch = WatchID.none
  private var problems: [String] = []
  private(set) var resolvedAt: Instant?

  struct ConnectFailure: Error {
    let failure: Failure
  }

  init(_ origin: Origin, _ resolver: any NameResolver) {
    self.origin = origin
    self.resolver = resolver
  }

  /// Resolves the host and calls `resolved` when there are addresses, for ``connect()`` to try. `done` is called once with the end. Both may
  /// be called before this returns, and neither after ``cancel()``.
  func start(
    resolved: @escaping @LoopActor () -> Void,
    done: @escaping @LoopActor (Result<(descriptor: Int32, address: SocketAddress), ConnectFailure>) -> Void
  ) {
    self.done = done
    if let path = origin.unixSocket {
      do throws(SystemError) {
        addresses = [try .unix(path)]
        resolved()
      } catch {
        finish(.failure(ConnectFailure(failure: .connect("\(origin): \(error.reason)"))))
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
        finish(.failure(ConnectFailure(failure: .dns(error.description))))
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
    if let current {
      "connecting to \(current)"
    } else if isResolving {
      "resolving \(origin.host)"
    } else {
      "waiting for a free connection"
    }
  }

  func socketReady(_ ready: Interest) {
    guard descriptor >= 0, let current else { return }
    if let error = Socket.connectError(descriptor) {
      failed(current, error)
    } else {
      succeeded(current)
    }
  }

  private func tryNext() {
    while let address = addresses.popFirst() {
      current = address
      do throws(SystemError) {
        descriptor = try Socket.open(for: address)
        if try Socket.connect(descriptor, to: address) {
          succeeded(address)
        } else {
          watch = EventLoop.shared.watch(descriptor, self)
          EventLoop.shared.update(watch, .write)
        }
        return
      } catch {
        problems.append("\(address): \(error.reason)")
        closeAttempt()
      }
    }
    let words = problems.isEmpty ? "\(origin) has no address" : problems.joined(separator: "; ")
    finish(.failure(ConnectFailure(failure: .connect("can't connect to \(words)"))))
  }

  private func succeeded(_ address: SocketAddress) {
    let open = descriptor
    EventLoop.shared.unwatch(watch)
    watch = .none
    descriptor = -1
    finish(.success((open, address)))
  }

  private func failed(_ address: SocketAddress, _ error: SystemError) {
    problems.append("\(address): \(error.reason)")
    closeAttempt()
    tryNext()
  }

  private func closeAttempt() {
    EventLoop.shared.unwatch(watch)
    watch = .none
    if descriptor >= 0 { Socket.close(descriptor) }
    descriptor = -1
  }

  private func finish(_ result: Result<(descriptor: Int32, address: SocketAddress), ConnectFailure>) {
    let done = self.done
    self.done = nil
    done?(result)
  }
}
