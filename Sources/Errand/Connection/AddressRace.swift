internal import EventLoop

/// Connects to the first address of a host that answers (Happy Eyeballs version 2, RFC 8305). The addresses are tried one after the other, each
/// a short time after the one before or at once when one fails; those that are under way stay so. The first connection that stands wins, and the
/// others are closed.
@LoopActor
final class AddressRace {
  /// Why no address could be connected to: each with its reason.
  struct Failure: Error, Sendable, CustomStringConvertible {
    let problems: [String]

    var description: String { problems.isEmpty ? "there is no address" : problems.joined(separator: "; ") }
  }

  typealias Done = @LoopActor (Result<(descriptor: Int32, address: SocketAddress), Failure>) -> Void

  /// How long an attempt has before the next begins beside it (RFC 8305 section 8).
  nonisolated static let attemptDelay = Duration.milliseconds(250)
  /// How long IPv4 addresses wait for the IPv6 ones that are still being asked for.
  nonisolated static let resolutionDelay = Duration.milliseconds(50)

  private enum Timer: UInt8 {
    case attempt
    case resolution
  }

  /// Behind one reference: the races of a client's connections share it, and at times there are many.
  final class Settings: Sendable {
    let attemptDelay: Duration
    let resolutionDelay: Duration
    let tcp: TcpSettings

    init(
      attemptDelay: Duration = AddressRace.attemptDelay, resolutionDelay: Duration = AddressRace.resolutionDelay,
      tcp: TcpSettings = TcpSettings()
    ) {
      self.attemptDelay = attemptDelay
      self.resolutionDelay = resolutionDelay
      self.tcp = tcp
    }
  }

  private let settings: Settings
  private var done: Done?
  private var queue = AddressQueue()
  private var attempts: [Attempt] = []
  private var problems: [String] = []
  private var isComplete = false
  private var hasBegun = false
  private var timer = TimerID.none

  init(_ settings: Settings = Settings()) {
    self.settings = settings
  }

  /// Begins with the addresses known so far. `isLast` says that no more will be added. `done` is called once, perhaps before this returns, and not
  /// after ``cancel()``; the descriptor is then the receiver's.
  func start(_ addresses: [SocketAddress], isLast: Bool, done: @escaping Done) {
    self.done = done
    add(addresses, isLast: isLast)
  }

  /// Takes addresses that came late, perhaps none, while others are being tried.
  func add(_ addresses: [SocketAddress], isLast: Bool) {
    guard done != nil else { return }
    queue.add(addresses)
    isComplete = isComplete || isLast
    if !hasBegun, !isComplete, !queue.hasIPv6 {
      if queue.count > 0, timer == .none { arm(.resolution, settings.resolutionDelay) }
      return
    }
    if !hasBegun {
      hasBegun = true
      disarm()
    }
    proceed()
  }

  /// Closes everything. `done` is not called any more.
  func cancel() {
    done = nil
    close()
  }

  /// What it is doing, for people, such as `connecting to 192.0.2.1:80, 2 of 5 addresses tried`.
  var explanation: String {
    guard let latest = attempts.last else { return "waiting for further addresses, \(queue.triedCount) tried" }
    let tried = queue.count > 1 ? ", \(queue.triedCount) of \(queue.count) addresses tried" : ""
    return "connecting to \(latest.address)\(tried)"
  }

  /// Begins attempts while none is under way or the one before has had its time.
  private func proceed() {
    while done != nil, timer == .none || attempts.isEmpty, let address = queue.next() {
      disarm()
      begin(address)
    }
    if done != nil, isComplete, attempts.isEmpty {
      finish(.failure(Failure(problems: problems)))
    }
  }

  private func begin(_ address: SocketAddress) {
    do throws(SystemError) {
      let descriptor = try Socket.open(for: address)
      do throws(SystemError) {
        if address.path == nil { Socket.apply(settings.tcp, to: descriptor) }
        if try Socket.connect(descriptor, to: address) { return finish(.success((descriptor, address))) }
      } catch {
        Socket.close(descriptor)
        throw error
      }
      attempts.append(Attempt(descriptor, address, self))
      // For the last one nothing waits.
      if !isComplete || !queue.isEmpty { arm(.attempt, settings.attemptDelay) }
    } catch {
      problems.append("\(address): \(error.reason)")
    }
  }

  fileprivate func decided(_ attempt: Attempt) {
    guard let index = attempts.firstIndex(where: { $0 === attempt }) else { return }
    attempts.remove(at: index)
    guard let error = Socket.connectError(attempt.descriptor) else {
      return finish(.success((attempt.release(), attempt.address)))
    }
    attempt.close()
    problems.append("\(attempt.address): \(error.reason)")
    disarm()
    proceed()
  }

  private func finish(_ result: Result<(descriptor: Int32, address: SocketAddress), Failure>) {
    let done = self.done
    self.done = nil
    close()
    done?(result)
  }

  private func close() {
    disarm()
    let open = attempts
    attempts = []
    for attempt in open { attempt.close() }
  }

  private func arm(_ kind: Timer, _ delay: Duration) {
    disarm()
    timer = EventLoop.shared.schedule(after: delay, self, kind: kind.rawValue)
  }

  private func disarm() {
    guard timer != .none else { return }
    EventLoop.shared.cancel(timer)
    timer = .none
  }
}

extension AddressRace: TimerTarget {
  func timerFired(_ kind: UInt8) {
    timer = .none
    hasBegun = true
    proceed()
  }
}

/// One connection in progress.
@LoopActor
private final class Attempt: SocketTarget {
  let descriptor: Int32
  let address: SocketAddress
  private let race: AddressRace
  private var watch = WatchID.none

  init(_ descriptor: Int32, _ address: SocketAddress, _ race: AddressRace) {
    self.descriptor = descriptor
    self.address = address
    self.race = race
    watch = EventLoop.shared.watch(descriptor, self)
    EventLoop.shared.update(watch, .write)
  }

  func socketReady(_ ready: Interest) {
    race.decided(self)
  }

  /// Gives the descriptor away.
  func release() -> Int32 {
    EventLoop.shared.unwatch(watch)
    watch = .none
    return descriptor
  }

  func close() {
    Socket.close(release())
  }
}
