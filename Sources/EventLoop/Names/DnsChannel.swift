internal import CCares
internal import CLibevent
import Glibc

/// One c-ares channel on the loop: sends questions to name servers and brings back what came of each.
@LoopActor
final class DnsChannel {
  /// A channel that was made off the loop, for c-ares reads files then.
  struct Opened: @unchecked Sendable {
    // SAFETY: made by one thread and handed over whole; nobody else has the pointer.
    let channel: OpaquePointer
    let number: UInt
    let domains: [String]
    let ndots: Int
  }

  private static var channels: [UInt: DnsChannel] = [:]
  private nonisolated static let numbers = Locked<UInt>(0)

  let domains: [String]
  let ndots: Int
  private let channel: OpaquePointer
  private let number: UInt
  private let timeout: Duration
  private var asked: [UInt64: DnsQuestion] = [:]
  private var answers: [(id: UInt64, answer: DnsAnswer)] = []
  private var receive: ((UInt64, DnsAnswer) -> Void)?
  private var watched: [Int32: Watched] = [:]
  private var timer: TimerID?
  private var isRetired = false

  /// `receive` is told of each question once, never before ``ask(_:id:)`` returns.
  init(_ opened: Opened, timeout: Duration, receive: @escaping @LoopActor (UInt64, DnsAnswer) -> Void) {
    channel = opened.channel
    number = opened.number
    domains = opened.domains
    ndots = opened.ndots
    self.timeout = timeout
    self.receive = receive
    DnsChannel.channels[number] = self
  }

  /// Reads the configuration file. Not for the loop.
  nonisolated static func open(_ settings: ResolverSettings) -> Result<Opened, ResolveError> {
    let number = numbers.withLock { last in
      last += 1
      return last
    }
    var options = ares_options()
    options.timeout = max(1, Int32(clamping: settings.timeout.wholeNanoseconds / 1_000_000))
    options.tries = max(1, Int32(clamping: settings.tries))
    options.sock_state_cb = { argument, descriptor, readable, writable in
      let number = UInt(bitPattern: argument)
      EventLoop.assumeOnLoop { DnsChannel.channels[number]?.watch(descriptor, readable != 0, writable != 0) }
    }
    options.sock_state_cb_data = UnsafeMutableRawPointer(bitPattern: number)
    var opened: OpaquePointer?
    var status = ares_library_init(ARES_LIB_INIT_ALL)
    if status == ARES_SUCCESS {
      status = settings.configurationFile.withCString { path in
        options.resolvconf_path = UnsafeMutablePointer(mutating: path)
        return ares_init_options(
          &opened, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB | ARES_OPT_RESOLVCONF)
      }
    }
    if status == ARES_SUCCESS, let servers = settings.servers { status = ares_set_servers_ports_csv(opened, servers) }
    guard status == ARES_SUCCESS, let opened else {
      if let opened { ares_destroy(opened) }
      return .failure(ResolveError("no resolver: \(String(cString: ares_strerror(status)))", isTemporary: true))
    }
    let (domains, ndots) = search(opened)
    return .success(Opened(channel: opened, number: number, domains: domains, ndots: ndots))
  }

  func ask(_ question: DnsQuestion, id: UInt64) {
    asked[id] = question
    // The id fits beside the channel's number in the pointer-sized argument that c-ares hands back.
    let argument = UnsafeMutableRawPointer(bitPattern: number << 40 | UInt(id & 0xff_ffff_ffff))
    ares_query(
      channel, question.name, 1, question.isIPv6 ? 28 : 1,
      { argument, status, _, bytes, count in
        let copy = bytes.map { Array(UnsafeBufferPointer(start: $0, count: Int(max(count, 0)))) } ?? []
        let bits = UInt(bitPattern: argument)
        EventLoop.assumeOnLoop { DnsChannel.channels[bits >> 40]?.answered(UInt64(bits & 0xff_ffff_ffff), status, copy) }
      }, argument)
    // What failed at once is told later, not amidst the caller's work.
    if !answers.isEmpty { EventLoop.shared.atEndOfTurn { self.deliver() } }
    // A question's first deadline is a timeout away; later than that the timer never is.
    if timer == nil, !asked.isEmpty { arm(timeout) }
  }

  /// Closes the channel when its questions are answered or given up.
  func retire() {
    isRetired = true
    if asked.isEmpty { EventLoop.shared.atEndOfTurn { self.closeIfDone() } }
  }

  private func answered(_ id: UInt64, _ status: Int32, _ bytes: [UInt8]) {
    guard let question = asked.removeValue(forKey: id) else { return }
    answers.append((id, DnsAnswer(status: status, bytes, isIPv6: question.isIPv6)))
  }

  /// Called when c-ares has returned, for what is told may come back with further questions.
  private func deliver() {
    while !answers.isEmpty {
      let batch = answers
      answers = []
      for (id, answer) in batch { receive?(id, answer) }
    }
    if asked.isEmpty {
      disarm()
      closeIfDone()
    }
  }

  private func closeIfDone() {
    guard isRetired, asked.isEmpty, answers.isEmpty, receive != nil else { return }
    receive = nil
    ares_destroy(channel)
    DnsChannel.channels[number] = nil
    disarm()
  }

  fileprivate func process(read: Int32, write: Int32) {
    guard receive != nil else { return }
    ares_process_fd(channel, read, write)
    deliver()
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

  private func arm(_ delay: Duration) {
    timer = EventLoop.shared.schedule(after: delay, self, kind: 0)
  }

  private func disarm() {
    if let timer { EventLoop.shared.cancel(timer) }
    timer = nil
  }

  private nonisolated static func search(_ channel: OpaquePointer) -> (domains: [String], ndots: Int) {
    var options = ares_options()
    var mask: Int32 = 0
    guard ares_save_options(channel, &options, &mask) == ARES_SUCCESS else { return ([], 1) }
    defer { ares_destroy_options(&options) }
    var domains: [String] = []
    if mask & ARES_OPT_DOMAINS != 0, let list = options.domains {
      for index in 0..<max(0, Int(options.ndomains)) { if let domain = list[index] { domains.append(String(cString: domain)) } }
    }
    return (domains, mask & ARES_OPT_NDOTS != 0 ? max(0, Int(options.ndots)) : 1)
  }
}

extension DnsChannel: TimerTarget {
  func timerFired(_ kind: UInt8) {
    timer = nil
    process(read: ARES_SOCKET_BAD, write: ARES_SOCKET_BAD)
    guard receive != nil, timer == nil, !asked.isEmpty else { return }
    // c-ares looks at every question for this: only here, not with each question and answer.
    var next = timeval()
    guard ares_timeout(channel, nil, &next) != nil else { return arm(timeout) }
    arm(min(max(.seconds(next.tv_sec) + .microseconds(next.tv_usec), .milliseconds(1)), timeout))
  }
}

/// One of c-ares' sockets.
@LoopActor
private final class Watched: SocketTarget {
  let descriptor: Int32
  private let channel: DnsChannel
  private(set) var id = WatchID.none

  init(_ descriptor: Int32, _ channel: DnsChannel) {
    self.descriptor = descriptor
    self.channel = channel
    id = EventLoop.shared.watch(descriptor, self)
  }

  func socketReady(_ ready: Interest) {
    channel.process(
      read: ready.contains(.read) ? descriptor : ARES_SOCKET_BAD, write: ready.contains(.write) ? descriptor : ARES_SOCKET_BAD)
  }
}
