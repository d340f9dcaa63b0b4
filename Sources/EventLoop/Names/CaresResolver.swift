internal import CCares
internal import CLibevent
import Glibc

/// A resolver on c-ares: asynchronous, both address families, with the system's hosts file, servers and search domains.
///
/// `localhost` and names under it answer with the loopback addresses and never leave the machine (RFC 6761 section 6.3).
@LoopActor
public final class CaresResolver: NameResolver {
  public static let shared = CaresResolver()

  private static var channels: [UInt: CaresResolver] = [:]
  private static var nextChannel: UInt = 1

  private let number: UInt
  private var channel: ares_channel?
  private var failure: String?
  private var nextID: UInt64 = 1
  private var waiting: [UInt64: @LoopActor (Result<[SocketAddress], ResolveError>) -> Void] = [:]
  private var names: [UInt64: String] = [:]
  private var watched: [Int32: Watched] = [:]
  private var timer = TimerID.none

  /// `servers` is `address:port,…`; nil asks the system's configuration. `timeout` is for one try at one server, `tries` the number of tries.
  public nonisolated init(servers: String? = nil, timeout: Duration = .seconds(5), tries: Int = 2) {
    let milliseconds = Int32(clamping: timeout.wholeNanoseconds / 1_000_000)
    self.servers = servers
    self.timeoutMilliseconds = milliseconds
    self.tries = Int32(clamping: tries)
    self.number = CaresResolver.takeNumber()
  }

  private let servers: String?
  private let timeoutMilliseconds: Int32
  private let tries: Int32

  private nonisolated static let numbers = Locked<UInt>(0)
  private nonisolated static func takeNumber() -> UInt {
    numbers.withLock { last in
      last += 1
      return last
    }
  }

  public func resolve(
    _ host: String, _ done: @escaping @LoopActor (Result<[SocketAddress], ResolveError>) -> Void
  ) -> ResolveID {
    let id = nextID
    nextID += 1
    if let literal = SocketAddress.ip(host, port: 0) {
      done(.success([literal]))
      return ResolveID(id)
    }
    if host == "localhost" || host.hasSuffix(".localhost") {
      done(.success([.loopback(port: 0), .loopback(port: 0, v6: true)]))
      return ResolveID(id)
    }
    guard let channel = openChannel() else {
      done(.failure(ResolveError("can't resolve \(host): \(failure ?? "no resolver")", isTemporary: true)))
      return ResolveID(id)
    }
    waiting[id] = done
    names[id] = host
    var hints = ares_addrinfo_hints()
    hints.ai_family = AF_UNSPEC
    // The query id fits beside the channel's number in the pointer-sized argument that c-ares hands back.
    let argument = UnsafeMutableRawPointer(bitPattern: number << 40 | UInt(id & 0xff_ffff_ffff))
    ares_getaddrinfo(
      channel, host, nil, &hints, { argument, status, _, result in caresAnswered(argument, status, result) }, argument)
    armTimer()
    return ResolveID(id)
  }

  public func cancel(_ id: ResolveID) {
    // c-ares has no cancel for one query: its answer, if any, finds nobody waiting.
    waiting[id.value] = nil
    names[id.value] = nil
  }

  /// How many resolutions wait for an answer.
  public var waitingCount: Int { waiting.count }

  private func openChannel() -> ares_channel? {
    if let channel { return channel }
    var status = ares_library_init(ARES_LIB_INIT_ALL)
    var options = ares_options()
    options.timeout = timeoutMilliseconds
    options.tries = tries
    options.sock_state_cb = { argument, descriptor, readable, writable in
      let number = UInt(bitPattern: argument)
      EventLoop.assumeOnLoop { CaresResolver.channels[number]?.watch(descriptor, readable != 0, writable != 0) }
    }
    options.sock_state_cb_data = UnsafeMutableRawPointer(bitPattern: number)
    var opened: ares_channel?
    if status == ARES_SUCCESS {
      status = ares_init_options(&opened, &options, Int32(ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB))
    }
    if status == ARES_SUCCESS, let servers { status = ares_set_servers_ports_csv(opened, servers) }
    guard status == ARES_SUCCESS, let opened else {
      failure = String(cString: ares_strerror(status))
      return nil
    }
    channel = opened
    CaresResolver.channels[number] = self
    return opened
  }

  fileprivate static func answered(_ bits: UInt, _ status: Int32, _ addresses: [SocketAddress]) {
    guard let resolver = channels[bits >> 40] else { return }
    let id = UInt64(bits & 0xff_ffff_ffff)
    guard let done = resolver.waiting.removeValue(forKey: id) else { return }
    let name = resolver.names.removeValue(forKey: id) ?? ""
    if status == ARES_SUCCESS, !addresses.isEmpty {
      done(.success(addresses))
    } else {
      let isTemporary =
        status == ARES_ETIMEOUT || status == ARES_ECONNREFUSED || status == ARES_ESERVFAIL
      let reason = status == ARES_SUCCESS ? "it has no address" : String(cString: ares_strerror(status))
      done(.failure(ResolveError("can't resolve \(name): \(reason)", isTemporary: isTemporary)))
    }
  }

  private func watch(_ descriptor: Int32, _ readable: Bool, _ writable: Bool) {
    var interest: Interest = []
    if readable { interest.insert(.read) }
    if writable { interest.insert(.write) }
    if interest.isEmpty {
      if let old = watched.removeValue(forKey: descriptor) { EventLoop.shared.unwatch(old.id) }
      return
    }
    let entry = watched[descriptor] ?? Watched(descriptor, self)
    watched[descriptor] = entry
    EventLoop.shared.update(entry.id, interest)
  }

  fileprivate func process(read: Int32, write: Int32) {
    guard let channel else { return }
    ares_process_fd(channel, read, write)
    armTimer()
  }

  private func armTimer() {
    EventLoop.shared.cancel(timer)
    timer = .none
    guard let channel else { return }
    var next = timeval()
    guard ares_timeout(channel, nil, &next) != nil else { return }
    timer = EventLoop.shared.schedule(after: .seconds(next.tv_sec) + .microseconds(next.tv_usec), self, kind: 0)
  }
}

extension CaresResolver: TimerTarget {
  public func timerFired(_ kind: UInt8) {
    timer = .none
    process(read: ARES_SOCKET_BAD, write: ARES_SOCKET_BAD)
  }
}

/// One of c-ares' sockets.
@LoopActor
private final class Watched: SocketTarget {
  let descriptor: Int32
  unowned let resolver: CaresResolver
  private(set) var id = WatchID.none

  init(_ descriptor: Int32, _ resolver: CaresResolver) {
    self.descriptor = descriptor
    self.resolver = resolver
    id = EventLoop.shared.watch(descriptor, self)
  }

  func socketReady(_ ready: Interest) {
    resolver.process(
      read: ready.contains(.read) ? descriptor : ARES_SOCKET_BAD, write: ready.contains(.write) ? descriptor : ARES_SOCKET_BAD)
  }
}

private func caresAnswered(_ argument: UnsafeMutableRawPointer?, _ status: Int32, _ result: UnsafeMutablePointer<ares_addrinfo>?) {
  var addresses: [SocketAddress] = []
  var node = result?.pointee.nodes
  while let current = node {
    if let raw = current.pointee.ai_addr, let address = SocketAddress(raw, length: current.pointee.ai_addrlen) {
      addresses.append(address)
    }
    node = current.pointee.ai_next
  }
  ares_freeaddrinfo(result)
  let bits = UInt(bitPattern: argument)
  let found = addresses
  EventLoop.assumeOnLoop { CaresResolver.answered(bits, status, found) }
}
