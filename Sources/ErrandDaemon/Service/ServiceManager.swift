internal import EventLoop
import Glibc

/// What the service manager that started the daemon wants to know (sd_notify), and what it handed over (sd_listen_fds): by the protocols that systemd
/// documents, without its library. Without such a manager it does nothing.
public final class ServiceManager: Sendable {
  private let socket: SocketAddress?
  /// How often it wants to hear that the loop runs; nil: never.
  private let watchdog: Duration?
  /// Listening sockets that were handed over.
  let inherited: [Int32]

  /// Reads the environment of this process, and takes out of it what is meant for this process alone.
  public convenience init() {
    var environment: [String: String] = [:]
    for name in ServiceManager.names {
      if let value = getenv(name) { environment[name] = String(cString: value) }
      unsetenv(name)
    }
    self.init(environment, pid: getpid())
  }

  static let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
  private static let firstInherited: Int32 = 3
  private static let inheritedLimit: Int32 = 64

  init(_ environment: [String: String], pid: pid_t) {
    func isMeant(_ name: String) -> Bool { environment[name].map { $0 == String(pid) } ?? true }
    socket = environment["NOTIFY_SOCKET"].flatMap(ServiceManager.address)
    if let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0, isMeant("WATCHDOG_PID") {
      watchdog = .microseconds(microseconds)
    } else {
      watchdog = nil
    }
    if environment["LISTEN_PID"] == String(pid), let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }),
      (1...ServiceManager.inheritedLimit).contains(count)
    {
      inherited = Array(ServiceManager.firstInherited..<(ServiceManager.firstInherited + count))
      for descriptor in inherited { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    } else {
      inherited = []
    }
  }

  private static func address(_ text: String) -> SocketAddress? {
    guard text.hasPrefix("/") || text.hasPrefix("@") else { return nil }
    return try? .unix(text)
  }

  // MARK: Telling

  /// The daemon serves.
  public func ready(status: String) { tell("READY=1\nMAINPID=\(getpid())\nSTATUS=\(ServiceManager.line(status))") }
  /// It reads its configuration again; ``ready(status:)`` follows.
  public func reloading() { tell("RELOADING=1\nMONOTONIC_USEC=\(Instant.now().nanoseconds / 1_000)") }
  /// It ends.
  public func stopping() { tell("STOPPING=1\nSTATUS=ending") }

  /// Says from the loop itself, twice in each interval, that it runs: a loop that hangs says nothing, and the daemon is started anew.
  @LoopActor public func startWatchdog() {
    guard let watchdog, socket != nil else { return }
    _ = Heart(self, every: watchdog / 2)
  }

  fileprivate func beat() { tell("WATCHDOG=1") }

  private func tell(_ text: String) {
    guard let socket else { return }
    DatagramSender.send(Array(text.utf8), to: socket)
  }

  private static func line(_ text: String) -> String { text.replacing("\n", with: " ") }
}

@LoopActor
private final class Heart: TimerTarget {
  private let manager: ServiceManager
  private let interval: Duration

  init(_ manager: ServiceManager, every interval: Duration) {
    self.manager = manager
    self.interval = interval
    timerFired(0)
  }

  func timerFired(_ kind: UInt8) {
    manager.beat()
    _ = EventLoop.shared.schedule(after: interval, self, kind: 0)
  }
}
